import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { checkShape } from "../../src/library/catalogue/check.ts";
import { EVENTS } from "../../src/library/catalogue/events.ts";
import { isJsonObject } from "../../src/library/is-object.ts";
import { checkPayload } from "../../src/library/webhooks/check-payload.ts";
import { cases } from "../support/cases.ts";
import * as payloads from "../support/webhook-payloads.ts";
import { changedValue } from "./changed-values.ts";

describe("the table of an event's fields", () => {
	test.each(EVENTS)("$name: finds what the schema finds", async ({ name, payload }) => {
		await fc.assert(
			fc.asyncProperty(changedValue(Object.values(payloads)), async (changed) => {
				const value: unknown = JSON.parse(JSON.stringify(changed, noBigInt) ?? "0");
				if (!isJsonObject(value)) return;
				// The field by which a kind is recognized is right by the time the others are checked.
				const recognized = name === "status" ? value : { ...value, type: name };
				const found = checkPayload(name, recognized);
				const checked = await checkShape<unknown>(payload, found.data);
				const expected = checked.ok ? [] : checked.issues.map(({ path }) => path);
				const { issues = [], issueCount = 0, names = new Set() } = found.problems ?? {};
				expect(issues.map(({ path }) => path)).toEqual(expected.slice(0, 20));
				expect([issueCount, names]).toEqual([
					expected.length,
					new Set(expected.map((path) => path.split(".", 1)[0])),
				]);
				expect(found.problems === undefined).toBe(checked.ok);
			}),
			{ numRuns: cases(600) },
		);
	});

	test("of many wrong items the first are listed, and all are counted", () => {
		const { problems } = checkPayload("inbound_message", {
			...payloads.inboundMessage,
			participants: new Array(100_000).fill(1),
		});
		expect(problems?.issues).toHaveLength(20);
		expect(problems?.issues.at(-1)).toEqual({ path: "participants.19", message: "must be a string" });
		expect(problems).toMatchObject({ issueCount: 100_000, names: new Set(["participants"]) });
	});
});

function noBigInt(_key: string, value: unknown): unknown {
	return typeof value === "bigint" ? String(value) : value;
}
