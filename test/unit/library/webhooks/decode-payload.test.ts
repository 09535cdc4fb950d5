import { MessagingGateway } from "messaging-gateway";
import { createLocalGateway, createWebhookRequest } from "messaging-gateway/testing";
import {
	conversationOf,
	createWebhookHandler,
	memoryStore,
	verifyWebhook,
	type WebhookEvent,
} from "messaging-gateway/webhooks";
import { describe, expect, test, vi } from "vitest";
import { catchError } from "../../../support/catch-error.ts";
import { type Outcomes, testOutcomes } from "../../../support/outcomes.ts";
import { deliver, receiver } from "../../../support/webhook-delivery.ts";
import { inboundMessage, statusUpdate } from "../../../support/webhook-payloads.ts";
import { createReceiver } from "../../../support/webhook-receiver.ts";

type Payload = Record<string, unknown>;

const THREW = "profile.events.decode threw. Fix the decoder: its error is the cause";
const FAILED = "profile.events.decode must return an object, and no promise";

const KINDS: Payload = { "message.received": "inbound_message", "message.reaction": "inbound_reaction" };

/** Decodes an envelope with other types: `{ event: "message.received", data: { … } }`. */
function decode(payload: Payload): Payload {
	const { event, data } = payload;
	if (typeof event !== "string" || typeof data !== "object") return payload;
	return { ...data, ...(event in KINDS && { type: KINDS[event] }) };
}

function encode({ type, ...data }: Payload): Payload {
	const [event] = Object.entries(KINDS).find(([, kind]) => kind === type) ?? ["message.status"];
	return { event, data };
}

const profile = { events: { decode, encode } };

function receive(payload: object, decoder: (payload: Payload) => unknown = decode): WebhookEvent {
	// A program in JavaScript may return anything.
	const events = { decode: decoder as typeof decode };
	return verifyWebhook(deliver(JSON.stringify(payload)), { ...receiver(), profile: { events } });
}

describe("profile.events.decode", () => {
	test.each([
		["inbound_message", inboundMessage],
		["status", statusUpdate],
	])("runs before the kind is found: %s in an envelope", (kind, payload) => {
		expect(receive(encode(payload))).toMatchObject({ kind, data: payload, filled: [] });
	});

	test("runs before what is certainly nothing is filled", () => {
		const { groupId: _groupId, ...payload } = inboundMessage;
		expect(receive(encode(payload))).toMatchObject({ data: inboundMessage, filled: ["groupId"] });
	});

	test("of an event that stays unknown, data is what was received, and narrowed what was decoded", () => {
		const payload = encode({ ...inboundMessage, chatGuid: 5 });
		const event = receive(payload);
		const { chatGuid: _chatGuid, ...fitting } = inboundMessage;
		expect(event).toMatchObject({ kind: "unknown", reason: "schema", data: payload });
		expect(event.kind === "unknown" && event.narrowed?.data).toEqual(fitting);
		expect(conversationOf(event)).toBe(conversationOf(receive(encode(inboundMessage))));
	});

	test("may change its argument, and data is still what was received", () => {
		const event = receive({ kind: "typing", on: true }, (payload) => {
			delete payload["kind"];
			return payload;
		});
		expect(event).toMatchObject({ kind: "unknown", reason: "type", data: { kind: "typing", on: true } });
	});

	test("may return anything that only looks like the payload, and an event has its own fields", () => {
		const { groupId: _groupId, text: _text, ...payload } = inboundMessage;
		class Message {
			constructor(fields: Payload) {
				Object.assign(this, fields);
			}
			get text() {
				return "Hello";
			}
		}
		for (const decoder of [
			(fields: Payload) => new Message(fields),
			(fields: Payload) => Object.create({ ...fields, text: "Hello" }),
		]) {
			const event = receive(payload, decoder);
			expect(event).toMatchObject({ kind: "unknown" });
			expect(JSON.parse(JSON.stringify(event))).toEqual(event);
		}
	});

	test("may return the same object for each event", () => {
		const kept: Payload = {};
		const decoder = (payload: Payload) => Object.assign(kept, payload);
		const first = receive(inboundMessage, decoder);
		receive({ ...inboundMessage, text: "second" }, decoder);
		expect(first).toMatchObject({ data: { text: "Hello" } });
	});

	test("may return a field `then` that is no function", () => {
		// biome-ignore lint/suspicious/noThenProperty: a gateway names its fields as it likes.
		const payload = { ...inboundMessage, then: "later" };
		expect(receive(payload, (fields) => fields)).toMatchObject({ kind: "inbound_message", data: payload });
	});

	test("is not called before the signature is right", () => {
		const decoder = vi.fn(decode);
		const delivery = deliver("{}", { "x-svc-signature": `v1=${"0".repeat(64)}` });
		const events = { decode: decoder };
		expect(catchError(() => verifyWebhook(delivery, { ...receiver(), profile: { events } }))).toMatchObject({
			code: "signature_mismatch",
		});
		expect(decoder).not.toHaveBeenCalled();
	});

	const DECODERS: Outcomes<(payload: Payload) => unknown> = {
		[THREW]: {
			"that throws": () => JSON.parse("private"),
			"that returns a field that throws": () => ({
				get text() {
					throw new Error("private");
				},
			}),
		},
		[FAILED]: {
			"that returns nothing": () => undefined,
			"that returns null": () => null,
			"that returns a string": () => "private",
			"that returns a list": () => [],
			"that returns a promise": async () => ({}),
			"that returns a promise that rejects": () => Promise.reject(new Error("private")),
		},
	};

	testOutcomes(DECODERS, async (decoder) => {
		const error = catchError(() => receive({}, decoder));
		expect(error).toMatchObject({ code: "decode_failed", status: 500 });
		expect(JSON.stringify(error)).not.toContain("private");
		const events = { decode: decoder as typeof decode };
		const { respond, reports } = createReceiver({ profile: { events } });
		expect(await respond()).toBe("500 decode_failed");
		const { message } = error as Error;
		const hint = `Not acknowledged: ${message}`;
		expect(reports).toMatchObject([{ eventId: "evt_1", timestamp: expect.any(Number), hint }]);
		return message;
	});

	test("that throws is the cause of the error", () => {
		const problem = new Error("no such field");
		const error = catchError(() =>
			receive({}, () => {
				throw problem;
			}),
		);
		expect(error).toMatchObject({ cause: problem });
		expect(JSON.stringify(error)).not.toContain("no such field");
	});
});

