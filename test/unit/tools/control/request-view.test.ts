import { expect, test } from "vitest";
import { toRequestView } from "../../../../src/tools/control/request-view.ts";
import type { HandledRequest } from "../../../../src/tools/local-gateway/traffic.ts";

const REQUEST: HandledRequest = {
	requestId: "req-1",
	sequence: 7,
	method: "POST",
	path: "/send",
	query: "?a=1",
	headers: { authorization: "HMAC ***" },
	body: '{"text":"secret"}',
	operationId: "messages.sendText",
	at: 1,
	status: 422,
	durationMs: 2,
	responseBody: null,
};

const error = (responseBody: string | null, status = 422) =>
	toRequestView({ ...REQUEST, responseBody, status }).error;

test("a view has neither headers nor bodies", () => {
	expect(toRequestView(REQUEST)).toEqual({
		requestId: "req-1",
		sequence: 7,
		at: 1,
		method: "POST",
		path: "/send",
		operationId: "messages.sendText",
		status: 422,
		durationMs: 2,
	});
});

test("the error is that of the envelope, with the invalid fields", () => {
	const details = [{ field: "to", issue: "invalid", message: "must be E.164" }];
	const envelope = { ok: false, error: { code: "VALIDATION_ERROR", message: "See details.", details } };
	expect(error(JSON.stringify(envelope))).toEqual({
		code: "VALIDATION_ERROR",
		message: "See details.",
		fields: ["to must be E.164"],
	});
	expect(error(JSON.stringify({ error: { ...envelope.error, details: { reason: "X" } } }))?.fields).toEqual(
		[],
	);
});

test.each([null, "", "<html>", "null", '{"error":"no"}', '{"error":{"code":1}}'])(
	"a response %j has no error to show",
	(body) => expect(error(body)).toBeUndefined(),
);

test("a successful response has none", () => {
	expect(error('{"error":{"code":"A","message":"b"}}', 200)).toBeUndefined();
});
