import { verifyWebhook, WebhookVerificationError } from "messaging-gateway/webhooks";
import { describe, expect, test } from "vitest";
import { type Outcomes, testOutcomes } from "../../../support/outcomes.ts";
import { deliver, receiver } from "../../../support/webhook-delivery.ts";
import { inboundMessage, inboundReaction, statusUpdate } from "../../../support/webhook-payloads.ts";
import { describeEvent } from "./described-event.ts";

function receive(payload: object | string | Uint8Array, options: object = {}) {
	const isRaw = typeof payload === "string" || payload instanceof Uint8Array;
	const body = isRaw ? payload : JSON.stringify(payload);
	return verifyWebhook(deliver(body), { ...receiver(), ...options });
}

/** What becomes of a payload, or a body, that is rightly signed. */
function outcomeOf(payload: object | string | Uint8Array): string {
	try {
		const event = receive(payload);
		const text = payload instanceof Uint8Array ? Buffer.from(payload).toString() : payload;
		const written = JSON.parse(typeof text === "string" ? text.replace(/^\ufeff/, "") : JSON.stringify(text));
		return describeEvent(event, written);
	} catch (error) {
		if (!(error instanceof WebhookVerificationError)) throw error;
		// A parser's error quotes what it has parsed.
		expect([error.cause, error.hiddenCause]).toEqual([undefined, undefined]);
		return `${error.status} ${error.code}: ${error.message}`;
	}
}

/** Leaves a field out of a payload: JSON has no `undefined`. */
const absent = undefined;
const message = (changed: object) => ({ ...inboundMessage, ...changed });
const withPicture = (changed: object) => message({ attachments: [{ name: "a.png" }], ...changed });
const reaction = (changed: object) => ({ ...inboundReaction, ...changed });
const status = (changed: object) => ({ ...statusUpdate, ...changed });
const { from, to } = inboundMessage;
const text = JSON.stringify(statusUpdate);

const NO_OBJECT = "400 invalid_json: the signature is right, but the body isn't a JSON object";
const GROUP_IS_MISSING = "unknown: groupId is missing";
const NO_TIME = "unknown: timestamp_ms must be an integer within 2^53";
const several = (count: number) =>
	`500 several_events: the signature is right, but the body is an array of ${count} events, which have one event id together`;