describe("profile.events.encode", () => {
	test("lets the local gateway write what decode reads", async () => {
		const events: WebhookEvent[] = [];
		const bodies: string[] = [];
		const local = createLocalGateway({
			profile,
			deliverTo: async (request) => {
				bodies.push(await request.clone().text());
				return webhooks.fetch(request);
			},
		});
		const webhooks = createWebhookHandler({
			secret: local.webhookSecret,
			clock: local.clock,
			store: memoryStore(),
			profile,
			enqueue: (event) => void events.push(event),
		});
		const gateway = new MessagingGateway(local.clientOptions);
		await gateway.messages.sendText({ to: "+15551234567", text: "Hello" });
		await local.settled();
		const contact = local.contact("+15551234567");
		await contact.reply("Hi");
		await contact.react("love");
		await local.settled();
		local.close();
		expect(new Set(events.map(({ kind }) => kind))).toEqual(
			new Set(["status", "inbound_message", "inbound_reaction"]),
		);
		for (const body of bodies) expect(Object.keys(JSON.parse(body))).toEqual(["event", "data"]);
	});

	test("is used by createWebhookRequest", async () => {
		const request = createWebhookRequest("inbound_message", { text: "Hi" }, { profile });
		expect(await request.json()).toMatchObject({ event: "message.received", data: { text: "Hi" } });
	});

	const ENCODERS: Outcomes<() => unknown> = {
		"configuration: profile.events.encode must return an object, and no promise": {
			"that returns nothing": () => undefined,
			"that returns a list": () => [],
			"that returns a promise": async () => ({}),
			"that returns a promise that rejects": () => Promise.reject(new Error("no")),
		},
	};

	testOutcomes(ENCODERS, (encoder) => {
		const forgets = { events: { decode, encode: encoder as typeof encode } };
		const error = catchError(() => createWebhookRequest("status", {}, { profile: forgets }));
		return `${Reflect.get(Object(error), "code")}: ${(error as Error).message}`;
	});
});
