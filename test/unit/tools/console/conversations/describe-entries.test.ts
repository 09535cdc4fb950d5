import { describe, expect, test } from "vitest";
import {
	describeAnswer,
	describeContent,
	describeDelivery,
	describeKind,
	describeNextAttempt,
	describeRequest,
	describeSignature,
	findFailure,
	findRelatedMessageId,
	isAcknowledged,
	isRejected,
	nameOf,
} from "../../../../../src/tools/console/conversations/state/describe-entries.ts";
import { indentJson } from "../../../../../src/tools/console/parts/json-value.ts";
import type { DeliveryView, FailureDiagnosis } from "../../../../../src/tools/control/contract.ts";
import {
	attemptView,
	CONTACT,
	deliveryView,
	messageView,
	requestDetails,
	requestView,
} from "../../../../support/console-views.ts";

const diagnosis: FailureDiagnosis = {
	cause: "signature_rejected",
	reason: "The receiver has another secret.",
	fix: "Copy it.",
	remedies: [],
};
const nextAttemptAt = new Date(2026, 0, 5, 14, 32, 10).getTime();
const STATUSES = [199, 200, 204, 299, 300, 304, 400, 500];

describe("a delivery", () => {
	const refused = [attemptView({ error: "refused" })];
	const rejected = [attemptView({ status: 401 })];
	const accepted = [attemptView({ status: 200 })];

	test.each<[tone: string, outcome: string, fields: Partial<DeliveryView>]>([
		["muted", "200", { state: "delivered", attempts: accepted }],
		[
			"muted",
			"204 · 2 attempts",
			{ state: "delivered", attempts: [...refused, attemptView({ status: 204 })] },
		],
		["muted", "waiting its turn", {}],
		["muted", "kept", { state: "kept", url: "" }],
		[
			"bad",
			"401 · signature rejected · next attempt due at 14:32:10",
			{ attempts: rejected, diagnosis, nextAttemptAt },
		],
		[
			"bad",
			"signature rejected · given up after 1 attempt",
			{ state: "failed", attempts: refused, diagnosis },
		],
		["bad", "refused · trying again", { attempts: refused }],
		["warn", "200 · signature rejected", { state: "delivered", attempts: accepted, diagnosis }],
	])("has a line that is %s: %s", (tone, outcome, fields) => {
		const delivery = deliveryView({ kind: "inbound_message", ...fields });
		expect(describeDelivery(delivery)).toMatchObject({ arrow: "→", name: "inbound_message", tone, outcome });
	});

	test.each([
		["Your app answers · 200 · 8 ms", { status: 200, durationMs: 8 }],
		["Not acknowledged · 404 · 1.20 s", { status: 404, durationMs: 1_200 }],
		["Not acknowledged · refused", { error: "refused" }],
		["Not acknowledged · signature rejected", { error: "refused", diagnosis }],
	])("has an attempt whose response is: %s", (words, fields) => {
		expect(describeAnswer(attemptView(fields))).toBe(words);
	});

	test("has the duration of its last attempt", () => {
		const attempts = [attemptView({ durationMs: 9 }), attemptView({ status: 200, durationMs: 4_100 })];
		expect(describeDelivery(deliveryView({ attempts })).durationMs).toBe(4_100);
	});

	test.each<[string | undefined, Partial<DeliveryView>]>([
		["first attempt under way", { headers: { "x-timestamp": "0" } }],
		["first attempt due at 14:32:10", { nextAttemptAt }],
		["given up after 6 attempts", { state: "failed", attempts: Array(6).fill(attemptView()) }],
		[undefined, { state: "delivered" }],
	])("says what happens next: %s", (words, fields) => {
		expect(describeNextAttempt(deliveryView(fields))).toBe(words);
	});

	test.each([
		['{"text":"Hello,\\n  you"}', "Hello, you"],
		['{"reaction":"love","text":"Liked it"}', "love"],
		['{"reaction":"love","removed":true}', "removed love"],
		['{"text":""}', ""],
		['{"text":5}', ""],
		["not JSON", ""],
		[`{"text":"${"a".repeat(500)}"}`, "a".repeat(120)],
	])("has the content of %j in one short line", (body, content) => {
		expect(describeContent(deliveryView({ body }))).toBe(content);
	});

	test("is acknowledged with any 2xx", () => {
		expect(STATUSES.filter((status) => isAcknowledged(attemptView({ status })))).toEqual([200, 204, 299]);
		expect(isAcknowledged(attemptView({ error: "refused" }))).toBe(false);
	});

	test("of a status names the status", () => {
		expect(describeKind(deliveryView())).toBe("status delivered");
		expect(describeKind(deliveryView({ body: String.raw`{ "status" : "s\u0065nt"}` }))).toBe("status sent");
		for (const body of ["{}", '{"status":["a"]}', '{"status":"a b"}', '"status":"sent"'])
			expect(describeKind(deliveryView({ body }))).toBe("status");
		expect(describeKind(deliveryView({ kind: "inbound_message" }))).toBe("inbound_message");
	});

	test("has an indented body, or an unchanged one if it isn't JSON", () => {
		expect(indentJson('{"a":[1]}')).toBe('{\n  "a": [\n    1\n  ]\n}');
		expect(indentJson("<html>")).toBe("<html>");
	});
});