/** More than `CORPUS` of test/support has, which gateways write. */
const PAYLOADS: Outcomes<object | string | Uint8Array> = {
	inbound_message: {
		"a message as documented": inboundMessage,
		"fields that are new": message({ brandNew: { nested: [1] } }),
		"attachments of any shape": message({
			attachments: [{ url: "u" }, {}, "https://a.example/b.png", null, 5, [["a"]]],
		}),
		"a byte order mark in a text": message({ text: "a\ufeffb" }),
	},
	inbound_reaction: { "a reaction as documented": inboundReaction },
	status: {
		"a status as documented": statusUpdate,
		"attachments of any shape in a status": status({ attachments: ["https://a.example", null] }),
		"a status that is new": status({ status: "bounced" }),
		"an error that is an object with a null": status({ error: { code: 22, extra: null } }),
		"a status with the type null": status({ type: null }),
		"a status with the type status": status({ type: "status" }),
		"whitespace and CRLF around an object": `\r\n ${text} \r\n`,
		"a byte order mark before an object": `\ufeff${text}`,
		"a byte order mark before an object, in bytes": Buffer.from(`\ufeff${text}`),
	},
	"inbound_message · filled attachments": {
		"no attachments beside a text": message({ attachments: absent }),
		"null for an empty list": message({ attachments: null }),
	},
	"inbound_message · filled participants": { "no participants": withPicture({ participants: absent }) },
	"inbound_message · filled outbound": { "no direction of a message": message({ outbound: absent }) },
	"inbound_message · filled timestamp_ms": {
		"half a millisecond": withPicture({ timestamp_ms: 1767225600123.5 }),
		"the first fraction of a millisecond": message({ timestamp_ms: 1e11 + 0.5 }),
	},
	"inbound_reaction · filled participants": {
		"null for no participants of a reaction": reaction({ participants: null }),
	},
	"status · filled error, groupId, status_callback": {
		"all that Swift leaves out of a status": status({
			groupId: absent,
			status_callback: absent,
			error: absent,
		}),
	},
	"status · filled text": {
		"no text of a status": status({ text: absent }),
		"null for no text of a status": status({ text: null }),
	},
	"status · filled attachments": { "no attachments of a status": status({ attachments: absent }) },
	"status · filled groupId": { "no group of a status": status({ groupId: absent }) },
	"unknown type": {
		"a type that is new": message({ type: "inbound_typing" }),
		"a type in another case": message({ type: "Inbound_Message" }),
		"a type that isn't a string": message({ type: 5 }),
		"another type beside a status": status({ type: "delivered" }),
		"the type status without a status": message({ type: "status" }),
		"neither type nor status": { text: "Hello" },
		"a status that isn't a string": status({ status: 3 }),
		"an empty object": {},
		"an inherited name as type": { type: "constructor" },
		"a status that __proto__ would lend": '{"__proto__":{"status":"sent"}}',
		"a status that __proto__ would lend, beside a new type": '{"type":"new","__proto__":{"status":"sent"}}',
	},
	// Each of them would be lost, or answered wrongly, by a looser rule.
	"unknown: text is missing": {
		"a text under another name, beside a list of nothing": message({
			text: absent,
			attachments: [null],
			body: "hello",
		}),
	},
	"unknown: text is missing, attachments is missing": {
		"a text under another name, without a list": message({
			text: absent,
			attachments: absent,
			body: "hello",
		}),
	},
	"unknown: attachments is missing": {
		"attachments under another name, beside U+FFFC": message({
			text: "\uFFFC",
			attachments: absent,
			media: [{}],
		}),
		"attachments under another name, beside whitespace": message({
			text: " ",
			attachments: absent,
			media: [{}],
		}),
	},
	"unknown: status_callback is missing, error is missing": {
		"a message with a status and no type": message({ type: absent, status: "RECEIVED", accountId: absent }),
	},
	"unknown: outbound is missing": {
		"a status without a direction": status({ outbound: absent }),
		"a reaction without a direction": reaction({ outbound: absent }),
	},
	"unknown: error is missing": {
		"a status of something inbound, without its error": status({ outbound: false, error: absent }),
	},
	[GROUP_IS_MISSING]: {
		"no group, where a third person is there": withPicture({
			groupId: absent,
			participants: [from, to, "+15550009999"],
		}),
		"no group, where nobody is named": message({ groupId: absent, participants: [] }),
		"no group, where participants are written in another way": message({
			groupId: absent,
			participants: ["15551234567"],
		}),
	},
	[`${GROUP_IS_MISSING} · filled participants`]: {
		"no group and no participants": message({ groupId: absent, participants: absent }),
	},
	"unknown: to must be a string, participants.1 must be a string, groupId is missing": {
		"no group, where a participant and the receiver are null": message({
			groupId: absent,
			to: null,
			participants: [from, null],
		}),
	},
	"unknown: groupId must be a string or null": { "a group that is a number": message({ groupId: 5 }) },
	"unknown: participants.1 must be a string, text must be a string": {
		"a text that is null, and a participant that is a number": message({
			text: null,
			participants: ["+1", 5],
		}),
	},
	"unknown: text must be a string · filled groupId, outbound": {
		"a text that is a number, beside what is filled": withPicture({
			text: 5,
			outbound: null,
			groupId: absent,
		}),
	},
	"unknown: attachments must be an array": {
		"attachments that are a string": message({ attachments: "private" }),
	},
	"unknown: participants must be an array of string": {
		"participants that are a string": message({ participants: "private" }),
		"participants that are an empty string": message({ participants: "" }),
	},
	"unknown: outbound must be a boolean": {
		"a direction of a status that is a word": status({ outbound: "true" }),
	},
	"unknown: status_callback must be a string or null": {
		"a callback that is an object": status({ status_callback: {} }),
	},
	"unknown: outbound must be a boolean, timestamp_ms must be an integer within 2^53": {
		"two fields of a status, beside one that is new": status({
			outbound: "true",
			timestamp_ms: 1.5,
			brandNew: 1,
		}),
	},
	"unknown: chatGuid is missing": { "a status without a chat": status({ chatGuid: absent }) },
	"unknown: messageGuid is missing": { "a guid that is missing": message({ messageGuid: absent }) },
	"unknown: accountId must be a string": { "an account that is null": message({ accountId: null }) },
	"unknown: messageId is missing": {
		"a message without an id": message({ messageId: absent }),
		"a status without an id": status({ messageId: absent }),
	},
	"unknown: messageId must be a string": { "an id with a fraction": message({ messageId: 1767225600123.5 }) },
	"unknown: reaction is missing": { "a reaction that is missing": reaction({ reaction: absent }) },
	[NO_TIME]: {
		"no time": message({ timestamp_ms: null }),
		"a time in seconds with a fraction": message({ timestamp_ms: 1767225600.123 }),
		"a time that is a string": message({ timestamp_ms: "1767225600123" }),
		"a time beyond 2^53": JSON.stringify(inboundMessage).replace("1767225600123", "1767225600123456789"),
	},
	[NO_OBJECT]: {
		"an empty body": "",
		"a string that isn't JSON": "status=sent",
		"JSON that is cut off": '{"status":',
		"two byte order marks": `\ufeff\ufeff${text}`,
		"bytes that aren't UTF-8": Buffer.concat([Buffer.from('{"text":"'), Buffer.of(0xff), Buffer.from('"}')]),
		null: "null",
		"a string": '"private"',
		"a number": "5",
		"two objects": "{}{}",
		"1 MB of open brackets": "[".repeat(2 ** 20),
	},
	[several(0)]: { "an empty array": "[]" },
	[several(2)]: { "an array of events": "[{},{}]" },
};

