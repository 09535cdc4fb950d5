import { runInNewContext } from "node:vm";
import { context, trace } from "@opentelemetry/api";
import { traceCalls, traceEvents } from "messaging-gateway/opentelemetry";
import { PermanentWebhookError } from "messaging-gateway/webhooks";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { type Outcomes, testOutcomes } from "../../../support/outcomes.ts";
import { type RecordedSpans, recordSpans } from "../../../support/recorded-spans.ts";
import { scriptGateway } from "../../../support/scripted-gateway.ts";
import { throwing } from "../../../support/throwing.ts";
import { inboundReaction, statusUpdate } from "../../../support/webhook-payloads.ts";
import {
	createReceiver,
	type Delivery,
	pendingHandler,
	type ReceiverOptions,
} from "../../../support/webhook-receiver.ts";
import { MESSAGE, ok, USER } from "../../../support/wire.ts";

const RUN = "process inbound_message";

let spans: RecordedSpans;
beforeEach(() => {
	spans = recordSpans();
});
afterEach(() => spans[Symbol.dispose]());

function receive(options: ReceiverOptions) {
	return createReceiver({ hooks: traceEvents(), ...options });
}

/** The deliveries that come one after the other, and their receiver. */
type Story = readonly [options: ReceiverOptions, ...deliveries: Delivery[]];

/** The responses, and the spans with the attempts of their events. None of them has an event. */
async function spansOf([options, ...deliveries]: Story): Promise<string> {
	const receiver = receive(options);
	const responses: string[] = [];
	for (const delivery of deliveries) responses.push(await receiver.respond(delivery));
	expect(spans.all().flatMap(({ events }) => events)).toEqual([]);
	const attempts = spans.all().map(({ attributes }) => attributes["messaging_gateway.handler.attempt"]);
	const lines = spans.tree().map((line, at) => `${line}, attempt ${attempts[at]}`);
	return [responses.join(", "), ...lines].join("\n");
}

const nothing = () => undefined;
const throwingFirst = (thrown: unknown): ReceiverOptions => ({
	on: { inbound_message: throwing(thrown) },
});
const failingWith = (type: string) => `500 handler_failed\nCONSUMER ${RUN} ${type}, attempt 1`;
const named = (name: unknown) => Object.assign(new Error(), { name });

const EVENTS: Outcomes<Story> = {
	[`200\nCONSUMER ${RUN}, attempt 1`]: {
		"an event that is handled": [{ on: { inbound_message: nothing } }, {}],
	},
	[`200, 200\nCONSUMER ${RUN}, attempt 1`]: {
		"an event that comes again when it is done": [{ on: { inbound_message: nothing } }, {}, {}],
	},
	"200\nCONSUMER process inbound_reaction, attempt 1": {
		"a reaction": [{ on: { inbound_reaction: nothing } }, { payload: inboundReaction }],
	},
	"200\nCONSUMER process status, attempt 1": {
		"a status": [{ on: { status: nothing } }, { payload: statusUpdate }],
	},
	"200\nCONSUMER process unknown, attempt 1": {
		"an event of an unknown kind": [{ on: { unknown: nothing } }, { payload: { type: "typing" } }],
	},
	"200, 401 signature_mismatch": {
		"an event without a handler, and one that is rejected": [
			{ on: {} },
			{},
			{ eventId: "evt_2", secret: "another-secret" },
		],
	},
	[`500 handler_failed, 200\nCONSUMER ${RUN} TypeError, attempt 1\nCONSUMER ${RUN}, attempt 2`]: {
		"a run that fails, and the next one": [
			{
				on: { inbound_message: vi.fn().mockImplementationOnce(throwing(new TypeError("private"))) },
			},
			{},
			{},
		],
	},
	[`200\nCONSUMER ${RUN} PermanentWebhookError, attempt 1`]: {
		"what gives the event up": [throwingFirst(new PermanentWebhookError("private")), {}],
	},
	[failingWith("RangeError")]: {
		"an error of another realm": [throwingFirst(runInNewContext('new RangeError("private")')), {}],
	},
	[failingWith("x".repeat(64))]: {
		"an error with a name of 64 letters": [throwingFirst(named("x".repeat(64))), {}],
	},
	[failingWith("Error_1234")]: {
		"an error with four digits in its name": [throwingFirst(named("Error_1234")), {}],
	},
	[failingWith("_OTHER")]: {
		"a string that is thrown": [throwingFirst("private"), {}],
		"nothing that is thrown": [throwingFirst(undefined), {}],
		"null that is thrown": [throwingFirst(null), {}],
		"an error with a sentence for a name": [throwingFirst(named(`no ${USER}`)), {}],
		"an error with a number for a name": [throwingFirst(named("n15551234567")), {}],
		"an error with five digits in its name": [throwingFirst(named("Error_12345")), {}],
		"an error whose name begins with a digit": [throwingFirst(named("1Error")), {}],
		"an error with an empty name": [throwingFirst(named("")), {}],
		"an error with a name of 65 letters": [throwingFirst(named("x".repeat(65))), {}],
		"an error with a symbol for a name": [throwingFirst(named(Symbol("x"))), {}],
	},
	[`503 handler_timed_out, again in 5 s\nCONSUMER ${RUN} handler_timed_out, attempt 1`]: {
		"a run that takes too long": [
			{ on: { inbound_message: pendingHandler().handle }, maxHandlerMs: 60_000, leaseMs: 10_000 },
			{},
		],
	},
};

