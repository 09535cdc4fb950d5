import { gzipSync } from "node:zlib";
import { inboundMessage, inboundReaction, statusUpdate } from "./webhook-payloads.ts";

/**
 * Events as gateways and bridges write them, by what a receiver gets: the kind, what was filled or is not as documented,
 * whether it shows no chat, so that a queue cannot keep its order, and whether it proves the send that its callback names.
 * The third column is what a bot gets, if it is not the usual thing of the kind.
 */
export type Corpus = Readonly<
	Record<string, readonly (readonly [title: string, body: object | string | Uint8Array, bot?: string])[]>
>;

/** What stands for a send's own `status_callback`. */
export const CALLBACK = "callback";

const AGENT = inboundMessage.to;
const CONTACT = inboundMessage.from;
const absent = undefined;
const picture = { name: "IMG_0001.HEIC", mimeType: "image/heic", size: 812_345 };

const message = (changed: object) => ({ ...inboundMessage, ...changed });
const withPicture = (changed: object) => message({ text: "", attachments: [picture], ...changed });
const from = (sender: string) =>
	message({ from: sender, participants: [sender, AGENT], chatGuid: `any;-;${sender}` });
const reaction = (changed: object) => ({ ...inboundReaction, ...changed });
const status = (changed: object) => ({
	...statusUpdate,
	from: AGENT,
	to: CONTACT,
	status_callback: CALLBACK,
	...changed,
});
const withType = (payload: object, type: string) => ({ ...payload, type });
const text = (payload: object) => JSON.stringify(payload);

