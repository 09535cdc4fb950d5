import type { Message } from "messaging-gateway";
import { failureReason, type StatusUpdate } from "messaging-gateway/webhooks";
import { describe, expect, expectTypeOf, test } from "vitest";
import { statusUpdate } from "../../../support/webhook-payloads.ts";

const about = {
	text: "Meet me at the harbour at eight",
	from: "+15550000001",
	to: "ana@icloud.example",
	participants: ["+15550000001", "55512"],
};

/** From the reason to the errors that have it. */
const REASONS: readonly [reason: string | undefined, errors: readonly unknown[]][] = [
	[
		"Not delivered",
		[
			"Not delivered",
			"  Not\n\u001b\u202e delivered\u2028",
			["", "Not delivered"],
			{ message: "Not delivered" },
			{ reason: "Not delivered", added: 5 },
			{ error: { detail: "Not delivered" } },
			{ message: "", title: "Not delivered" },
			{ message: null, description: "Not delivered" },
		],
	],
	["22", [22, "22", { code: 22 }, [22], { code: "22", extra: null }]],
	[
		"22: Not delivered",
		[{ code: 22, message: "Not delivered" }, { error: { code: "22", reason: "Not delivered" } }],
	],
	[
		"22, 23",
		[
			[22, 23],
			[{ code: 22 }, { code: 23 }, true],
		],
	],
	[
		undefined,
		[
			null,
			undefined,
			"",
			" \u0000 ",
			"…",
			true,
			{},
			[],
			{ code: {} },
			{ code: ["22"] },
			{ toString: "Not delivered" },
			[[[["too deep"]]]],
		],
	],
	["no route to …", ["no route to +15550000001", "no route to ana@icloud.example", "no route to 55512"]],
	[
		"no route to …",
		[
			"no route to +49 (30) 901-820-1",
			"no route to bob@example.org",
			"no route to ٠١٢٣٤٥٦٧٨",
			"no route to 1234567",
		],
	],
	["see …", ["see https://gateway.example/?token=1", `see ${"a1".repeat(16)}`]],
	[
		"rejected: …",
		[
			"rejected: Meet me at the harbour at eight",
			"rejected: Meet me at\nthe harbour at eight",
			"rejected: Meet me at the h",
			'rejected: "the harbour at eight"',
			"rejected: “anything”",
		],
	],
	["Meet… at 1234", ["Meet… at 1234"]],
	["rejected: …, not like …", ["rejected: Meet me, not like Meet me"]],
];

describe("failureReason", () => {
	const cases = REASONS.flatMap(([reason, errors]) => errors.map((error) => [reason, error] as const));

	test.each(cases)("is %j of %j", (reason, error) => {
		expect(failureReason({ ...about, error })).toBe(reason);
	});

	test.each([
		["ok", "blocked: ok", "blocked: …"],
		["ok", "looks blocked", "looks blocked"],
		["", "blocked", "blocked"],
		["blocked by us", "not blocked", "not …"],
	])("of a text %j: %j becomes %j", (text, error, reason) => {
		expect(failureReason({ text, error })).toBe(reason);
	});

	test.each([
		["rejected: Call +15551234567 now, Bob is ill", "rejected: …"],
		["rejected 'My PIN is 4821'", "rejected …"],
		["rejected „My PIN is 4821“", "rejected …"],
		['rejected "My PIN is 48', "rejected …"],
		["can't be delivered, it's blocked", "can't be delivered, it's blocked"],
		["no 555/123/4567, no 555–123–4567, no 555_123_4567", "no …, no …, no …"],
		["no %31%35%35%35, no bob%40example.com, no bob＠example.com", "no … no … no …"],
		["see hooks.example/t/path?key=abc", "see …"],
		["token Zx9-kLmN3pQr5tUv7wXy9zAb1cD-efGh3iJk", "token …"],
		["code 22 at 12:30", "code 22 at 12:30"],
	])("of %j is %j", (error, reason) => {
		const data = { text: "Call +15551234567 now, Bob is ill", to: "+15551234567", error };
		expect(failureReason(data)).toBe(reason);
	});

	test("of an error that throws when it is read is undefined", () => {
		const error = {
			get message(): never {
				throw new Error("private");
			},
		};
		expect(failureReason({ error })).toBe(undefined);
	});

	test.each([undefined, null, 0, "failed"])("of %j, which is no data, is undefined", (data) => {
		expect(failureReason(data as never)).toBe(undefined);
	});

	test("is bounded, however long the error is, and ends with a whole character", () => {
		const reason = failureReason({ error: `${"x ".repeat(99)}🦖${"not delivered ".repeat(100_000)}` });
		expect(reason).toBe(`${"x ".repeat(99)}…`);
		expect(failureReason({ error: "y ".repeat(100).trim() })).toHaveLength(199);
		expect(failureReason({ error: "y ".repeat(1_000) })).toHaveLength(200);
	});

	test("reads a message and a status, whose errors have the same type", () => {
		expectTypeOf<StatusUpdate["error"]>().toEqualTypeOf<Message["error"]>();
		expectTypeOf(failureReason).toBeCallableWith({} as Message);
		expectTypeOf(failureReason).toBeCallableWith({} as StatusUpdate);
		const data = { ...statusUpdate, status: "failed", error: { code: 22 } };
		expect(failureReason(data)).toBe("22");
	});
});
