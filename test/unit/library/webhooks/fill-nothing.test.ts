import { verifyWebhook } from "messaging-gateway/webhooks";
import { describe, expect, test } from "vitest";
import { deliver, receiver } from "../../../support/webhook-delivery.ts";
import { inboundMessage, inboundReaction, statusUpdate } from "../../../support/webhook-payloads.ts";

function receive(payload: object) {
	return verifyWebhook(deliver(JSON.stringify(payload)), receiver());
}

const message = { ...inboundMessage, attachments: [{ name: "a.png" }] };
const { from, to } = message;
/** Leaves a field out of a payload: JSON has no `undefined`. */
const absent = undefined;

test.each<[title: string, payload: object, changed: object, filled: object]>([
	["no text beside attachments", message, { text: absent }, { text: "" }],
	["a null for no text beside attachments", message, { text: null }, { text: "" }],
	["no attachments beside a text", inboundMessage, { attachments: absent }, { attachments: [] }],
	["a null for an empty list", inboundMessage, { attachments: null }, { attachments: [] }],
	["no participants", message, { participants: absent }, { participants: [] }],
	["a null for no participants", inboundReaction, { participants: null }, { participants: [] }],
	["no direction of a message, which omitempty drops", message, { outbound: absent }, { outbound: false }],
	["no group between two", message, { groupId: absent }, { groupId: null }],
	["no group of a reaction", inboundReaction, { groupId: absent }, { groupId: null }],
	[
		"no group, where the one participant is the contact",
		message,
		{ groupId: absent, participants: [from] },
		{ groupId: null },
	],
	["no original text", inboundReaction, { originalText: absent }, { originalText: "" }],
	["a null for no original text", inboundReaction, { originalText: null }, { originalText: "" }],
	["no error", statusUpdate, { error: absent }, { error: null }],
	["no callback", statusUpdate, { status_callback: absent }, { status_callback: null }],
	["no text of a status", statusUpdate, { text: absent }, { text: "" }],
	["a null for no text of a status", statusUpdate, { text: null }, { text: "" }],
	["no attachments of a status", statusUpdate, { attachments: absent }, { attachments: [] }],
	["no group of a status", statusUpdate, { groupId: absent }, { groupId: null }],
	[
		"a fraction of a millisecond",
		message,
		{ timestamp_ms: 1767225600123.5 },
		{ timestamp_ms: 1767225600124 },
	],
	[
		"all that Swift leaves out of a status",
		statusUpdate,
		{ groupId: absent, status_callback: absent, error: absent },
		{ groupId: null, status_callback: null, error: null },
	],
	[
		"all that Go leaves out of a picture",
		message,
		{ text: absent, outbound: absent, groupId: absent },
		{ text: "", outbound: false, groupId: null },
	],
	[
		"a status that says so, without its direction's help",
		{ ...statusUpdate, type: "status", outbound: false },
		{ error: absent },
		{ error: null },
	],
])("%s: is filled and named, and the event is known", (_title, payload, changed, filled) => {
	const written = { ...payload, ...changed };
	const event = receive(written);
	expect(event.kind).toBe("status" in payload ? "status" : "type" in payload && payload.type);
	expect(event.data).toEqual({ ...payload, ...changed, ...filled });
	expect(event.filled.toSorted()).toEqual(Object.keys(filled).toSorted());
});

test.each([null, "status"])("a status may have the type %s", (type) => {
	const payload = { ...statusUpdate, type };
	expect(receive(payload)).toMatchObject({ kind: "status", data: payload, filled: [] });
});

