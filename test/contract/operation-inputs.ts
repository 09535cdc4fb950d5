import { OPERATIONS, type OperationId } from "../../src/library/catalogue/index.ts";
import type { Outcomes } from "../support/outcomes.ts";

const to = "+15551234567";
const two = [to, "+15557654321"];
const url = "https://files.example/a.png";
const att = { url };
const data = { data: "AAAA", name: "a.m4a", mimeType: "audio/mp4" };
type Changes = Record<string, unknown>;

/** The changes of each operation as one list, each with its operation. */
function listChanges<Row extends unknown[]>(
	changes: Partial<Record<OperationId, Row[]>>,
): [id: OperationId, ...Row][] {
	return OPERATIONS.flatMap(({ id }) =>
		(changes[id] ?? []).map((row): [OperationId, ...Row] => [id, ...row]),
	);
}

const long = (length: number): string => "x".repeat(length);

/** Changes to the sample that stay valid; `undefined` removes a field. */
export const ACCEPTED_CHANGES = listChanges<[title: string, changes: Changes]>({
	"messages.sendText": [
		["18,996 code units", { text: long(18_996) }],
		["18,996 code units of emoji", { text: "🎉".repeat(9_498) }],
		["a text of white space", { text: " " }],
		["a group", { to: undefined, groupId: "g" }],
		["32 participants and a name", { to: undefined, participants: Array(32).fill(to), groupName: "n" }],
		["an effect that is new", { effect: "sparkle" }],
		["all options", { from: to, effect: "slam", replyToGuid: "g", statusCallback: "http://localhost:1/x" }],
		["the shortest number", { to: "+1234567" }],
		["an e-mail address", { to: "Ana.Maria+news@mail.icloud.example" }],
		["an e-mail address outside ASCII", { to: "jürgen@straße.example" }],
		["the longest e-mail address", { to: `${long(64)}@${long(181)}.example` }],
		["the shortest code", { to: "123" }],
		["the longest code", { to: "123456" }],
		["a group of all three", { to: undefined, participants: [to, "ana@icloud.example", "88022"] }],
		["the longest number", { to: "+123456789012345" }],
	],
	"messages.sendAttachments": [
		["ten attachments with a text", { attachments: Array(10).fill(att), text: "t" }],
		["both kinds", { attachments: [{ ...att, name: "n", mimeType: "image/svg+xml" }, data] }],
	],
	"messages.sendVoiceNote": [["a URL", { attachment: att }]],
	"messages.tapback": [
		["an emoji", { reaction: "👩‍👩‍👧‍👦" }],
		["removal, and the first part", { action: "remove", partIndex: 0 }],
	],
	"messages.typing": [
		["1 ms in a group", { to: undefined, groupId: "g", durationMs: 1 }],
		["stop without a duration", { state: "stop", durationMs: undefined }],
	],
	"messages.markRead": [["up to a message", { messageGuid: "guid-1" }]],
	"messages.get": [["an id of any form", { messageId: "m/1 ü" }]],
	"agents.register": [["name and threshold", { name: "Desk 1", maxConsecutiveMessages: 1 }]],
	"agents.list": [
		["the limits of a page", { limit: 1, cursor: long(1_024), status: "online" }],
		["100 items and a status that is new", { limit: 100, status: "dozing" }],
	],
	"agents.reassign": [["from a named agent", { fromAgentNumber: to }]],
	"agents.block": [["a reason", { reason: "spam" }]],
	"mappings.list": [["of one agent", { agentNumber: to, limit: 50 }]],
	"mappings.create": [["everything", { agentNumber: to, maxConsecutiveMessages: 1_000 }]],
	"settings.setWebhooks": [
		["nothing to change", { inboundWebhookUrl: undefined }],
		["empty and null to unset", { inboundWebhookUrl: "", statusWebhookUrl: null }],
		["both, one in upper case", { statusWebhookUrl: "HTTP://localhost:8080/s" }],
	],
	"analytics.listMessages": [
		["everything", { agentNumber: to, after: 0, before: 1767225600123, limit: 100, cursor: "c" }],
	],
	"analytics.listContacts": [["of one agent", { agentNumber: to }]],
	"analytics.getNumberStats": [["a span", { after: 1, before: 2 }]],
	"queue.getStatus": [["of one agent", { agentNumber: to }]],
});

