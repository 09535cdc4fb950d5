import { readdirSync, readFileSync } from "node:fs";
import { type EventMap, profileFromJson } from "messaging-gateway/maps";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { WebhookVerificationError } from "../../../../src/library/errors.ts";
import { readEvent, type WebhookEvent } from "../../../../src/library/webhooks/events.ts";
import type { PlannedEvent } from "../../../../src/tools/adopt/events/event-types.ts";
import { planEvents } from "../../../../src/tools/adopt/events/plan-events.ts";
import { readEventHints } from "../../../../src/tools/adopt/events/read-event-hints.ts";
import { readEvents } from "../../../../src/tools/adopt/events/read-events.ts";
import { inboundMessage } from "../../../support/webhook-payloads.ts";

const FOLDER = new URL("../../../support/gateway-events/", import.meta.url);

interface Delivery {
	readonly kind: string;
	readonly payload: unknown;
	readonly expect: "open" | Readonly<Record<string, unknown>>;
}

/** The deliveries of each document that become the right event; all others stay open, and none becomes a wrong one. */
const RIGHT: Readonly<Record<string, string>> = {
	"ambiguous-times.yaml": "1 of 2",
	"batch-array.yaml": "0 of 1",
	"cloud-graph.yaml": "0 of 2",
	"cloudevents.yaml": "2 of 2",
	"flat-callbacks.yaml": "2 of 2",
	"generated-dtos.yaml": "2 of 2",
	"header-type.yaml": "0 of 2",
	"inner-batch.yaml": "1 of 2",
	"meta-header.yaml": "3 of 3",
	"nested-payload.yaml": "0 of 2",
	"portuguese.yaml": "0 of 1",
	"reply-traps.yaml": "0 of 1",
	"split-statuses.yaml": "4 of 4",
	"two-senders.yaml": "0 of 2",
	"typed-bridge.yaml": "0 of 1",
	"wide-enum.yaml": "1 of 2",
};

function read(file: string): { "x-events": readonly Delivery[] } {
	return parse(readFileSync(new URL(file, FOLDER), "utf8"));
}

function plan(document: unknown, settings: readonly string[] = [], maps?: unknown): PlannedEvent[] {
	const reject = (problem: string) => new RangeError(problem);
	return planEvents(readEvents(document), readEventHints(settings, maps, reject).events);
}

function receive(planned: readonly PlannedEvent[], payload: unknown): WebhookEvent | "rejected" {
	const map = planned.flatMap((each) => each.map ?? []);
	const profile = map.length === 0 ? undefined : profileFromJson({ events: { map } });
	try {
		return readEvent({ eventId: "evt_1", timestamp: 1 }, JSON.stringify(payload), profile).event;
	} catch (error) {
		if (error instanceof WebhookVerificationError) return "rejected";
		throw error;
	}
}

function outcomeOf(planned: readonly PlannedEvent[], { kind, payload, expect: expected }: Delivery): string {
	const event = receive(planned, payload);
	if (event === "rejected" || event.kind === "unknown") return "open";
	if (event.kind !== kind || expected === "open") return `a wrong ${event.kind}`;
	const data: object = event.data;
	const wrong = Object.entries(expected).filter(
		([name, value]) => (Reflect.get(data, name) ?? null) !== value,
	);
	return wrong.length === 0 ? "right" : `wrong ${wrong.map(([name]) => name)}`;
}

test("every document has its row", () => {
	expect(readdirSync(FOLDER).sort()).toEqual(Object.keys(RIGHT));
});

test.each(Object.entries(RIGHT))(
	"%s: %s deliveries become the right event, none a wrong one",
	(file, count) => {
		const document = read(file);
		const planned = plan(document);
		const outcomes = document["x-events"].map((delivery) => outcomeOf(planned, delivery));
		expect(outcomes.filter((outcome) => outcome !== "right" && outcome !== "open")).toEqual([]);
		expect(`${outcomes.filter((outcome) => outcome === "right").length} of ${outcomes.length}`).toBe(count);
		for (const { certainty, questions, map } of planned) {
			expect([certainty, map === undefined]).toEqual(
				questions.length > 0 ? ["open", true] : ["likely", false],
			);
		}
	},
);

