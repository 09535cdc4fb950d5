import { readFileSync } from "node:fs";
import { createSender, listSends, memorySendStore } from "messaging-gateway/sends";
import { describe, expect, test } from "vitest";
import { collect } from "../../../support/collect.ts";
import { settle } from "../../../support/counting-clock.ts";
import { BY_RETRY_CLASS } from "../../../support/operations.ts";
import { type Step, scriptGateway, silence } from "../../../support/scripted-gateway.ts";
import { errorResponse, html, json, networkError } from "../../../support/wire.ts";

/**
 * What each attempt proves, and what follows: its outcome, whether a safe or idempotent call and one that is never
 * retried get another attempt, and what a sender concludes.
 */
const ROWS: readonly (readonly string[])[] = [
	["no connection", "-", "not_sent", "retried", "retried", "open"],
	["a time-out, a broken connection", "-", "unknown", "retried", "no", "unresolved"],
	["200 to 299", "ok", "accepted", "no", "no", "accepted"],
	["200 to 299", "error envelope, other", "unknown", "no", "no", "unresolved"],
	["300 to 306, 309 to 399", "error envelope, other", "unknown", "no", "no", "unresolved"],
	["307, 308", "error envelope, other", "rejected", "no", "no", "open"],
	["400 to 407, 409 to 428, 430 to 498", "error envelope, other", "rejected", "no", "no", "open"],
	["429", "error envelope, other", "rejected", "retried", "retried", "open"],
	["400 to 407, 409 to 498", "used nonce", "unknown", "retried", "no", "unresolved"],
	["408, 500, 502, 503, 504", "error envelope, other", "unknown", "retried", "no", "unresolved"],
	["499, 501, 505 to 599", "error envelope, other", "unknown", "no", "no", "unresolved"],
	["408, 500, 502, 503, 504", "rejection code", "rejected", "retried", "no", "open"],
	["200 to 306, 309 to 399, 499, 501, 505 to 599", "rejection code", "rejected", "no", "no", "open"],
];

/** The rows of the table in docs/errors.md, and the attempts that each stands for. */
const SHOWN: Readonly<Record<string, readonly [statuses: string, bodies: string]>> = {
	"no connection: a wrong name, a refused port, a bad certificate": ["no connection", "-"],
	"400, 422": ["400, 422", "error envelope, other"],
	"401": ["401", "error envelope, other"],
	"403": ["403", "error envelope, other"],
	"404": ["404", "error envelope, other"],
	"409": ["409", "error envelope, other"],
	"429": ["429", "error envelope, other"],
	"307, 308, another 4xx": [
		"307, 308, 402, 405 to 407, 410 to 421, 423 to 428, 430 to 498",
		"error envelope, other",
	],
	"a 4xx because the nonce was used": ["400 to 407, 409 to 498", "used nonce"],
	"a time-out, a broken connection": ["a time-out, a broken connection", "-"],
	"408, 499, 5xx, another redirect": [
		"408, 499, 500 to 599, 300 to 306, 309 to 399",
		"error envelope, other",
	],
	"a 2xx of something else, such as a login page": ["200 to 299", "other"],
	"a 2xx of the gateway that can't be read": ["200 to 299", "ok"],
};

const profile = { rejectionCodes: ["NOT_QUEUED"] };

/** What each word for a body stands for. */
const BODIES = new Map<string, (status: number) => Response>([
	["ok", (status) => json(status, { ok: true })],
	["error envelope", (status) => errorResponse(status)],
	["other", (status) => html(status)],
	["used nonce", (status) => errorResponse(status, { code: "NONCE_USED" })],
	["rejection code", (status) => errorResponse(status, { code: "NOT_QUEUED" })],
]);

const FAILURES = new Map<string, readonly Step[]>([
	["no connection", [networkError("ECONNREFUSED")]],
	["a time-out, a broken connection", [networkError("ECONNRESET"), silence]],
]);

/** The page's table, as pairs of what was got and the outcome. */
function readTable(page: string): [string, string][] {
	const [, table = ""] = /<!-- the outcomes: .*\n([\s\S]*)<!-- the end of the outcomes -->/.exec(page) ?? [];
	return table
		.trim()
		.split("\n")
		.slice(2)
		.map((row) => row.split(" | "))
		.map(([got = "", outcome = ""]) => [got.slice(2), outcome.replaceAll(/[[\]`]|\(.*\)/g, "")]);
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

describe("each attempt", () => {
	test.each(ROWS)("%s | %s: the client", async (...row) => {
		const [, , outcome, others, never] = row;
		for (const step of stepsOf(row)) {
			expect(await callWith(step, "safe")).toEqual({ outcome, retried: others });
			expect(await callWith(step, "idempotent")).toEqual({ outcome, retried: others });
			expect(await callWith(step, "never")).toEqual({ outcome, retried: never });
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

describe("the table of docs/errors.md", () => {
	const shown = readTable(readFileSync("docs/errors.md", "utf8"));

	test("has these rows", () => {
		expect(shown.map(([got]) => got).sort()).toEqual(Object.keys(SHOWN).sort());
	});

	test.each(shown)("%s: %s", async (got, outcome) => {
		for (const step of stepsOf(SHOWN[got] ?? []))
			expect(await callWith(step, "never")).toMatchObject({ outcome });
	});
});