const CONTACT =
	"must be an e-mail address, a short code of 3 to 6 digits, or a number in E.164: + and 7 to 15 digits, such as +15551234567";
const NUMBER = "must be an E.164 number: + and 7 to 15 digits, such as +15551234567";

/** Changes to the sample of an operation, by the issues that its input has then. */
export const REJECTED_INPUTS: Outcomes<readonly [id: OperationId, changes: Changes]> = {
	"must have exactly one of to, groupId, participants": {
		"no target": ["messages.sendText", { to: undefined }],
		"two targets": ["messages.sendText", { groupId: "g" }],
		"three targets": ["messages.sendText", { groupId: "g", participants: two }],
	},
	"groupName is only allowed with participants": {
		"a name for one contact": ["messages.sendText", { groupName: "n" }],
		"a name for a group that exists": ["messages.sendText", { to: undefined, groupId: "g", groupName: "n" }],
	},
	"participants must be two contacts or more": {
		"one participant": ["messages.sendText", { to: undefined, participants: [to] }],
	},
	[`participants.1 ${CONTACT}`]: {
		"a participant without a plus": [
			"messages.sendText",
			{ to: undefined, participants: [to, "15551234567"] },
		],
	},
	"text is missing": {
		"no text": ["messages.sendText", { text: undefined }],
	},
	"text must not be empty": {
		"an empty text": ["messages.sendText", { text: "" }],
		"an empty text with attachments": ["messages.sendAttachments", { text: "" }],
	},
	"text must be a string": {
		"a text that is a number": ["messages.sendText", { text: 5 }],
	},
	[`to ${CONTACT}`]: {
		"a number with 6 digits": ["messages.sendText", { to: "+123456" }],
		"a number with 16 digits": ["messages.sendText", { to: "+1234567890123456" }],
		"a number that starts with 0": ["messages.sendText", { to: "+0123456789" }],
		"a number with spaces": ["messages.sendText", { to: "+1 555 123 4567" }],
		"a number with a newline": ["messages.sendText", { to: `${to}\n` }],
		"a code with two digits": ["messages.sendText", { to: "12" }],
		"a code with seven digits": ["messages.sendText", { to: "1234567" }],
		"an address without a dot in its domain": ["messages.sendText", { to: "a@b" }],
		"an address with a space": ["messages.sendText", { to: "ana @icloud.example" }],
		"an address with its name": ["messages.sendText", { to: "Ana<ana@icloud.example>" }],
		"an address with two signs": ["messages.sendText", { to: "ana@x@icloud.example" }],
		"an address with a newline": ["messages.sendText", { to: "ana@icloud.example\n" }],
		"an address with a control character": ["messages.sendText", { to: "ana\u0000@icloud.example" }],
		"an address of 255 characters": ["messages.sendText", { to: `${long(64)}@${long(182)}.example` }],
		"full-width digits": ["messages.sendText", { to: "+１５５５１２３４５６７" }],
	},
	"to must not be a sender's name, which is one-way; give an e-mail address, a short code of 3 to 6 digits, or a number in E.164: + and 7 to 15 digits, such as +15551234567":
		{
			"a sender's name": ["messages.sendText", { to: "ACME" }],
		},
	[`from ${NUMBER}`]: {
		"an address as the agent": ["messages.sendText", { from: "ana@icloud.example" }],
	},
	"to must be a string": {
		"a target that is null": ["messages.sendText", { to: null }],
	},
	"statusCallback must be an absolute http or https URL": {
		"a callback that is no web address": ["messages.sendText", { statusCallback: "javascript:alert(1)" }],
		"a callback without an origin": ["messages.sendText", { statusCallback: "/cb" }],
	},
	[`to ${CONTACT}; from ${NUMBER}; text must not be empty`]: {
		"several mistakes at once": ["messages.sendText", { to: "1", text: "", from: "2" }],
	},
	'has an unknown field: "status_callback" (did you mean "statusCallback"?)': {
		"the name on the wire": ["messages.sendText", { status_callback: url }],
	},
	"attachments must be at least 1 item": {
		"no attachment": ["messages.sendAttachments", { attachments: [] }],
	},
	"attachments.0.url must be an absolute http or https URL": {
		"an attachment from a file path": [
			"messages.sendAttachments",
			{ attachments: [{ url: "file:///etc/passwd" }] },
		],
	},
	"attachments.0 must be { url, name?, mimeType? } with an http(s) URL, or { data, name, mimeType }": {
		"an attachment of both kinds": ["messages.sendAttachments", { attachments: [{ ...att, ...data }] }],
		"data without a name": ["messages.sendAttachments", { attachments: [{ ...data, name: undefined }] }],
	},
	"attachments.1 must be { url, name?, mimeType? } with an http(s) URL, or { data, name, mimeType }": {
		"an attachment of no kind": ["messages.sendAttachments", { attachments: [att, {}] }],
	},
	"attachment.data must be base64": {
		"data that is not base64": ["messages.sendVoiceNote", { attachment: { ...data, data: "private!" } }],
		"data without its padding": ["messages.sendVoiceNote", { attachment: { ...data, data: "AAA" } }],
	},
	"attachment.data must not be empty": {
		"an attachment without data": ["messages.sendVoiceNote", { attachment: { ...data, data: "" } }],
	},
	"attachment.mimeType must be a media type, such as image/png": {
		"a media type without a slash": [
			"messages.sendVoiceNote",
			{ attachment: { ...data, mimeType: "audio" } },
		],
	},
	"messageGuid must not be empty": {
		"a tapback to no message": ["messages.tapback", { messageGuid: "" }],
		"an empty message to mark as read": ["messages.markRead", { messageGuid: "" }],
	},
	'action must be "add" or "remove"': {
		"another action than add and remove": ["messages.tapback", { action: "toggle" }],
	},
	"reaction must not be empty": {
		"an empty reaction": ["messages.tapback", { reaction: "" }],
	},
	"partIndex must be at least 0": {
		"a negative part": ["messages.tapback", { partIndex: -1 }],
	},
	"partIndex must be an integer": {
		"half a part": ["messages.tapback", { partIndex: 0.5 }],
	},
	"must have exactly one of to, groupId": {
		"no chat to type in": ["messages.typing", { to: undefined }],
		"two chats": ["messages.typing", { groupId: "g" }],
		"no chat to mark as read": ["messages.markRead", { groupId: undefined }],
	},
	'state must be "start" or "stop"': {
		"another state than start and stop": ["messages.typing", { state: "pause" }],
	},
	"durationMs must be at least 1": {
		"typing of 0 ms": ["messages.typing", { durationMs: 0 }],
	},
	"durationMs must be a number": {
		"typing for an infinite time": ["messages.typing", { durationMs: Number.POSITIVE_INFINITY }],
	},
	[`toNumber ${CONTACT}`]: {
		"a number with letters": ["messages.checkCapability", { toNumber: "+1555private" }],
		"an empty number": ["mappings.get", { toNumber: "" }],
		"dots for a number": ["mappings.reset", { toNumber: ".." }],
		"a path for a number": ["mappings.delete", { toNumber: "+15551234567/reset" }],
	},
	"messageId must not be empty": {
		"an empty message id": ["messages.get", { messageId: "" }],
	},
	"maxConsecutiveMessages must be at least 1": {
		"a threshold of 0": ["agents.register", { maxConsecutiveMessages: 0 }],
	},
	"name must not be empty": {
		"an empty name of an agent": ["agents.register", { name: "" }],
	},
	"limit must be at least 1": {
		"a page of 0 items": ["agents.list", { limit: 0 }],
	},
	"limit must be an integer": {
		"a page of half an item": ["agents.list", { limit: 1.5 }],
	},
	"limit must be a number": {
		"a page of '50' items": ["agents.list", { limit: "50" }],
	},
	"cursor must not be empty": {
		"an empty cursor": ["agents.list", { cursor: "" }],
	},
	[`agentNumber ${NUMBER}`]: {
		"a number without a plus": ["agents.get", { agentNumber: "15551234567" }],
		"an agent that is no number": ["mappings.list", { agentNumber: "private" }],
		"an agent that is empty": ["queue.getStatus", { agentNumber: "" }],
	},
	"userNumber is missing": {
		"no user to assign": ["agents.assign", { userNumber: undefined }],
		"no user to map": ["mappings.create", { userNumber: undefined }],
	},
	"agentNumber is missing": {
		"no agent": ["agents.assign", { agentNumber: undefined }],
	},
	"toAgentNumber is missing": {
		"no new agent": ["agents.reassign", { toAgentNumber: undefined }],
	},
	"fromAgentNumber must be a string": {
		"an old agent that is null": ["agents.reassign", { fromAgentNumber: null }],
	},
	"reason must not be empty": {
		"an empty reason": ["agents.block", { reason: "" }],
	},
	"has an unknown field (hidden, since a name may be a secret): use agentNumber": {
		"a reason to unblock": ["agents.unblock", { reason: "why" }],
	},
	"maxConsecutiveMessages is missing": {
		"an update of nothing": ["mappings.update", { maxConsecutiveMessages: undefined }],
	},
	"maxConsecutiveMessages must be an integer": {
		"a threshold of 1.5": ["mappings.update", { maxConsecutiveMessages: 1.5 }],
	},
	"maxConsecutiveMessages must be a number": {
		"a threshold that is NaN": ["mappings.update", { maxConsecutiveMessages: Number.NaN }],
	},
	"inboundWebhookUrl must be an absolute http or https URL, or empty to unset it": {
		"a URL of another protocol": ["settings.setWebhooks", { inboundWebhookUrl: "ftp://a.example" }],
		"a URL without a host": ["settings.setWebhooks", { inboundWebhookUrl: "https://" }],
	},
	"statusWebhookUrl must be an absolute http or https URL, or empty to unset it": {
		"a space for a URL": ["settings.setWebhooks", { statusWebhookUrl: " " }],
	},
	"statusWebhookUrl must be a string": {
		"a boolean for a URL": ["settings.setWebhooks", { statusWebhookUrl: false }],
	},
	"after must be 0 or more": {
		"a negative time": ["analytics.listMessages", { after: -1 }],
	},
	"before must be an integer": {
		"a time with a fraction": ["analytics.listMessages", { before: 0.5 }],
	},
	"after must be a number": {
		"a date for a time": ["analytics.listMessages", { after: new Date(0) }],
	},
	"has an unknown field (hidden, since a name may be a secret): use agentNumber, limit, cursor": {
		"a span of contacts": ["analytics.listContacts", { after: 1 }],
	},
	"has an unknown field (hidden, since a name may be a secret): use number, after, before": {
		"a page of statistics": ["analytics.getNumberStats", { limit: 5 }],
	},
};

