import { describe, expect, test } from "vitest";
import {
	describeSignature,
	findMessageId,
	isRejected,
	nameOf,
} from "../../../../../src/tools/console/conversations/state/describe-entries.ts";
import type { RequestDetails } from "../../../../../src/tools/control/contract.ts";

const details = (fields: Partial<RequestDetails> = {}): RequestDetails => ({
	requestId: "req-1",
	sequence: 1,
	at: 0,
	method: "POST",
	path: "/message/text",
	operationId: "messages.sendText",
	status: 202,
	durationMs: 3,
	query: "",
	headers: { authorization: "HMAC ***" },
	body: "{}",
	responseBody: null,
	...fields,
});

test("everything but 2xx counts as rejected", () => {
	const rejected = [undefined, 199, 200, 204, 299, 304, 400, 500].filter((status) =>
		isRejected(status === undefined ? {} : { status }),
	);
	expect(rejected).toEqual([undefined, 199, 304, 400, 500]);
});

test("a request is named by its operation, or by method and path", () => {
	const { operationId: _, ...unknown } = details({ path: "/nothing" });
	expect([nameOf(details()), nameOf(unknown)]).toEqual(["messages.sendText", "POST /nothing"]);
});

describe("the signature", () => {
	const responseBody = JSON.stringify({ error: { details: { reason: "NONCE_REPLAYED" } } });
	const { operationId: _, ...unknown } = details();

	test.each([
		["good", "The signature was accepted.", details({ signature: "accepted" })],
		["bad", "The signature was rejected: NONCE_REPLAYED.", details({ signature: "rejected", responseBody })],
		[
			"bad",
			"The signature was rejected: unknown.",
			details({ signature: "rejected", responseBody: "<html>" }),
		],
		["muted", "The signature was not checked: no operation has this path and method.", unknown],
		["muted", "The signature was not checked: the request has none.", details({ headers: {} })],
		[
			"muted",
			"The signature was not checked: the operation needs none, or a fault responded first.",
			details(),
		],
	])("is %s: %s", (tone, text, request) => expect(describeSignature(request)).toEqual({ tone, text }));
});

test.each([
	["the one that was sent", { data: { messageId: "m1" } }, "m1"],
	["the one in the data", { data: { message: { messageId: "m2" } } }, "m2"],
	["the one that blocks a duplicate", { error: { details: { messageId: "m3" } } }, "m3"],
	["none", { data: { agents: [] } }, undefined],
	["none of a response that is not an object", [null], undefined],
])("the message is %s", (_what, response, expected) => {
	expect(findMessageId(details({ responseBody: JSON.stringify(response) }))).toBe(expected);
});
