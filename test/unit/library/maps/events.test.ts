import { ConfigurationError, type Profile } from "messaging-gateway";
import { type EventMap, profileFromJson } from "messaging-gateway/maps";
import { observeSend } from "messaging-gateway/sends";
import { createLocalGateway, createWebhookRequest } from "messaging-gateway/testing";
import {
	createWebhookHandler,
	memoryStore,
	verifyWebhook,
	type WebhookEvent,
} from "messaging-gateway/webhooks";
import { describe, expect, test } from "vitest";
import { encodePayload } from "../../../../src/tools/local-gateway/payloads.ts";
import { catchError } from "../../../support/catch-error.ts";
import { type Outcomes, testOutcomes } from "../../../support/outcomes.ts";
import { readSnippets } from "../../../support/read-snippets.ts";
import { deliver, receiver } from "../../../support/webhook-delivery.ts";
import { inboundMessage, inboundReaction, statusUpdate } from "../../../support/webhook-payloads.ts";
import { createWorld, KEY, TEXT } from "../sends/sender-world.ts";

const shared = {
	messageId: "data.id",
	from: "data.sender.phone",
	timestamp_ms: { at: "created_at", unit: "iso" },
} as const;

const MAPS: readonly EventMap[] = [
	{
		kind: "inbound_message",
		when: { type: "message.received" },
		root: "data",
		fields: { ...shared, text: "data.body", groupId: { value: null }, outbound: { value: false } },
	},
	{
		kind: "inbound_reaction",
		when: { type: "reaction.added" },
		root: "data",
		fields: { ...shared, reaction: { at: "data.emoji", map: { "❤️": "love" } } },
	},
	{
		kind: "inbound_reaction",
		when: { type: "reaction.removed" },
		root: "data",
		fields: { ...shared, reaction: { at: "data.emoji", map: { "❤️": "love" } }, removed: { value: true } },
	},
	{
		kind: "status",
		when: { type: ["message.sent", "message.delivered"] },
		root: "data",
		fields: {
			...shared,
			status: { at: "type", map: { "message.sent": "sent", "message.delivered": "delivered" } },
		},
	},
];

const profile = profileFromJson({ events: { map: MAPS } });

function receive(payload: object, given: Profile = profile): WebhookEvent {
	return verifyWebhook(deliver(JSON.stringify(payload)), { ...receiver(), profile: given });
}

const CREATED = new Date(inboundMessage.timestamp_ms).toISOString();

/** A payload of the gateway: other names, in an envelope. */
function wire(type: string, payload: object, more: object = {}): object {
	const fields: Record<string, unknown> = { ...inboundMessage, ...payload };
	const { messageId: id, from: phone, type: _, text: body, timestamp_ms: __, ...rest } = fields;
	return { type, created_at: CREATED, data: { ...rest, id, sender: { phone }, body, ...more } };
}

describe("events by a map", () => {
	test("a message has its names, values and units, and keeps what is not mapped", () => {
		const { outbound: _, groupId: __, ...payload } = inboundMessage;
		const event = receive(wire("message.received", payload, { edited: true }));
		expect(event).toMatchObject({ kind: "inbound_message", data: inboundMessage, filled: [] });
		expect(event.data).toHaveProperty("edited", true);
	});

	test("a status whose value is its type, and what is certainly nothing is filled", () => {
		const { status: _, error: __, ...payload } = statusUpdate;
		const event = receive(wire("message.sent", payload, { text: "Hello" }));
		expect(event).toMatchObject({
			kind: "status",
			data: { ...statusUpdate, status: "sent" },
			filled: ["error"],
		});
	});

	test("a tapback that was taken back is another event than an added one", () => {
		const { reaction: _, ...payload } = inboundReaction;
		const [added, removed] = ["added", "removed"].map((what) =>
			receive(wire(`reaction.${what}`, payload, { emoji: "❤️", originalText: "Lunch?" })),
		);
		expect(added).toMatchObject({ kind: "inbound_reaction", data: inboundReaction });
		expect(added?.data).not.toHaveProperty("removed");
		expect(removed?.data).toMatchObject({ reaction: "love", removed: true });
	});

	test("what no map fits stays as it is: documented, or unknown", () => {
		expect(receive(inboundMessage)).toMatchObject({ kind: "inbound_message", data: inboundMessage });
		const strange = { type: "typing.started", data: {} };
		expect(receive(strange)).toMatchObject({ kind: "unknown", reason: "type", data: strange });
	});

	test("an empty place gets no namesake: it may be somebody else's number", () => {
		const payload = wire("message.received", inboundMessage, { from: "+15550000001", sender: {} });
		const event = receive(payload);
		expect(event).toMatchObject({ kind: "unknown", reason: "schema", data: payload });
		expect(event.kind === "unknown" && event.narrowed?.data).not.toHaveProperty("from");
	});

	test("no payload makes it throw", () => {
		const values: unknown[] = [{ toString: 5, valueOf: 5 }, [[]], null, "\ud800", "2026-13-45"];
		for (const value of values) {
			const data = { emoji: value, id: value, sender: value, body: value };
			for (const type of ["message.received", "reaction.added", "message.sent"])
				expect(receive({ type, created_at: value, data }).kind).toBe("unknown");
			expect(receive({ type: value, data: value }).kind).toBe("unknown");
		}
		expect(receive(JSON.parse('{"type":"message.received","data":{"__proto__":{"text":"x"}}}')).kind).toBe(
			"unknown",
		);
	});
});