/** The same, each with its operation. */
export const REJECTED_CHANGES = Object.values(REJECTED_INPUTS)
	.flatMap((rows) => Object.entries(rows))
	.map(([title, [id, changes]]) => [id, title, changes] as const);

/** Inputs that are valid, but more than a gateway is assumed to accept, with the field. */
export const EXCESSIVE_CHANGES = listChanges<[title: string, changes: Changes, paths: string[]]>({
	"messages.sendText": [
		["33 participants", { to: undefined, participants: Array(33).fill(to) }, ["participants"]],
		["18,997 code units", { text: long(18_997) }, ["text"]],
		["18,998 code units of emoji", { text: "🎉".repeat(9_499) }, ["text"]],
	],
	"messages.sendAttachments": [
		["a text of 18,998 code units of emoji", { text: "🎉".repeat(9_499) }, ["text"]],
		["11 attachments", { attachments: Array(11).fill(att) }, ["attachments"]],
	],
	"messages.tapback": [["a reaction of 1,025 code units", { reaction: long(1_025) }, ["reaction"]]],
	"messages.typing": [["300,001 ms", { durationMs: 300_001 }, ["durationMs"]]],
	"agents.list": [["101 items", { limit: 101 }, ["limit"]]],
	"messages.get": [["an id of 1,025 characters", { messageId: long(1_025) }, ["messageId"]]],
});