test.each([
	[
		"nested-payload.yaml",
		[
			"events.inbound_message.to=data.payload.to[].phone_number",
			"events.status.to=data.payload.to[].phone_number",
			"events.status.status=data.payload.to[].status",
		],
		["inbound_message m1 from +15551234567", "status m2 from +15550000001"],
	],
	[
		"portuguese.yaml",
		[
			"events.inbound_message=mensagemRecebida",
			"events.inbound_message.messageId=dados.codigo",
			"events.inbound_message.from=dados.remetente",
			"events.inbound_message.to=dados.destinatario",
			"events.inbound_message.text=dados.texto",
			"events.inbound_message.timestamp_ms=dados.data",
			"events.inbound_message.when.evento=mensagem.recebida",
		],
		["inbound_message m1 from +15551234567"],
	],
	[
		"two-senders.yaml",
		["events.inbound_message=sms_received", "events.inbound_message.from=sms.sender"],
		["inbound_message m1 from +15551234567", "unknown undefined from undefined"],
	],
])("%s: %j is used", (file, settings, events) => {
	const document = read(file);
	const planned = plan(document, settings);
	const received = document["x-events"].map(({ payload }) => receive(planned, payload));
	const shown = received.map((event) =>
		event === "rejected" ? event : `${event.kind} ${event.data["messageId"]} from ${event.data["from"]}`,
	);
	expect(shown).toEqual(events);
	expect(planned.filter(({ source }) => source === "flags").flatMap(({ questions }) => questions)).toEqual(
		[],
	);
});

test("an open event says what is missing, with its flag", () => {
	const questionOf = (file: string, kind: string) =>
		plan(read(file)).find((each) => each.kind === kind)?.questions[0];
	expect(questionOf("two-senders.yaml", "inbound_message")).toEqual({
		message: "from: sms.sender or sms.source?",
		flag: "--set events.inbound_message.from=sms.sender",
	});
	expect(questionOf("batch-array.yaml", "inbound_message")).toEqual({
		message: "each delivery is a list of events with one event id, which no map can read",
		flag: undefined,
	});
	expect(questionOf("header-type.yaml", "status")?.message).toBe(
		"the header X-Event-Type tells it from other events, which a map can't read",
	);
	expect(questionOf("portuguese.yaml", "inbound_message")).toEqual({
		message: "not in the document, unless it is mensagemRecebida",
		flag: "--set events.inbound_message=mensagemRecebida",
	});
});

const message = {
	type: "object",
	required: ["id", "from", "to", "text", "at"],
	properties: Object.fromEntries(
		["message_id", "from", "to", "text", "sent_at"].map((name) => [name, { type: "string" }]),
	),
};
const hook = (schema: object) => ({ post: { requestBody: { content: { "application/json": { schema } } } } });
const typed = (type: object, more: object = {}) => ({
	...message,
	properties: { ...message.properties, type, ...more },
});
const hooks = (webhooks: object) => ({ openapi: "3.1.0", paths: {}, webhooks });
const inboundOf = (document: unknown) => plan(document).find(({ kind }) => kind === "inbound_message");

describe("never guessed:", () => {
	test.each<[title: string, document: object, question: string]>([
		["an event alone without a type", hooks({ inbound: hook(message) }), "what tells it from other events?"],
		[
			"a message of either side",
			hooks({ "message.created": hook(typed({ const: "message.created" })) }),
			"a contact's messages alone, or yours too?",
		],
		[
			"an id beside the type",
			hooks({
				inbound: hook({
					...typed({ const: "inbound" }, { id: { type: "string" } }),
					properties: {
						type: { const: "inbound" },
						id: { type: "string" },
						from: {},
						to: {},
						text: {},
						time: { type: "string" },
					},
				}),
			}),
			"messageId: id is the message's id, or the event's?",
		],
		[
			"a group without an id",
			hooks({ inbound: hook(typed({ const: "inbound" }, { is_group: { type: "boolean" } })) }),
			"groupId: is_group speaks of groups, and no field is a group's id",
		],
		[
			"a sender that is the agent",
			hooks({
				inbound: hook(
					typed({ const: "inbound" }, { from: { type: "string", description: "Your registered line" } }),
				),
			}),
			"from: from may be the other side's number",
		],
	])("%s", (_, document, question) => {
		expect(inboundOf(document)).toMatchObject({ certainty: "open", map: undefined });
		expect(inboundOf(document)?.questions.map((each) => each.message)).toContain(question);
	});
});