describe("the spans of an event", () => {
	testOutcomes(EVENTS, spansOf);

	test("have these attributes, and no other", async () => {
		const receiver = receive({ consumer: "notes", on: { inbound_message: () => undefined } });
		await receiver.respond();
		expect(spans.named(RUN).attributes).toEqual({
			"messaging.system": "messaging_gateway",
			"messaging.operation.name": "process",
			"messaging.operation.type": "process",
			"messaging.destination.name": "inbound_message",
			"messaging.message.id": "evt_1",
			"messaging.consumer.group.name": "notes",
			"messaging_gateway.handler.attempt": 1,
		});
	});

	test("are one around what puts it into a queue", async () => {
		const enqueue = () => trace.getTracer("queue").startSpan("add job").end();
		const receiver = receive({ enqueue });
		await receiver.respond();
		expect(spans.tree()).toEqual([`CONSUMER ${RUN}`, "  INTERNAL add job"]);
	});

	test("are one where it comes again while it runs", async () => {
		const { handle, finish } = pendingHandler();
		const receiver = receive({ on: { inbound_message: handle } });
		const first = receiver.respond();
		await receiver.clock.advance(0);
		expect(await receiver.respond()).toMatch(/^503 in_flight/);
		finish();
		expect(await first).toBe("200");
		expect(spans.tree()).toEqual([`CONSUMER ${RUN}`]);
	});

	test("have the loss of its lease as their type", async () => {
		const { handle } = pendingHandler();
		const receiver = receive({ on: { inbound_message: handle }, leaseMs: 10_000 });
		receiver.fail("extend", "reject");
		expect(await receiver.respond()).toMatch(/^503 lease_lost/);
		expect(spans.tree()).toEqual([`CONSUMER ${RUN} lease_lost`]);
	});

	test("are active in its handler, and above the calls that it makes", async () => {
		const { gateway } = scriptGateway([ok({ message: MESSAGE })], { hooks: traceCalls() });
		const receiver = receive({
			on: {
				inbound_message: async () => {
					await gateway.messages.sendText({ to: USER, text: "Hello" });
				},
			},
		});
		await receiver.respond();
		expect(spans.tree()).toEqual([
			`CONSUMER ${RUN}`,
			"  INTERNAL messaging-gateway messages.sendText",
			"    CLIENT POST /message/text",
		]);
	});
});

describe("the parent", () => {
	test("is what is active when the delivery is handled, such as a server's span", async () => {
		const receiver = receive({ on: { inbound_message: () => undefined } });
		await trace.getTracer("server").startActiveSpan("POST /webhooks", async (span) => {
			await receiver.respond();
			span.end();
		});
		expect(spans.tree()).toEqual(["INTERNAL POST /webhooks", `  CONSUMER ${RUN}`]);
	});

	test("is never taken from the delivery's headers, which nobody has signed", async () => {
		const receiver = receive({ on: { inbound_message: () => undefined } });
		const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
		await receiver.respond({ headers: { traceparent: `00-${traceId}-00f067aa0ba902b7-01` } });
		const span = spans.named(RUN);
		expect(span.spanContext().traceId).not.toBe(traceId);
		expect(span.parentSpanContext).toBeUndefined();
		expect(span.links).toEqual([]);
	});

	test("does not mix events that run at the same time", async () => {
		const active = new Map<string, string | undefined>();
		const receiver = receive({
			on: {
				inbound_message: async ({ eventId }) => {
					await new Promise((resolve) => receiver.clock.setTimer(() => resolve(undefined), 10));
					active.set(eventId, trace.getSpan(context.active())?.spanContext().spanId);
				},
			},
		});
		await Promise.all(["evt_1", "evt_2"].map((eventId) => receiver.respond({ eventId })));
		const ids = spans
			.all()
			.map((span) => [span.attributes["messaging.message.id"], span.spanContext().spanId]);
		expect(active).toEqual(new Map(ids as [string, string][]));
		expect(active.size).toBe(2);
	});
});