testOutcomes(PAYLOADS, outcomeOf);

test("of more fields and items than anybody reads, the first 20 are listed", () => {
	const participants = Array.from({ length: 30 }, (_, at) => (at % 2 === 0 ? at : "+1"));
	const event = receive(
		message({ participants, text: 5, messageId: 5, from: 5, to: 5, chatGuid: 5, groupId: 5 }),
	);
	expect(event).toMatchObject({ kind: "unknown", issueCount: 21 });
	const paths = event.kind === "unknown" ? event.issues.map(({ path }) => path) : [];
	expect(paths).toHaveLength(20);
	expect(paths.slice(0, 5)).toEqual(["messageId", "from", "to", "participants.0", "participants.2"]);
});

test("two events share no list", () => {
	const [one, other] = [receive({ type: "new" }), receive({ type: "new" })];
	expect(one.kind === "unknown" && other.kind === "unknown" && one.issues === other.issues).toBe(false);
	expect(one.filled === other.filled).toBe(false);
});

describe("the vendor's word for the message number", () => {
	const profile = { vendor: { messageNumberField: "acmeMessageNumber" } };
	const { nativeMessageNumber, ...rest } = inboundMessage;
	const vendorPayload = { ...rest, acmeMessageNumber: nativeMessageNumber };

	test.each<[title: string, payload: object, profile: object, data: object]>([
		["is nativeMessageNumber, too", vendorPayload, profile, { ...vendorPayload, nativeMessageNumber }],
		[
			"wins over another value under the neutral word",
			{ ...vendorPayload, nativeMessageNumber: "other" },
			profile,
			{ ...vendorPayload, nativeMessageNumber },
		],
		["may be the neutral one all the same", inboundMessage, profile, inboundMessage],
		[
			"lends no inherited field",
			inboundMessage,
			{ vendor: { messageNumberField: "constructor" } },
			inboundMessage,
		],
	])("%s", (_title, payload, given, data) => {
		const event = receive(payload, { profile: given });
		expect([event.kind, event.data]).toEqual(["inbound_message", data]);
	});
});

test.each([undefined, { vendor: { messageNumberField: "from" } }])(
	"a payload with __proto__ pollutes nothing, with profile %j",
	(profile) => {
		const polluting = '"__proto__":{"polluted":"yes"},"constructor":{"prototype":{"polluted":"yes"}}';
		for (const payload of [inboundMessage, inboundReaction, statusUpdate, { type: "new" }]) {
			const { data } = receive(
				`${JSON.stringify(payload).slice(0, -1)},${polluting}}`,
				profile && { profile },
			);
			expect(Reflect.get({}, "polluted")).toBeUndefined();
			expect(Reflect.get(data, "polluted")).toBeUndefined();
			expect(Object.getPrototypeOf(data)).toBe(Object.prototype);
			expect(Object.hasOwn(data, "__proto__")).toBe(true);
		}
	},
);
