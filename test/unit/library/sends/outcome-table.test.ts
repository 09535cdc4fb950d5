import { readFileSync } from "node:fs";
import { createSender, listSends, memorySendStore } from "messaging-gateway/sends";
import { describe, expect, test } from "vitest";
import { collect } from "../../../support/collect.ts";
import { settle } from "../../../support/counting-clock.ts";
import { BY_RETRY_CLASS } from "../../../support/operations.ts";
import { type Step, scriptGateway, silence } from "../../../support/scripted-gateway.ts";
import { errorResponse, html, json, networkError } from "../../../support/wire.ts";

/** The rows of the table in docs/errors.md, as their cells. */
const ROWS = readTable(readFileSync("docs/errors.md", "utf8"));

const profile = { rejectionCodes: ["NOT_QUEUED"] };

/** What each word in the column of bodies stands for. */
const BODIES = new Map<string, (status: number) => Response>([
	["`ok: true`", (status) => json(status, { ok: true })],
	["error envelope", (status) => errorResponse(status)],
	["other", (status) => html(status)],
	["a nonce that was used", (status) => errorResponse(status, { code: "NONCE_USED" })],
	["a code in `rejectionCodes`", (status) => errorResponse(status, { code: "NOT_QUEUED" })],
]);

const FAILURES = new Map<string, readonly Step[]>([
	["no connection was made", [networkError("ECONNREFUSED")]],
	["a broken connection, a time-out", [networkError("ECONNRESET"), silence]],
]);

function readTable(page: string): string[][] {
	const [, table = ""] = /<!-- the outcomes: .*\n([\s\S]*)<!-- the end of the outcomes -->/.exec(page) ?? [];
	const rows = table.trim().split("\n").slice(2);
	return rows.map((row) =>
		row
			.split("|")
			.slice(1, -1)
			.map((cell) => cell.trim().replace(/^any$/, "error envelope, other")),
	);
}

/** The ranges of a cell such as `300 to 306, 429`. */
function rangesOf(statuses: string): { from: number; to: number }[] {
	return statuses.split(", ").map((part) => {
		const [from = Number.NaN, to = from] = part.split(" to ").map(Number);
		return { from, to };
	});
}

/** The attempts of a row: a failure, or each body under the first and the last status of each range. */
function stepsOf([statuses = "", bodies = ""]: readonly string[]): readonly Step[] {
	const failures = FAILURES.get(statuses);
	if (failures !== undefined) return failures;
	const responses = bodies.split(", ").flatMap((body) => {
		const respond = BODIES.get(body);
		if (respond === undefined) throw new Error(`no body is called ${body}`);
		return rangesOf(statuses).flatMap(({ from, to }) => [respond(from), respond(to)]);
	});
	expect(responses.length).toBeGreaterThan(0);
	return responses;
}

/** What the client makes of an attempt: the outcome, and whether it makes another one. */
async function callWith(step: Step, retryClass: keyof typeof BY_RETRY_CLASS) {
	const { gateway, clock, requests } = scriptGateway([step], { profile, maxRetries: 1 });
	const [result] = await settle(clock, Promise.allSettled([BY_RETRY_CLASS[retryClass].call(gateway)]));
	const retried = requests.length > 1 ? "retried" : "no";
	return { outcome: result.status === "rejected" ? result.reason.outcome : result.status, retried };
}

/** What a sender concludes from one attempt. */
async function sendWith(step: Step) {
	const { gateway, clock, requests } = scriptGateway([step], { profile });
	const store = memorySendStore({ clock });
	const sender = createSender({ gateway, store, digestSecret: "a secret" });
	await settle(clock, Promise.allSettled([sender.send("key", { to: "+15551234567", text: "Hello" })]));
	expect(requests.filter(({ method }) => method === "POST")).toHaveLength(1);
	for (const status of ["open", "unresolved", "accepted"] as const)
		if ((await collect(listSends(store, { status }))).length > 0) return status;
	return undefined;
}

describe("the table of docs/errors.md", () => {
	test.each(ROWS)("%s | %s: the client", async (...row) => {
		const [, , outcome = "", others, never] = row;
		for (const step of stepsOf(row)) {
			const expected = { outcome: outcome.replaceAll("`", "") };
			expect(await callWith(step, "safe")).toEqual({ ...expected, retried: others });
			expect(await callWith(step, "idempotent")).toEqual({ ...expected, retried: others });
			expect(await callWith(step, "never")).toEqual({ ...expected, retried: never });
		}
	});

	test.each(ROWS)("%s | %s: a sender", async (...row) => {
		for (const step of stepsOf(row)) expect(await sendWith(step)).toBe(row[5]);
	});

	test.each(["error envelope", "other"])("has one row for each status with this body: %s", (body) => {
		const rows = ROWS.filter(
			([statuses = "", bodies = ""]) => !FAILURES.has(statuses) && bodies.split(", ").includes(body),
		);
		const ranges = rows
			.flatMap(([statuses = ""]) => rangesOf(statuses))
			.sort((left, right) => left.from - right.from);
		expect(ranges[0]?.from).toBe(200);
		expect(ranges.at(-1)?.to).toBe(599);
		for (const [at, { from }] of ranges.entries())
			if (at > 0) expect(from).toBe((ranges[at - 1]?.to ?? 0) + 1);
	});
});