/** What a map recognizes an event by, or where it has it, and a payload. */
type Recognition = readonly [map: Partial<EventMap>, payload: object];

/** The kind that a payload is read as, whose type is another one. */
function kindOf([map, payload]: Recognition): string {
	const given = { kind: "inbound_message", when: {}, fields: {}, ...map };
	const maps = profileFromJson({ events: { map: [given] } });
	return receive({ ...statusUpdate, type: "other", ...payload }, maps).kind;
}

const value = { kind: "status", when: { a: "x", b: 1 } } as const;
const oneOf = { kind: "status", when: { "a.b": ["x", false] } } as const;
const given = { kind: "status", when: { a: true } } as const;
const notGiven = { kind: "status", when: { a: false } } as const;
const first = { kind: "status", when: { "a[].b": "x" } } as const;
const ofItems = { kind: "inbound_message", when: { object: "messages" }, root: "entries[].items[]" } as const;
const ofEntries = (entries: unknown): Recognition => [ofItems, { object: "messages", entries }];
const entry = { items: [inboundMessage] };

const KINDS: Outcomes<Recognition> = {
	status: {
		"all values": [value, { a: "x", b: 1 }],
		"one of several values": [oneOf, { a: { b: "x" } }],
		"another one of several values": [oneOf, { a: {} }],
		"given: a string": [given, { a: "x" }],
		"given: true": [given, { a: true }],
		"given: 0": [given, { a: 0 }],
		"given: an object": [given, { a: {} }],
		"not given": [notGiven, {}],
		"not given: null": [notGiven, { a: null }],
		"not given: an empty string": [notGiven, { a: "" }],
		"not given: false": [notGiven, { a: false }],
		"a value of the first of a list": [first, { a: [{ b: "x" }, {}] }],
	},
	inbound_message: { "the only item of the only entry": ofEntries([entry]) },
	unknown: {
		"one value of two": [value, { a: "x" }],
		"a value in another case": [value, { a: "X", b: 1 }],
		"a number as a string": [value, { a: "x", b: "1" }],
		"none of several values": [oneOf, { a: { b: "y" } }],
		"given, but is not": [given, {}],
		"given, but is null": [given, { a: null }],
		"given, but is an empty string": [given, { a: "" }],
		"given, but is false": [given, { a: false }],
		"not given, but is true": [notGiven, { a: true }],
		"not given, but is a string": [notGiven, { a: "x" }],
		"a value of the second of a list": [first, { a: [{}, { b: "x" }] }],
		"a string for a list": [first, { a: "x" }],
		// A list of several is never read as its first: the others would be lost.
		"two entries": ofEntries([entry, entry]),
		"two items": ofEntries([{ items: [inboundMessage, {}] }]),
		"no entries": ofEntries([]),
		"an entry, and an empty one": ofEntries([entry, {}]),
		"an entry that is in no list": ofEntries(entry),
		"null for a list": ofEntries(null),
		"a number for an entry": ofEntries([5]),
	},
};

describe("an event is read by its map, for", () => testOutcomes(KINDS, kindOf));

describe("maps of events without what reads them say what to do:", () => {
	const events = { map: MAPS };
	const message =
		"profile.events.map is data for profileFromJson of messaging-gateway/maps: give the profile to it, and use what it returns";

	test.each<[name: string, use: () => unknown]>([
		["a local gateway", () => createLocalGateway({ profile: { events } })],
		["verifyWebhook", () => receive(wire("message.received", {}), { events })],
		[
			"a handler",
			() =>
				createWebhookHandler({
					secret: "s",
					store: memoryStore(),
					on: { unknown: () => {} },
					profile: { events },
				}),
		],
	])("%s", (_, use) => {
		expect(catchError(use)).toMatchObject({ code: "configuration", message });
	});
});

const map = (each: object) => ({ map: [{ kind: "status", when: { type: "s" }, fields: {}, ...each }] });
const fields = (given: unknown) => map({ fields: given });

const IS_NO_PATH =
	"must be names with dots, such as message.id or to[], without __proto__, constructor and prototype";