describe("a request", () => {
	test("has a line with the operation, or else method and path, and the cause", () => {
		expect(describeRequest(requestView({ status: 200, operationId: "agents.list" }))).toEqual({
			arrow: "←",
			name: "agents.list",
			outcome: "200",
			tone: "muted",
			durationMs: 1,
		});
		const unknown = { status: 404, diagnosis: { ...diagnosis, cause: "unknown_path" } } as const;
		expect(describeRequest(requestView(unknown))).toMatchObject({
			name: "GET /nothing",
			outcome: "404 · unknown path",
			tone: "bad",
			reason: diagnosis.reason,
		});
		expect(describeRequest(requestView()).tone).toBe("bad");
	});

	test("is named by its operation, or by method and path", () => {
		expect([nameOf(requestDetails()), nameOf(requestView())]).toEqual(["messages.sendText", "GET /nothing"]);
	});

	test("is rejected with everything but 2xx", () => {
		expect(STATUSES.filter((status) => !isRejected({ status }))).toEqual([200, 204, 299]);
		expect(isRejected({})).toBe(true);
	});

	const reason = JSON.stringify({ error: { details: { reason: "NONCE_REPLAYED" } } });
	const { operationId: _, ...unknown } = requestDetails();

	test.each([
		["good", "was accepted.", requestDetails({ signature: "accepted" })],
		["bad", "was rejected: NONCE_REPLAYED.", requestDetails({ signature: "rejected", responseBody: reason })],
		["bad", "was rejected: unknown.", requestDetails({ signature: "rejected", responseBody: "<html>" })],
		["muted", "wasn't checked: no operation has this path and method.", unknown],
		["muted", "wasn't checked: the request has none.", requestDetails({ headers: {} })],
		["muted", "wasn't checked: the operation needs none, or a fault responded first.", requestDetails()],
	])("shows its signature as %s: %s", (tone, words, request) => {
		expect(describeSignature(request)).toEqual({ tone, text: `The signature ${words}` });
	});

	test.each([
		["the one that was sent", { data: { messageId: "m1" } }, "m1"],
		["the one in the data", { data: { message: { messageId: "m2" } } }, "m2"],
		["the one that blocks a duplicate", { error: { details: { messageId: "m3" } } }, "m3"],
		["none", { data: { agents: [] } }, undefined],
		["none of a response that isn't an object", [null], undefined],
	])("is about a message: %s", (_what, response, expected) => {
		expect(findRelatedMessageId(requestDetails({ responseBody: JSON.stringify(response) }))).toBe(expected);
	});
});

test("a failure is the reason, or the outcome without one", () => {
	const place = { sequence: 1, conversationKey: CONTACT };
	const failed = messageView({ status: "failed" });
	expect(findFailure({ kind: "message", ...place, message: failed })).toBe("The message failed.");
	expect(findFailure({ kind: "message", ...place, message: messageView() })).toBeUndefined();
	const delivery = deliveryView({ attempts: [attemptView({ status: 401 })], diagnosis });
	expect(findFailure({ kind: "webhook", ...place, delivery })).toBe(diagnosis.reason);
});
