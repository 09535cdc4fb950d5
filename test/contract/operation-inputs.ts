import { OPERATIONS, type OperationId } from "../../src/library/catalogue/index.ts";

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

/** Changes to the sample that are refused, with the paths of the issues. */
export const REJECTED_CHANGES = listChanges<[title: string, changes: Changes, paths: string[]]>({
	"messages.sendText": [
		["no target", { to: undefined }, [""]],
		["two targets", { groupId: "g" }, [""]],
		["three targets", { groupId: "g", participants: two }, [""]],
		["a name for one contact", { groupName: "n" }, ["groupName"]],
		["a name for a group that exists", { to: undefined, groupId: "g", groupName: "n" }, ["groupName"]],
		["one participant", { to: undefined, participants: [to] }, ["participants"]],
		[
			"a participant without a plus",
			{ to: undefined, participants: [to, "15551234567"] },
			["participants.1"],
		],
		["no text", { text: undefined }, ["text"]],
		["an empty text", { text: "" }, ["text"]],
		["a text that is a number", { text: 5 }, ["text"]],
		["a number with 6 digits", { to: "+123456" }, ["to"]],
		["a number with 16 digits", { to: "+1234567890123456" }, ["to"]],
		["a number that starts with 0", { to: "+0123456789" }, ["to"]],
		["a number with blanks", { to: "+1 555 123 4567" }, ["to"]],
		["a number with a newline", { to: `${to}\n` }, ["to"]],
		["a code with two digits", { to: "12" }, ["to"]],
		["a code with seven digits", { to: "1234567" }, ["to"]],
		["a sender's name", { to: "ACME" }, ["to"]],
		["an address without a dot in its domain", { to: "a@b" }, ["to"]],
		["an address with a space", { to: "ana @icloud.example" }, ["to"]],
		["an address with its name", { to: "Ana<ana@icloud.example>" }, ["to"]],
		["an address with two signs", { to: "ana@x@icloud.example" }, ["to"]],
		["an address with a newline", { to: "ana@icloud.example\n" }, ["to"]],
		["an address with a control character", { to: "ana\u0000@icloud.example" }, ["to"]],
		["an address of 255 characters", { to: `${long(64)}@${long(182)}.example` }, ["to"]],
		["an address as the agent", { from: "ana@icloud.example" }, ["from"]],
		["full-width digits", { to: "+１５５５１２３４５６７" }, ["to"]],
		["a target that is null", { to: null }, ["to"]],
		["a callback that is no web address", { statusCallback: "javascript:alert(1)" }, ["statusCallback"]],
		["a callback without an origin", { statusCallback: "/cb" }, ["statusCallback"]],
		["several faults at once", { to: "1", text: "", from: "2" }, ["to", "from", "text"]],
		["the name on the wire", { status_callback: url }, [""]],
	],
	"messages.sendAttachments": [
		["no attachment", { attachments: [] }, ["attachments"]],
		[
			"an attachment from a file path",
			{ attachments: [{ url: "file:///etc/passwd" }] },
			["attachments.0.url"],
		],
		["an attachment of both kinds", { attachments: [{ ...att, ...data }] }, ["attachments.0"]],
		["an attachment of no kind", { attachments: [att, {}] }, ["attachments.1"]],
		["data without a name", { attachments: [{ ...data, name: undefined }] }, ["attachments.0"]],
		["an empty text", { text: "" }, ["text"]],
	],
	"messages.sendVoiceNote": [
		["data that is not base64", { attachment: { ...data, data: "private!" } }, ["attachment.data"]],
		["data without its padding", { attachment: { ...data, data: "AAA" } }, ["attachment.data"]],
		["no data", { attachment: { ...data, data: "" } }, ["attachment.data"]],
		["a media type without a slash", { attachment: { ...data, mimeType: "audio" } }, ["attachment.mimeType"]],
	],
	"messages.tapback": [
		["no message", { messageGuid: "" }, ["messageGuid"]],
		["another action", { action: "toggle" }, ["action"]],
		["an empty reaction", { reaction: "" }, ["reaction"]],
		["a negative part", { partIndex: -1 }, ["partIndex"]],
		["half a part", { partIndex: 0.5 }, ["partIndex"]],
	],
	"messages.typing": [
		["no chat", { to: undefined }, [""]],
		["two chats", { groupId: "g" }, [""]],
		["another state", { state: "pause" }, ["state"]],
		["0 ms", { durationMs: 0 }, ["durationMs"]],
		["an infinite time", { durationMs: Number.POSITIVE_INFINITY }, ["durationMs"]],
	],
	"messages.markRead": [
		["no chat", { groupId: undefined }, [""]],
		["an empty message", { messageGuid: "" }, ["messageGuid"]],
	],
	"messages.checkCapability": [["a number with letters", { toNumber: "+1555private" }, ["toNumber"]]],
	"messages.get": [["an empty id", { messageId: "" }, ["messageId"]]],
	"agents.register": [
		["a threshold of 0", { maxConsecutiveMessages: 0 }, ["maxConsecutiveMessages"]],
		["an empty name", { name: "" }, ["name"]],
	],
	"agents.list": [
		["0 items", { limit: 0 }, ["limit"]],
		["half an item", { limit: 1.5 }, ["limit"]],
		["items as a text", { limit: "50" }, ["limit"]],
		["an empty cursor", { cursor: "" }, ["cursor"]],
	],
	"agents.get": [["a number without a plus", { agentNumber: "15551234567" }, ["agentNumber"]]],
	"agents.assign": [
		["no user", { userNumber: undefined }, ["userNumber"]],
		["no agent", { agentNumber: undefined }, ["agentNumber"]],
	],
	"agents.reassign": [
		["no new agent", { toAgentNumber: undefined }, ["toAgentNumber"]],
		["an old agent that is null", { fromAgentNumber: null }, ["fromAgentNumber"]],
	],
	"agents.block": [["an empty reason", { reason: "" }, ["reason"]]],
	"agents.unblock": [["a reason", { reason: "why" }, [""]]],
	"mappings.get": [["an empty number", { toNumber: "" }, ["toNumber"]]],
	"mappings.list": [["an agent that is no number", { agentNumber: "private" }, ["agentNumber"]]],
	"mappings.create": [["no user", { userNumber: undefined }, ["userNumber"]]],
	"mappings.update": [
		["no change", { maxConsecutiveMessages: undefined }, ["maxConsecutiveMessages"]],
		["a threshold of 1.5", { maxConsecutiveMessages: 1.5 }, ["maxConsecutiveMessages"]],
		["a threshold that is NaN", { maxConsecutiveMessages: Number.NaN }, ["maxConsecutiveMessages"]],
	],
	"mappings.reset": [["dots for a number", { toNumber: ".." }, ["toNumber"]]],
	"mappings.delete": [["a path for a number", { toNumber: "+15551234567/reset" }, ["toNumber"]]],
	"settings.setWebhooks": [
		["another protocol", { inboundWebhookUrl: "ftp://a.example" }, ["inboundWebhookUrl"]],
		["no host", { inboundWebhookUrl: "https://" }, ["inboundWebhookUrl"]],
		["a blank", { statusWebhookUrl: " " }, ["statusWebhookUrl"]],
		["a boolean", { statusWebhookUrl: false }, ["statusWebhookUrl"]],
	],
	"analytics.listMessages": [
		["a negative time", { after: -1 }, ["after"]],
		["a time with a fraction", { before: 0.5 }, ["before"]],
		["a date", { after: new Date(0) }, ["after"]],
	],
	"analytics.listContacts": [["a span", { after: 1 }, [""]]],
	"analytics.getNumberStats": [["a page", { limit: 5 }, [""]]],
	"queue.getStatus": [["an agent that is empty", { agentNumber: "" }, ["agentNumber"]]],
});

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
