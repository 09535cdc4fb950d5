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
import { readSnippets } from "../../../support/snippets/read-snippets.ts";
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

	test.each<[title: string, when: EventMap["when"], fits: readonly object[], others: readonly object[]]>([
		["a value", { a: "x", b: 1 }, [{ a: "x", b: 1 }], [{ a: "x" }, { a: "X", b: 1 }, { a: "x", b: "1" }]],
		["one of several", { "a.b": ["x", false] }, [{ a: { b: "x" } }, { a: {} }], [{ a: { b: "y" } }]],
		[
			"what is given",
			{ a: true },
			[{ a: "x" }, { a: true }, { a: 0 }, { a: {} }],
			[{}, { a: "" }, { a: false }],
		],
		["what is not", { a: false }, [{}, { a: null }, { a: "" }, { a: false }], [{ a: true }, { a: "x" }]],
		[
			"the first of a list",
			{ "a[].b": "x" },
			[{ a: [{ b: "x" }, {}] }],
			[{ a: [{}, { b: "x" }] }, { a: "x" }],
		],
	])("is recognized by %s", (_, when, fits, others) => {
		const maps = profileFromJson({ events: { map: [{ kind: "status", when, fields: {} }] } });
		const kindOf = (payload: object) => receive({ ...statusUpdate, type: "other", ...payload }, maps).kind;
		expect([fits.map(kindOf), others.map(kindOf)]).toEqual([
			fits.map(() => "status"),
			others.map(() => "unknown"),
		]);
	});

	test("a list of several is never read as its first: the others would be lost", () => {
		const map = {
			kind: "inbound_message",
			when: { object: "messages" },
			root: "entries[].items[]",
			fields: {},
		};
		const maps = profileFromJson({ events: { map: [map] } });
		const of = (entries: unknown) => receive({ object: "messages", entries }, maps).kind;
		const entry = { items: [inboundMessage] };
		expect(of([entry])).toBe("inbound_message");
		for (const entries of [
			[entry, entry],
			[{ items: [inboundMessage, {}] }],
			[],
			[entry, {}],
			entry,
			null,
			[5],
		])
			expect(of(entries)).toBe("unknown");
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

describe("is rejected:", () => {
	test.each<[message: string, events: unknown]>([
		["profile.events has map, and decode or encode: leave one out", { ...map({}), decode: () => ({}) }],
		[
			"profile.events has map, and decode or encode: leave one out",
			{ ...map({}), encode: () => ({}), decode: () => ({}) },
		],
		["profile.events.map must be a list of maps, each of one kind of event", { map: {} }],
		["profile.events.map must be a list of maps, each of one kind of event", { map: [] }],
		["profile.events.map[0] must be an object", { map: [5] }],
		['Unknown option "event" of profile.events.map[0]. Use kind, when, root, fields', map({ event: "x" })],
		["map[0] needs kind: one of inbound_message, inbound_reaction, status", map({ kind: undefined })],
		["map[0].kind must be one of inbound_message, inbound_reaction, status", map({ kind: "message" })],
		["map[0].when must be an object of places with their values", map({ when: {} })],
		["map[0].when must be an object of places with their values", map({ when: "message" })],
		[
			'when["type"] must be a string, a number, true, false, or a list of them',
			map({ when: { type: null } }),
		],
		['when["type"] must be a string, a number, true, false, or a list of them', map({ when: { type: [] } })],
		['when["…"] must be names with dots', map({ when: { "?+15557654321": "x" } })],
		["map[0].root must be names with dots", map({ root: "a..b" })],
		["map[0].fields must be an object of our fields", fields([])],
		['fields["type"] follows from kind: leave it out', fields({ type: "type" })],
		['fields["body"] is no field of an event of the kind status', fields({ body: "text" })],
		['fields["removed"] is no field of an event of the kind status', fields({ removed: "removed" })],
		['fields["…"] is no field of an event of the kind status', fields({ "error.code": "code" })],
		['fields["…"] is no field of an event', fields({ "+15557654321": "text" })],
		['fields["text"] must be a place, or an object with at or value', fields({ text: 5 })],
		['fields["text"]. Use at, unit, map', fields({ text: { input: "text" } })],
		['fields["text"].at must be names with dots', fields({ text: { at: "constructor" } })],
		['fields["text"].unit must be one of s, ms, iso', fields({ text: { at: "a", unit: "h" } })],
		['fields["text"] may have one of unit, map and text', fields({ text: { at: "a", unit: "s", map: {} } })],
	])("%s", (message, events) => {
		const error = catchError(() => profileFromJson({ events }));
		expect(error).toBeInstanceOf(ConfigurationError);
		expect(error).toHaveProperty("message", expect.stringContaining(message));
		expect(error).toHaveProperty("message", expect.not.stringContaining("15557654321"));
	});
});

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
	const guide = readSnippets().find(({ language, heading }) => language === "json" && heading === "Events");
	const own = profileFromJson(JSON.parse(guide?.code ?? ""));
	for (const payload of [inboundMessage, { ...statusUpdate, type: "status" }]) {
		const wire = encodePayload(payload, own);
		expect(wire).toHaveProperty("data.id", payload.messageId);
		expect(receive(wire, own)).toMatchObject({ kind: payload.type, data: payload, filled: [] });
	}
});
