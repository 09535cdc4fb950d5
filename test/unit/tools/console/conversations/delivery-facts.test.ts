import { describe, expect, test } from "vitest";
import {
	describeContent,
	describeKind,
	describeNextAttempt,
	isAcknowledged,
} from "../../../../../src/tools/console/conversations/state/describe-entries.ts";
import { indentJson } from "../../../../../src/tools/console/parts/json-value.ts";
import type { AttemptView, DeliveryView } from "../../../../../src/tools/control/contract.ts";
import { deliveryView } from "./views.ts";

const attempt = (fields: Partial<AttemptView>): AttemptView => ({
	at: 0,
	timestamp: 0,
	headers: {},
	...fields,
});

describe("a delivery", () => {
	test("that is pending says what happens next", () => {
		const nextAttemptAt = new Date(2026, 0, 5, 14, 32, 10).getTime();
		const pending = (fields: Partial<DeliveryView>) =>
			describeNextAttempt(deliveryView({ state: "pending", ...fields }));
		const headers = { "x-timestamp": "0" };
		const attempts = [attempt({ status: 500 })];
		expect(pending({ headers: {} })).toBe("waiting its turn");
		expect(pending({ headers })).toBe("first attempt under way");
		expect(pending({ nextAttemptAt })).toBe("first attempt due at 14:32:10");
		expect(pending({ headers, attempts, nextAttemptAt })).toBe("next attempt due at 14:32:10");
		expect(pending({ headers, attempts })).toBe("trying again");
	});

	test("that is given up says so, and after how many attempts", () => {
		const failed = (count: number) =>
			describeNextAttempt(deliveryView({ state: "failed", attempts: Array(count).fill(attempt({})) }));
		expect([failed(6), failed(1)]).toEqual(["given up after 6 attempts", "given up after 1 attempt"]);
		expect(describeNextAttempt(deliveryView({ state: "delivered" }))).toBeUndefined();
	});

	test.each([
		['{"text":"Hello,\\n  you"}', "Hello, you"],
		['{"reaction":"love","text":"Liked it"}', "love"],
		['{"text":""}', ""],
		['{"text":5}', ""],
		["not JSON", ""],
		[`{"text":"${"a".repeat(500)}"}`, "a".repeat(120)],
	])("has the content of %j in one short line", (body, content) => {
		expect(describeContent(deliveryView({ body }))).toBe(content);
	});

	test("is acknowledged with any 2xx", () => {
		const acknowledged = [199, 200, 204, 299, 300, 500].filter((status) =>
			isAcknowledged(attempt({ status })),
		);
		expect(acknowledged).toEqual([200, 204, 299]);
		expect(isAcknowledged(attempt({ error: "refused" }))).toBe(false);
	});

	test("of a status names the status", () => {
		expect(describeKind(deliveryView())).toBe("status delivered");
		expect(describeKind(deliveryView({ body: "{}" }))).toBe("status");
		expect(describeKind(deliveryView({ kind: "inbound_message" }))).toBe("inbound_message");
	});

	test("has an indented body, or an unchanged one if it is not JSON", () => {
		expect(indentJson('{"a":[1]}')).toBe('{\n  "a": [\n    1\n  ]\n}');
		expect(indentJson("<html>")).toBe("<html>");
	});
});