test("shapes under one type are one event", () => {
	const picture = {
		type: "object",
		properties: { type: { const: "inbound" }, media: { type: "array", items: { type: "string" } } },
	};
	const planned = inboundOf(hooks({ inbound: hook({ oneOf: [typed({ const: "inbound" }), picture] }) }));
	expect(planned?.map).toMatchObject({
		when: { type: "inbound" },
		fields: { messageId: "message_id", attachments: "media" },
	});
});

test("two kinds with one type are open", () => {
	const status = { ...typed({ const: "event" }, { status: { type: "string" } }) };
	const planned = plan(hooks({ inbound: hook(typed({ const: "event" })), delivered: hook(status) }));
	expect(planned.map(({ questions }) => questions[0]?.message)).toEqual([
		"nothing tells it from delivered",
		"not in the document",
		"nothing tells it from inbound",
	]);
});

test("an id that is an integer is text", () => {
	const text = { type: "string" };
	const number = { type: "integer" };
	const type = { const: "message.received" };
	const timestamp = { ...number, description: "Unix time in milliseconds" };
	const properties = { type, message_id: number, from: text, to: text, text, timestamp };
	const planned = plan(hooks({ inbound: hook({ type: "object", properties }) }));
	const payload = {
		type: "message.received",
		message_id: 4711,
		from: "+15551234567",
		to: "+15557654321",
		text: "Hello",
		timestamp: 1_767_225_600_000,
	};
	expect(receive(planned, payload)).toMatchObject({
		kind: "inbound_message",
		data: { messageId: "4711", from: "+15551234567", text: "Hello" },
	});
});

test("a document without events plans none, and ours needs no map", () => {
	expect(plan({ openapi: "3.0.0", paths: { "/m": { post: {} } } })).toEqual([]);
	expect(plan(undefined)).toEqual([]);
	const properties = Object.fromEntries(Object.keys(inboundMessage).map((name) => [name, {}]));
	const own = hook({ type: "object", properties: { ...properties, type: { const: "inbound_message" } } });
	expect(inboundOf(hooks({ inbound_message: own }))).toMatchObject({
		certainty: "likely",
		source: "specification",
		map: undefined,
	});
});

test("a map of the user's is used as it is, and the rest of --map stays", () => {
	const map: EventMap[] = [{ kind: "status", when: { a: "b" }, fields: {} }];
	const given = { operations: { "messages.get": { path: "/m/{messageId}" } }, events: { map } };
	const reject = (problem: string) => new RangeError(problem);
	const hints = readEventHints(["messages.sendText.to=x", "events.status.to=a"], given, reject);
	expect(hints).toMatchObject({
		settings: ["messages.sendText.to=x"],
		maps: { operations: given.operations },
	});
	expect(planEvents([], hints.events)).toMatchObject([{ kind: "status", source: "flags", map: map[0] }]);
	expect(() => readEventHints([], { events: { map: [{}] } }, reject)).toThrow(
		"profile.events.map[0] needs kind",
	);
});

test.each(["events.message=x", "events.status", "events.status.body=text", "events.status.to="])(
	"--set %s says nothing",
	(setting) => {
		expect(() => plan({}, [setting])).toThrow("give events.KIND=NAME");
	},
);

test("a loop of references ends, and control characters stay what they are", () => {
	const loop = {
		type: "object",
		properties: { self: { $ref: "#/components/schemas/Loop" }, type: { const: "inbound" } },
	};
	const document = {
		...hooks({ inbound: hook({ $ref: "#/components/schemas/Loop" }) }),
		components: { schemas: { Loop: loop } },
	};
	expect(inboundOf(document)?.certainty).toBe("open");
});
