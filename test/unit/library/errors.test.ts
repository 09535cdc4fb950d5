import { inspect } from "node:util";
import { describe, expect, test } from "vitest";
import * as errors from "../../../src/library/errors.ts";

const call = {
	operationId: "messages.sendText",
	outcome: "unknown",
	attempts: 2,
	clockOffsetMs: 12,
} as const;
const response = { ...call, status: 418, body: "private body", requestId: "r-1" };
const api = {
	...response,
	gatewayCode: "SOME_CODE",
	details: [{ field: "text", issue: "too_long", message: "private detail" }],
	retryAfterMs: 1_500,
};
const duplicate = {
	isDuplicate: true,
	lastMessageSignature: "private last",
	currentMessageSignature: "private current",
	timeRemaining: 12.0004,
	message: "private reason",
};
const issues = [{ path: "text", message: "must be a string" }];

const cases: [name: string, code: string, error: errors.AnyMessagingGatewayError][] = [
	["ConfigurationError", "configuration", new errors.ConfigurationError("m")],
	["SignerError", "signer_failed", new errors.SignerError("m")],
	["InputError", "invalid_input", new errors.InputError("m", issues)],
	["CanonicalJsonError", "cycle", new errors.CanonicalJsonError("cycle", "m")],
	["RequestVerificationError", "nonce_replayed", new errors.RequestVerificationError("nonce_replayed", "m")],
	["WebhookVerificationError", "invalid_json", new errors.WebhookVerificationError("invalid_json", "m")],
	["SendError", "key_reused", new errors.SendError("key_reused", "m")],
	["ConnectionError", "connection_failed", new errors.ConnectionError("m", call)],
	["TimeoutError", "timeout", new errors.TimeoutError("m", call, { scope: "attempt", limitMs: 10 })],
	["ResponseShapeError", "unexpected_response", new errors.ResponseShapeError("m", response, issues)],
	["UnexpectedStatusError", "unexpected_status", new errors.UnexpectedStatusError("m", api)],
	["BadRequestError", "bad_request", new errors.BadRequestError("m", api)],
	["AuthenticationError", "authentication_failed", new errors.AuthenticationError("m", api)],
	["PermissionDeniedError", "permission_denied", new errors.PermissionDeniedError("m", api)],
	["NotFoundError", "not_found", new errors.NotFoundError("m", api)],
	["ConflictError", "conflict", new errors.ConflictError("m", api)],
	["DuplicateMessageError", "duplicate_message", new errors.DuplicateMessageError("m", api, duplicate)],
	["UnprocessableEntityError", "unprocessable", new errors.UnprocessableEntityError("m", api)],
	["RateLimitError", "rate_limited", new errors.RateLimitError("m", api)],
	["ServerError", "server_error", new errors.ServerError("m", api)],
];

const abstractNames = ["MessagingGatewayError", "CallError", "ApiError"];

test("the table of this test has every concrete class", () => {
	const classes = Object.entries(errors).filter(
		([name, value]) => typeof value === "function" && /^[A-Z]/.test(name),
	);
	const concrete = classes.map(([name]) => name).filter((name) => !abstractNames.includes(name));
	expect(cases.map(([name]) => name).sort()).toEqual(concrete.sort());
	expect(new Set(cases.map(([, code]) => code)).size).toBe(cases.length);
});

describe.each(cases)("%s", (name, code, error) => {
	test("has its name and literal code", () => {
		expect(error.name).toBe(name);
		expect(error.code).toBe(code);
		expect(error.message).toBe("m");
	});

	test("is an Error, a MessagingGatewayError and branded", () => {
		expect(error).toBeInstanceOf(Error);
		expect(error).toBeInstanceOf(errors.MessagingGatewayError);
		expect(errors.isMessagingGatewayError(error)).toBe(true);
	});

	test("names its class in String() and on the first line of the stack", () => {
		expect(String(error)).toBe(`${name}: m`);
		expect(error.stack?.split("\n")[0]).toBe(`${name}: m`);
	});

	test("shows no body, details or duplicate text in inspection, JSON, String() or its own keys", () => {
		const shown = [
			inspect(error, { showHidden: false, depth: 10 }),
			JSON.stringify(error),
			String(error),
			JSON.stringify({ ...error }),
			JSON.stringify(structuredClone(Object.assign({}, error))),
		].join("\n");
		expect(shown).not.toContain("private");
	});

	test("becomes JSON with its name, message, code and public fields, without a stack", () => {
		const json = JSON.parse(JSON.stringify(error)) as Record<string, unknown>;
		expect(json).toMatchObject({ name, message: "m", code });
		expect(json).not.toHaveProperty("stack");
		expect(json).not.toHaveProperty("cause");
		if (error instanceof errors.CallError) expect(json).toMatchObject(call);
	});
});