const PROBLEMS: Outcomes<unknown> = {
	" has map, and decode or encode: leave one out": {
		"a map and a decoder": { ...map({}), decode: () => ({}) },
		"a map and an encoder": { ...map({}), encode: () => ({}), decode: () => ({}) },
	},
	".map must be a list of maps, each of one kind of event": {
		"maps in an object": { map: {} },
		"no maps": { map: [] },
	},
	".map[0] must be an object, such as { kind: … }": { "a map that is a number": { map: [5] } },
	'Unknown option "event" of profile.events.map[0]: remove it, or use kind, when, root, fields': {
		"another key": map({ event: "x" }),
	},
	".map[0] needs kind: one of inbound_message, inbound_reaction, status": {
		"no kind": map({ kind: undefined }),
	},
	".map[0].kind must be one of inbound_message, inbound_reaction, status": {
		"another kind": map({ kind: "message" }),
	},
	'.map[0].when must be an object of places with their values, such as { "type": "message.received" }': {
		"an empty when": map({ when: {} }),
		"a when that is a string": map({ when: "message" }),
	},
	'.map[0].when["type"] must be a string, a number, true, false, or a list of them': {
		"a when of null": map({ when: { type: null } }),
		"a when of no values": map({ when: { type: [] } }),
		"a when of a list with null": map({ when: { type: ["x", null] } }),
	},
	'.map[0].when["data.type"] must be a string, a number, true, false, or a list of them': {
		"a when of a place in an object": map({ when: { "data.type": null } }),
	},
	[`.map[0].when["…"] ${IS_NO_PATH}`]: { "a when of a number": map({ when: { "?+15557654321": "x" } }) },
	[`.map[0].root ${IS_NO_PATH}`]: { "two dots in root": map({ root: "a..b" }) },
	".map[0].fields must be an object of our fields": { "fields in a list": fields([]) },
	'.map[0].fields["type"] follows from kind: leave it out': { "the type": fields({ type: "type" }) },
	'.map[0].fields["body"] is no field of an event of the kind status': {
		"a field that there is not": fields({ body: "text" }),
	},
	'.map[0].fields["removed"] is no field of an event of the kind status': {
		"a field of a reaction": fields({ removed: "removed" }),
	},
	'.map[0].fields["…"] is no field of an event of the kind status': {
		"a field of a field": fields({ "error.code": "code" }),
		"a number for a field": fields({ "+15557654321": "text" }),
	},
	'.map[0].fields["text"] must be a place, or an object with at or value': {
		"a number for a place": fields({ text: 5 }),
	},
	'Unknown option "input" of profile.events.map[0].fields["text"]: remove it, or use at, unit, map, text': {
		"a field of an input": fields({ text: { input: "text" } }),
	},
	[`.map[0].fields["text"].at ${IS_NO_PATH}`]: {
		"a constructor in a place": fields({ text: { at: "constructor" } }),
	},
	'.map[0].fields["text"].unit must be one of s, ms, iso': {
		"a unit of hours": fields({ text: { at: "a", unit: "h" } }),
	},
	'.map[0].fields["text"] may have one of unit, map and text': {
		"a unit and a map": fields({ text: { at: "a", unit: "s", map: {} } }),
	},
};

describe("maps of events are rejected:", () =>
	testOutcomes(PROBLEMS, (events) => {
		const error = catchError(() => profileFromJson({ events }));
		expect(error).toBeInstanceOf(ConfigurationError);
		const { message } = error as ConfigurationError;
		expect(message).not.toContain("15557654321");
		return message.replace(/^profile\.events/, "");
	}));

test("a test's request is written by the same maps", async () => {
	const request = createWebhookRequest(
		"inbound_message",
		{ text: "STOP", groupId: "g" },
		{ profile, timestamp: 1767225600 },
	);
	expect(await request.json()).toMatchObject({
		type: "message.received",
		created_at: "2026-01-01T00:00:00.000Z",
		data: { body: "STOP", sender: { phone: "+15551234567" } },
	});
	const removed = createWebhookRequest("inbound_reaction", { removed: true }, { profile });
	expect(await removed.json()).toMatchObject({ type: "reaction.removed", data: { emoji: "❤️" } });
	const other = createWebhookRequest("inbound_message", { type: "message.edited" }, { profile });
	expect(await other.json()).toMatchObject({ type: "message.edited", text: "Hello" });
});

test("a gateway writes each event by the maps, and whoever receives it reads it, as proof of a send too", async () => {
	const world = createWorld({ profile: profileFromJson({ events: { map: MAPS } }) });
	await world.sender.send(KEY, TEXT);
	await world.local.settled();
	await world.local.contact(TEXT.to).reply("Hi");
	await world.local.settled();
	const places = world.local.deliveries.map(({ body }) => Object.keys(JSON.parse(body)));
	expect(places[0]).toEqual(["data", "created_at", "type"]);
	const kinds = world.events.map(({ kind }) => kind);
	expect([kinds[0], kinds.at(-1)]).toEqual(["status", "inbound_message"]);
	const [status] = world.events;
	expect(status && (await observeSend(world.store, status))).toMatchObject({ key: KEY });
});

test("the maps of the guide read what they write", () => {
	const guide = readSnippets().find(
		({ language, heading }) => language === "json" && heading === "Translate events",
	);
	const own = profileFromJson(JSON.parse(guide?.code ?? ""));
	for (const payload of [inboundMessage, { ...statusUpdate, type: "status" }]) {
		const wire = encodePayload(payload, own);
		expect(wire).toHaveProperty("data.id", payload.messageId);
		expect(receive(wire, own)).toMatchObject({ kind: payload.type, data: payload, filled: [] });
	}
});