export const CORPUS: Corpus = {
	inbound_message: [
		["an e-mail sender", from("ana@icloud.example")],
		["a short-code sender", from("88022")],
		["an alphanumeric sender", from("ACME")],
		[
			"U+FFFC for a picture",
			withPicture({ text: "\uFFFC" }),
			'says "" with image IMG_0001.HEIC image/heic 812345',
		],
		["an empty text with a picture", withPicture({}), 'says "" with image IMG_0001.HEIC image/heic 812345'],
		["neither text nor picture, both written", message({ text: "", attachments: [] }), 'says ""'],
		[
			"attachments with MIME fields of a bridge",
			withPicture({ attachments: [{ mime_type: "image/png", filename: "a.png", totalBytes: 9 }] }),
			'says "" with image a.png image/png 9',
		],
		[
			"attachments with transfer names",
			withPicture({ attachments: [{ guid: "at_0", transferName: "a.png", content_type: "image/png" }] }),
			'says "" with image a.png image/png',
		],
		[
			"attachments that are URLs",
			withPicture({ attachments: ["https://files.example/1"] }),
			'says "" with file https://files.example/1',
		],
		["attachments in base64", withPicture({ attachments: ["/9j/4AAQSkZJRg=="] }), 'says "" with file'],
		[
			"a sticker without a type",
			withPicture({ attachments: [{ sticker: true }, null] }),
			'says "" with file, file',
		],
		[
			"an edited message under the documented type",
			message({ edited: true, dateEdited: 1767225660000, editedText: "Hi" }),
		],
		["a reply in a thread", message({ replyToGuid: "guid-0", threadOriginatorGuid: "guid-0" })],
		["an effect", message({ expressiveSendStyleId: "impact" })],
		["a text of a whole book", message({ text: "a".repeat(100_000) }), 'says "aaaaaaaaaaaa…'],
		["half an emoji", message({ text: "\ud83d" }), 'says "\\ud83d"'],
		["a NUL in a text", message({ text: "a\u0000b" }), 'says "a\\u0000b"'],
		["a time in whole seconds", message({ timestamp_ms: 1767225600 })],
		["a time in microseconds", message({ timestamp_ms: 1767225600123456 })],
		["a time of zero", message({ timestamp_ms: 0 }), 'says "Hello" when it was delivered'],
		["an empty group id", message({ groupId: "" })],
		[
			"a group",
			message({ groupId: "chat863", participants: [CONTACT, AGENT, "+15550009999"] }),
			'says "Hello" in a group',
		],
		[
			"a message of our own from another device",
			message({ outbound: true, from: AGENT, to: CONTACT }),
			"nothing",
		],
		["a message to oneself", message({ from: AGENT, to: AGENT, participants: [AGENT] }), "nothing"],
		["an id that is no UUID", message({ messageId: "p:0/4F2A-11" })],
		["a status beside the type", message({ status: "RECEIVED" })],
		[
			"fields of the network",
			message({ service: "SMS", country: "us", isFromMe: false, date: "2026-01-01T00:00:00Z" }),
		],
		[
			"a number beyond 2^53 in a field of its own",
			text(inboundMessage).replace("{", '{"rowId":9007199254740993,'),
		],
		["the same field twice, of which the last counts", text(inboundMessage).replace("{", '{"text":5,')],
		["JSON with line breaks", JSON.stringify(inboundMessage, null, "\t").replaceAll("\n", "\r\n")],
		["a line break behind the JSON", `${text(inboundMessage)}\n`],
		["letters as escapes", text(inboundMessage).replace("Hello", "\\u0048\\u0065llo")],
		["a byte order mark", `\uFEFF${text(inboundMessage)}`],
	],
	"inbound_message · filled text": [
		[
			"a picture whose text is null",
			withPicture({ text: null }),
			'says "" with image IMG_0001.HEIC image/heic 812345',
		],
		[
			"a picture whose text is left out",
			withPicture({ text: absent }),
			'says "" with image IMG_0001.HEIC image/heic 812345',
		],
	],
	"inbound_message · filled attachments": [
		["a text whose attachments are null", message({ attachments: null })],
		["a text whose attachments are left out", message({ attachments: absent })],
	],
	"inbound_message · filled participants": [["participants that are null", message({ participants: null })]],
	"inbound_message · filled groupId": [
		["nulls left out", message({ groupId: absent })],
		[
			"nulls left out, and the contact alone as participant",
			message({ groupId: absent, participants: [CONTACT] }),
		],
	],
	"inbound_message · filled outbound": [
		["a direction that is left out", message({ outbound: absent })],
		["a direction that is null", message({ outbound: null })],
	],
	"inbound_message · filled attachments, groupId, outbound": [
		[
			"a text as Go's omitempty writes it",
			message({ attachments: absent, groupId: absent, outbound: absent }),
		],
	],
	"inbound_message · filled groupId, outbound, text": [
		[
			"a picture as Go's omitempty writes it",
			withPicture({ text: absent, groupId: absent, outbound: absent }),
			'says "" with image IMG_0001.HEIC image/heic 812345',
		],
	],
	"inbound_message · filled timestamp_ms": [
		["a fraction of a millisecond", message({ timestamp_ms: 1767225600123.4 })],
	],
	inbound_reaction: [
		["a tapback", reaction({})],
		["a custom emoji", reaction({ reaction: "🦖" }), "adds 🦖"],
		["a removed tapback with a minus", reaction({ reaction: "-love" }), "removes heart"],
		["a removed tapback by name", reaction({ reaction: "remove_love" }), "removes heart"],
		["a removed tapback by a flag", reaction({ removed: true }), "removes heart"],
		["a removed tapback by a flag in a text", reaction({ removed: "true" }), "removes heart"],
		["a removed tapback by a number", reaction({ is_removed: 1 }), "removes heart"],
		["a removed tapback by its time", reaction({ dateRemoved: 1767225660000 }), "removes heart"],
		["a tapback that is not added, in a text", reaction({ added: "false" }), "removes heart"],
		["an added tapback by a flag in a text", reaction({ removed: "false", is_removed: 0 })],
		["an added tapback without a time", reaction({ dateRemoved: null, removed: "", dateAdded: null })],
		["an action that is an object without a text", reaction({ action: { toString: null } })],
		["a removed tapback by an action", reaction({ action: "removed" }), "removes heart"],
		["a removed tapback by a word", reaction({ reaction: "removed love" }), "removes heart"],
		["a removed tapback by an operation", reaction({ operation: "remove" }), "removes heart"],
		["a tapback that is not added", reaction({ is_added: false }), "removes heart"],
		[
			"an added tapback that only resembles a removed one",
			reaction({ reaction: "self-love", removedAt: true, action: "not removed", interaction: "removed" }),
			"adds self-love",
		],
		["an added tapback that says so", reaction({ removed: false, action: "added", isAdded: true })],
		["an emoji of a family", reaction({ reaction: "👩🏽‍👩🏿‍👧🏻‍👦🏾" }), "adds 👩🏽‍👩🏿‍👧🏻‍👦🏾"],
		["a text for a tapback", reaction({ reaction: "a".repeat(10_000) }), "unknown"],
		["a part of a message", reaction({ originalMessageGuid: "p:0/guid-0" })],
		["a tapback in capitals", reaction({ reaction: "LOVE" })],
		["our own tapback", reaction({ outbound: true, from: AGENT, to: CONTACT }), "nothing"],
	],
	"inbound_reaction · filled originalText": [
		["a tapback to a picture", reaction({ originalText: null })],
		["a tapback whose original text is left out", reaction({ originalText: absent })],
	],
	"inbound_reaction · filled groupId": [["a tapback with nulls left out", reaction({ groupId: absent })]],
	"status · proves the send": [
		["sent", status({ status: "sent" })],
		["read before delivered", status({ status: "read" })],
		["a status in capitals", status({ status: "DELIVERED" })],
		["a status in title case", status({ status: "Delivered" })],
		["a fallback", status({ status: "SMS_FALLBACK" })],
		["a status that nobody knows", status({ status: "carrier_filtered" })],
		["a failure with a sentence", status({ status: "failed", error: "unreachable" })],
		["a failure with an object", status({ status: "failed", error: { code: 22, message: "no route" } })],
		["a failure with a number", status({ status: "failed", error: 22 })],
		["a failure with a list", status({ status: "failed", error: ["no route"] })],
		["the type status", withType(status({}), "status")],
		["a type that is null", status({ type: null })],
		["no guid yet, as an empty string", status({ status: "queued", chatGuid: "", messageGuid: "" })],
		["a direction that is false", status({ outbound: false, from: CONTACT, to: AGENT })],
	],
	status: [["a message that was sent elsewhere", status({ status_callback: null })]],
	"status · filled status_callback": [["a callback that is left out", status({ status_callback: absent })]],
	"status · filled error · proves the send": [
		["an error that is left out", status({ error: absent })],
		[
			"an error that is left out beside the type",
			withType(status({ error: absent, outbound: false, from: CONTACT, to: AGENT }), "status"),
		],
	],
	"status · filled error, groupId · proves the send": [
		["nulls left out of a status", status({ error: absent, groupId: absent })],
	],
	"status · filled attachments · proves the send": [["an empty list as null", status({ attachments: null })]],
	"status · filled attachments, error, groupId, text · proves the send": [
		[
			"a status as Go's omitempty writes it",
			status({ text: absent, attachments: absent, error: absent, groupId: absent }),
		],
	],
	"status · filled timestamp_ms · proves the send": [
		["a status with a fraction", status({ timestamp_ms: 1767225600123.9 })],
	],
	"unknown: text is missing": [
		["a text under another name", message({ text: absent, body: "Hello" })],
		["a content in parts", message({ text: absent, parts: [{ type: "text", value: "Hello" }] })],
	],
	"unknown: text must be a string": [
		["an unsent message", message({ text: null, isUnsent: true })],
		["a group that was renamed", message({ text: null, groupAction: "renamed", groupTitle: "Lunch" })],
		["a rich text", message({ text: { plain: "Hello", runs: [] } })],
		["a text that is a number", message({ text: 4711 })],
	],
	"unknown: attachments must be an array": [
		["attachments as an object", withPicture({ attachments: { 0: picture } })],
		["attachments as an empty string", message({ attachments: "" }), 'says "Hello"'],
	],
	"unknown: attachments is missing": [
		["media under another name", message({ text: "", attachments: absent, media: [picture] })],
	],
	"unknown: from must be a string · no chat": [["a number as a number", message({ from: 15551234567 })]],
	"unknown: from is missing · no chat": [
		["a sender as an object", message({ from: absent, sender: { address: CONTACT } })],
	],
	"unknown: participants must be an array of string": [
		["participants as a string", message({ participants: `${CONTACT},${AGENT}` }), 'says "Hello"'],
	],
	"unknown: participants.0 must be a string, participants.1 must be a string": [
		[
			"participants as objects",
			message({ participants: [{ address: CONTACT }, { address: AGENT }] }),
			'says "Hello"',
		],
	],
	"unknown: from must be a string": [
		["a sender as a number in a group", message({ from: 15551234567, groupId: "chat863" })],
	],
	"unknown: messageId must be a string, messageGuid is missing": [
		["no id of its own", message({ messageId: 4711, messageGuid: absent }), 'says "Hello" as evt_1'],
	],
	"unknown: originalMessageGuid is missing, accountId must be a string": [
		["a tapback to nothing", reaction({ originalMessageGuid: absent, accountId: 4711 })],
	],
	"unknown: originalText must be a string": [
		["a tapback to a rich text", reaction({ originalText: { plain: "Lunch?" } }), "adds heart"],
	],
	"unknown: groupId is missing · no chat": [
		[
			"nulls left out of a group of three",
			message({ groupId: absent, participants: [CONTACT, AGENT, "+15550009999"] }),
		],
		["nulls left out without participants", message({ groupId: absent, participants: [] })],
	],
	"unknown: messageGuid must be a string": [
		[
			"a guid that is null",
			message({ messageGuid: null }),
			'says "Hello" as sent:0f6c9d1e-3c55-4b8e-9a55-2f4f3d1c7a10',
		],
	],
	"unknown: nativeMessageNumber is missing": [
		[
			"the vendor's field without its profile",
			message({ nativeMessageNumber: absent, acmeMessageNumber: AGENT }),
			'says "Hello"',
		],
	],
	"unknown: accountId must be a string": [
		["an account as a number", message({ accountId: 4711 }), 'says "Hello"'],
	],
	"unknown: accountId is missing": [["no account", message({ accountId: absent }), 'says "Hello"']],
	"unknown: messageId must be a string": [
		["an id as a number", message({ messageId: 4711 }), 'says "Hello"'],
	],
	"unknown: timestamp_ms must be an integer within 2^53": [
		["an ISO time", message({ timestamp_ms: "2026-01-01T00:00:00Z" }), 'says "Hello" when it was delivered'],
		["digits in a string", message({ timestamp_ms: "1767225600123" }), 'says "Hello" when it was delivered'],
		[
			"seconds with a fraction",
			message({ timestamp_ms: 1767225600.123 }),
			'says "Hello" when it was delivered',
		],
		[
			"nanoseconds",
			text(inboundMessage).replace("1767225600123", "1767225600123456789"),
			'says "Hello" when it was delivered',
		],
	],
	"unknown: outbound must be a boolean · no chat": [
		["a direction as a word", message({ outbound: "false" })],
		["a direction as a digit", message({ outbound: 0 })],
	],
	"unknown: reaction must be a string": [
		["a sticker as tapback", reaction({ reaction: null })],
		["a tapback by number", reaction({ reaction: 2000 })],
	],
	"unknown: outbound is missing · no chat": [
		["a tapback as Go's omitempty writes it", reaction({ outbound: absent })],
	],
	"unknown: messageGuid is missing · proves the send": [
		["a status before there is a guid", status({ messageGuid: absent })],
	],
	"unknown: chatGuid must be a string · proves the send": [
		["a status before there is a chat", status({ chatGuid: null })],
	],
	"unknown: timestamp_ms must be an integer within 2^53 · proves the send": [
		["a status with an ISO time", status({ timestamp_ms: "2026-01-01T00:00:00Z" })],
	],
	"unknown: messageId is missing · proves the send": [
		["a status without its message's id", status({ messageId: absent })],
	],
	"unknown: error is missing · proves the send": [
		[
			"an inbound status with nulls left out",
			status({ error: absent, outbound: false, from: CONTACT, to: AGENT }),
		],
	],
	"unknown: status_callback is missing, error is missing": [
		["a message with a status and no type", message({ type: absent, status: "RECEIVED", accountId: absent })],
	],
	"unknown type": [
		["an edited message", withType(inboundMessage, "message_edited")],
		["an unsent message by type", { type: "message_unsent", messageGuid: "guid-1" }],
		["a participant who left", { type: "participant_removed", groupId: "chat863", participants: [AGENT] }],
		["a typing indicator", { type: "typing_indicator", display: true }],
		["the type in capitals", withType(inboundMessage, "INBOUND_MESSAGE")],
		["the type with dots", withType(inboundMessage, "message.received")],
		["a status by another type", withType(statusUpdate, "message_status")],
		["a status by number", status({ status: 3 })],
		["a status as an object", status({ status: { state: "delivered" } })],
		["a status under another name", status({ status: absent, state: "delivered" })],
		["an envelope", { data: inboundMessage, api_version: "v1" }],
		["an envelope in a type", { type: "event", event: inboundMessage }],
		["a test delivery", { ping: true }],
		["nothing", {}],
	],
	"500 several_events": [
		["a batch of events", text([inboundMessage, statusUpdate])],
		["a batch of one", text([inboundMessage])],
		["an empty batch", "[]"],
	],
	"400 invalid_json": [
		["gzip", gzipSync(text(inboundMessage))],
		["a form", new URLSearchParams({ payload: text(inboundMessage) }).toString()],
		["a form of fields", "From=%2B15551234567&Body=Hello"],
		["Latin-1", Buffer.from(text(message({ text: "Grüße" })), "latin1")],
		["UTF-16", Buffer.from(text(inboundMessage), "utf16le")],
		["JSON in JSON", text(inboundMessage).replace(/.*/, (json) => JSON.stringify(json))],
		["one event a line", `${text(inboundMessage)}\n${text(statusUpdate)}\n`],
		["Python's NaN", text(inboundMessage).replace("1767225600123", "NaN")],
		["a comma too many", text(inboundMessage).replace(/}$/, ",}")],
		["nothing at all", ""],
	],
};