describe("the data of call errors", () => {
	const withBody = cases.filter(([, , error]) => "readBody" in error);

	test("11 errors and the shape error come from a response", () => {
		expect(withBody).toHaveLength(11);
	});

	test.each(withBody)("%s gives the body on demand, with status and request id", (_name, _code, error) => {
		const withBody = error as errors.ServerError;
		expect(withBody.readBody()).toBe("private body");
		expect(withBody).toMatchObject({ status: 418, requestId: "r-1" });
	});

	test("an API error has the gateway's code, details, field errors and wait", () => {
		const error = new errors.BadRequestError("m", api);
		expect(error).toBeInstanceOf(errors.ApiError);
		expect(error).toMatchObject({ gatewayCode: "SOME_CODE", retryAfterMs: 1_500 });
		expect(error.details).toBe(api.details);
		expect(error.fieldErrors).toBe(api.details);
	});

	test.each([[undefined], [{ limit: 5 }]])("there are no field errors in details of %j", (details) => {
		const error = new errors.ConflictError("m", { ...api, details });
		expect(error.fieldErrors).toEqual([]);
		expect(error.details).toBe(details);
	});

	test("a duplicate waits for the rest of its window, rounded up, unless the gateway sets another wait", () => {
		const quiet = { ...api, retryAfterMs: undefined };
		expect(new errors.DuplicateMessageError("m", quiet, duplicate).retryAfterMs).toBe(12_001);
		expect(new errors.DuplicateMessageError("m", api, duplicate).retryAfterMs).toBe(1_500);
		expect(new errors.DuplicateMessageError("m", api, duplicate).duplicate).toBe(duplicate);
	});

	test("a time-out names its limit", () => {
		const error = new errors.TimeoutError("m", call, { scope: "call", limitMs: 60_000 });
		expect(error).toMatchObject({ scope: "call", limitMs: 60_000, outcome: "unknown", attempts: 2 });
	});

	test("errors before sending have the outcome not_sent", () => {
		expect(new errors.ConfigurationError("m").outcome).toBe("not_sent");
		expect(new errors.InputError("m").outcome).toBe("not_sent");
		expect(new errors.InputError("m").issues).toEqual([]);
	});

	/** Thrown by what only signs, or verifies what somebody else sent: no call has them. */
	const withoutCall = ["CanonicalJsonError", "RequestVerificationError", "WebhookVerificationError"];

	test.each(cases.filter(([name]) => !withoutCall.includes(name)))(
		"%s has an outcome",
		(name, _code, error) => {
			const outcome = error instanceof errors.CallError ? "unknown" : "not_sent";
			expect(JSON.parse(JSON.stringify(error))).toMatchObject({ name, outcome });
		},
	);

	test("a cause is kept, out of the JSON", () => {
		const cause = new Error("private cause");
		const error = new errors.ConnectionError("m", call, { cause });
		expect(error.cause).toBe(cause);
		expect(JSON.stringify(error)).not.toContain("private");
	});
});

describe("isMessagingGatewayError", () => {
	test.each([
		["undefined", undefined],
		["null", null],
		["a text", "ConfigurationError"],
		["a plain Error", new Error("m")],
		["an object that looks alike", { name: "ConfigurationError", code: "configuration", message: "m" }],
		["a class", errors.ConfigurationError],
	])("is false for %s", (_title, value) => {
		expect(errors.isMessagingGatewayError(value)).toBe(false);
	});
});
