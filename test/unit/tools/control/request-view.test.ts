import { describe, expect, test } from "vitest";
import { toRequestDetails, toRequestView } from "../../../../src/tools/control/request-view.ts";
import type { HandledRequest } from "../../../../src/tools/local-gateway/traffic.ts";
import { testOutcomes } from "../../../support/outcomes.ts";

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

test("a view has neither headers nor bodies", () => {
	expect(toRequestView(REQUEST)).toStrictEqual({
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

test("a view has nothing that a request has not", () => {
	const { operationId: _, status: __, ...request } = REQUEST;
	expect(Object.keys(toRequestView({ ...request, probe: true })).sort()).toEqual(
		["requestId", "sequence", "at", "method", "path", "durationMs", "probe"].sort(),
	);
});

test("a view has what its context says", () => {
	expect(toRequestView(REQUEST, { conversationKey: "+1" })).toMatchObject({ conversationKey: "+1" });
});

test("details have headers, bodies, and the result of a signature check if there was one", () => {
	const view = toRequestView(REQUEST);
	const { query, headers, body, responseBody } = REQUEST;
	expect(toRequestDetails(REQUEST, view)).toStrictEqual({ ...view, query, headers, body, responseBody });
	expect(toRequestDetails({ ...REQUEST, signature: "accepted" }, view)).toMatchObject({
		signature: "accepted",
	});
});

describe("the error of a response is", () => {
	const FIELDS = [{ field: "to", issue: "invalid", message: "must be E.164" }];
	const envelope = (details?: unknown) =>
		JSON.stringify({ ok: false, error: { code: "A", message: "See details.", details } });

	testOutcomes<readonly [body: string | null, status?: number]>(
		{
			"A: See details. []": {
				"that of the envelope": [envelope()],
				"that of a 400": [envelope(), 400],
				"that of an envelope with other details": [envelope({ reason: "X" })],
			},
			'A: See details. ["to must be E.164"]': { "that of the envelope, with its fields": [envelope(FIELDS)] },
			none: {
				"none, if there was no body": [null],
				"none of an empty body": [""],
				"none of a page": ["<html>"],
				"none of null": ["null"],
				"none of an error in words": ['{"error":"no"}'],
				"none without a code in words": ['{"error":{"code":1,"message":"x"}}'],
				"none without a message": ['{"error":{"code":"A"}}'],
				"none of a success": [envelope(), 200],
				"none of a redirect": [envelope(), 399],
			},
		},
		([responseBody, status = 422]) => {
			const { error } = toRequestView({ ...REQUEST, responseBody, status });
			return error === undefined ? "none" : `${error.code}: ${error.message} ${JSON.stringify(error.fields)}`;
		},
	);

	test("none, if there was no response", () => {
		const { status: _, ...request } = REQUEST;
		expect(toRequestView({ ...request, responseBody: envelope() })).not.toHaveProperty("error");
	});
});
