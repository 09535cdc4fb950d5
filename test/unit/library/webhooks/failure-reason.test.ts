import { inspect } from "node:util";
import type { Message } from "messaging-gateway";
import { failureReason, type StatusUpdate } from "messaging-gateway/webhooks";
import { describe, expect, expectTypeOf, test } from "vitest";
import { type Outcomes, testOutcomes } from "../../../support/outcomes.ts";
import { statusUpdate } from "../../../support/webhook-payloads.ts";

const about = {
	text: "Meet me at the harbour at eight",
	from: "+15550000001",
	to: "ana@icloud.example",
	participants: ["+15550000001", "55512"],
};

/** An error, by what it is; and what is known of its message, if that is not {@link about}. */
type Failure = readonly [error: unknown, data?: object];

const of = (...errors: readonly unknown[]) =>
	Object.fromEntries(
		errors.map((error): [string, Failure] => [inspect(error, { breakLength: Infinity }), [error]]),
	);
const ofText = (text: string, error: string) => ({
	[`${error}, of the text "${text}"`]: [error, { text }] as const,
});
const CALL = { text: "Call +15551234567 now, Bob is ill", to: "+15551234567" };
const ofCall = (...errors: readonly string[]) =>
	Object.fromEntries(errors.map((error): [string, Failure] => [error, [error, CALL]]));

const REASONS: Outcomes<Failure> = {
	"Not delivered": of(
		"Not delivered",
		"  Not\n\u001b\u202e delivered\u2028",
		["", "Not delivered"],
		{ message: "Not delivered" },
		{ reason: "Not delivered", added: 5 },
		{ error: { detail: "Not delivered" } },
		{ message: "", title: "Not delivered" },
		{ message: null, description: "Not delivered" },
	),
	"22": of(22, "22", { code: 22 }, [22], { code: "22", extra: null }),
	"22: Not delivered": of(
		{ code: 22, message: "Not delivered" },
		{ error: { code: "22", reason: "Not delivered" } },
	),
	"22, 23": of([22, 23], [{ code: 22 }, { code: 23 }, true]),
	none: {
		...of(null, undefined, "", " \u0000 ", "…", true, {}, []),
		...of({ code: {} }, { code: ["22"] }, { toString: "Not delivered" }, [[[["too deep"]]]]),
		"a field that throws": [
			{
				get message(): never {
					throw new Error("private");
				},
			},
		],
	},
	"no route to …": of(
		...["no route to +15550000001", "no route to ana@icloud.example", "no route to 55512"],
		...["no route to +49 (30) 901-820-1", "no route to bob@example.org", "no route to ٠١٢٣٤٥٦٧٨"],
		"no route to 1234567",
	),
	"see …": {
		...of("see https://gateway.example/?token=1", `see ${"a1".repeat(16)}`),
		...ofCall("see hooks.example/t/path?key=abc"),
	},
	"rejected: …": {
		...of(
			"rejected: Meet me at the harbour at eight",
			"rejected: Meet me at\nthe harbour at eight",
			"rejected: Meet me at the h",
			'rejected: "the harbour at eight"',
			"rejected: “anything”",
		),
		...ofCall("rejected: Call +15551234567 now, Bob is ill"),
	},
	"Meet… at 1234": of("Meet… at 1234"),
	"rejected: …, not like …": of("rejected: Meet me, not like Meet me"),
	"blocked: …": ofText("ok", "blocked: ok"),
	"looks blocked": ofText("ok", "looks blocked"),
	blocked: ofText("", "blocked"),
	"not …": ofText("blocked by us", "not blocked"),
	"rejected …": ofCall("rejected 'My PIN is 4821'", "rejected „My PIN is 4821“", 'rejected "My PIN is 48'),
	"can't be delivered, it's blocked": ofCall("can't be delivered, it's blocked"),
	"no …, no …, no …": ofCall("no 555/123/4567, no 555–123–4567, no 555_123_4567"),
	"no … no … no …": ofCall("no %31%35%35%35, no bob%40example.com, no bob＠example.com"),
	"token …": ofCall("token Zx9-kLmN3pQr5tUv7wXy9zAb1cD-efGh3iJk"),
	"code 22 at 12:30": ofCall("code 22 at 12:30"),
};

describe("failureReason", () => {
	testOutcomes(REASONS, ([error, data = about]) => failureReason({ ...data, error }) ?? "none");

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