// Each of them would be lost, or answered wrongly, by a looser rule.
describe("what is not certainly nothing stays unknown, and names the field", () => {
	const received = { ...inboundMessage, type: absent, status: "RECEIVED" };

	test.each<[title: string, payload: object, issue: string]>([
		[
			"a text under another name, beside an empty list",
			{ ...inboundMessage, text: absent, body: "hello" },
			"text is missing",
		],
		[
			"a text under another name, without a list",
			{ ...inboundMessage, text: absent, attachments: absent, body: "hello" },
			"text is missing, attachments is missing",
		],
		[
			"attachments under another name, beside an empty text",
			{ ...inboundMessage, text: "", attachments: absent, media: [{}] },
			"attachments is missing",
		],
		[
			"attachments under another name, beside U+FFFC",
			{ ...inboundMessage, text: "\uFFFC", attachments: absent, media: [{}] },
			"attachments is missing",
		],
		[
			"attachments under another name, beside whitespace",
			{ ...inboundMessage, text: " ", attachments: absent, media: [{}] },
			"attachments is missing",
		],
		[
			"a text under another name, beside a list of nothing",
			{ ...inboundMessage, text: absent, attachments: [null], body: "hello" },
			"text is missing",
		],
		[
			"a message with a status and no type",
			{ ...received, accountId: absent },
			"status_callback is missing, error is missing",
		],
		["a status without a direction", { ...statusUpdate, outbound: absent }, "outbound is missing"],
		[
			"a status of something inbound, without its error",
			{ ...statusUpdate, outbound: false, error: absent },
			"error is missing",
		],
		["a reaction without a direction", { ...inboundReaction, outbound: absent }, "outbound is missing"],
		[
			"no group, where a third person is there",
			{ ...message, groupId: absent, participants: [from, to, "+15550009999"] },
			"groupId is missing",
		],
		[
			"no group, where nobody is named",
			{ ...message, groupId: absent, participants: [] },
			"groupId is missing",
		],
		[
			"no group, where a participant and the receiver are null",
			{ ...message, groupId: absent, to: null, participants: [from, null] },
			"to must be a string, participants.1 must be a string, groupId is missing",
		],
		[
			"no group, where participants are written in another way",
			{ ...message, groupId: absent, participants: ["15551234567"] },
			"groupId is missing",
		],
		[
			"no group and no participants",
			{ ...message, groupId: absent, participants: absent },
			"groupId is missing",
		],
		["a text that is a number", { ...message, text: 5 }, "text must be a string"],
		["a list that is an object", { ...message, attachments: {} }, "attachments must be an array"],
		["a list that is a string", { ...message, participants: "" }, "participants must be an array of string"],
		["a direction that is a word", { ...message, outbound: "false" }, "outbound must be a boolean"],
		["a message without an id", { ...message, messageId: absent }, "messageId is missing"],
		["a status without an id", { ...statusUpdate, messageId: absent }, "messageId is missing"],
		["a reaction without its value", { ...inboundReaction, reaction: null }, "reaction must be a string"],
		["no time", { ...message, timestamp_ms: null }, "timestamp_ms must be an integer within 2^53"],
		[
			"a time in seconds",
			{ ...message, timestamp_ms: 1767225600.123 },
			"timestamp_ms must be an integer within 2^53",
		],
		[
			"a time that is a string",
			{ ...message, timestamp_ms: "1767225600123" },
			"timestamp_ms must be an integer within 2^53",
		],
	])("%s", (_title, payload, issue) => {
		const event = receive(payload);
		expect(event).toMatchObject({ kind: "unknown", reason: "schema" });
		const issues = event.kind === "unknown" ? event.issues : [];
		expect(issues.map(({ path, message: says }) => `${path} ${says}`).join(", ")).toBe(issue);
		expect(event.data).toEqual(JSON.parse(JSON.stringify(payload)));
	});

	test.each([
		["a time beyond 2^53", JSON.stringify(message).replace("1767225600123", "1767225600123456789")],
		["an id with a fraction", JSON.stringify({ ...message, messageId: 1767225600123.5 })],
	])("%s is not rounded", (_title, body) => {
		expect(verifyWebhook(deliver(body), receiver())).toMatchObject({ kind: "unknown", filled: [] });
	});

	test("its data stays as it came, and what is narrowed is filled", () => {
		const payload = { ...message, text: 5, outbound: null, groupId: absent };
		const event = receive(payload);
		expect(event.data).toEqual(JSON.parse(JSON.stringify(payload)));
		const { text: _text, ...fitting } = message;
		expect(event).toMatchObject({ filled: ["outbound", "groupId"], narrowed: { kind: "inbound_message" } });
		expect(event.kind === "unknown" && event.narrowed?.data).toEqual(fitting);
	});
});
