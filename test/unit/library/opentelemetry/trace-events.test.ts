import { runInNewContext } from "node:vm";
import { context, trace } from "@opentelemetry/api";
import { traceCalls, traceEvents } from "messaging-gateway/opentelemetry";
import { PermanentWebhookError } from "messaging-gateway/webhooks";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type RecordedSpans, recordSpans } from "../../../support/recorded-spans.ts";
import { scriptGateway } from "../../../support/scripted-gateway.ts";
import { throwing } from "../../../support/throwing.ts";
import { inboundReaction, statusUpdate } from "../../../support/webhook-payloads.ts";
import { createReceiver, pendingHandler, type ReceiverOptions } from "../../../support/webhook-receiver.ts";
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

describe("an event", () => {
	test("that is handled is a span, which has ended when the sender gets its response", async () => {
		const receiver = receive({ consumer: "notes", on: { inbound_message: () => undefined } });
		expect(await receiver.respond()).toBe("200");
		expect(spans.tree()).toEqual([`CONSUMER ${RUN}`]);
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

	test.each([
		["inbound_reaction", inboundReaction],
		["status", statusUpdate],
		["unknown", { type: "typing" }],
	] as const)("of kind %s is named by it", async (kind, payload) => {
		const receiver = receive({ on: { [kind]: () => undefined } });
		await receiver.respond({ payload });
		expect(spans.tree()).toEqual([`CONSUMER process ${kind}`]);
	});

	test("that goes to a queue is a span around that", async () => {
		const enqueue = () => trace.getTracer("queue").startSpan("add job").end();
		const receiver = receive({ enqueue });
		await receiver.respond();
		expect(spans.tree()).toEqual([`CONSUMER ${RUN}`, "  INTERNAL add job"]);
	});

	test("that comes again when it is done, or while it runs, is not a second span", async () => {
		const { handle, finish } = pendingHandler();
		const receiver = receive({ on: { inbound_message: handle } });
		const first = receiver.respond();
		await receiver.clock.advance(0);
		expect(await receiver.respond()).toMatch(/^503 in_flight/);
		finish();
		expect(await first).toBe("200");
		expect(await receiver.respond()).toBe("200");
		expect(spans.tree()).toEqual([`CONSUMER ${RUN}`]);
	});

	test("without a handler, or that is rejected, has no span", async () => {
		const receiver = receive({ on: {} });
		expect(await receiver.respond()).toBe("200");
		expect(await receiver.respond({ eventId: "evt_2", secret: "another-secret" })).toMatch(/^401/);
		expect(spans.all()).toEqual([]);
	});
});

describe("a handler", () => {
	test("that fails makes its span an error, and the next run has another span", async () => {
		const failures: unknown[] = [new TypeError("private"), undefined];
		const receiver = receive({
			on: {
				inbound_message: () => {
					const failure = failures.shift();
					if (failure !== undefined) throw failure;
				},
			},
		});
		expect(await receiver.respond()).toBe("500 handler_failed");
		expect(await receiver.respond()).toBe("200");
		expect(spans.tree()).toEqual([`CONSUMER ${RUN} TypeError`, `CONSUMER ${RUN}`]);
		const attempts = spans.all().map(({ attributes }) => attributes["messaging_gateway.handler.attempt"]);
		expect(attempts).toEqual([1, 2]);
		expect(spans.all().flatMap(({ events }) => events)).toEqual([]);
	});

	test.each<[title: string, thrown: unknown, type: string]>([
		["what gives the event up", new PermanentWebhookError("private"), "PermanentWebhookError"],
		["an error of another realm", runInNewContext('new RangeError("private")'), "RangeError"],
		["a text", "private", "_OTHER"],
		["nothing", undefined, "_OTHER"],
		["an error with a sentence for a name", Object.assign(new Error(), { name: `no ${USER}` }), "_OTHER"],
		["an error with a number for a name", Object.assign(new Error(), { name: "n15551234567" }), "_OTHER"],
		["an error with an endless name", Object.assign(new Error(), { name: "x".repeat(65) }), "_OTHER"],
		["an error with a symbol for a name", Object.assign(new Error(), { name: Symbol("x") }), "_OTHER"],
	])("that throws %s never shows more than a class", async (_title, thrown, type) => {
		const receiver = receive({
			on: {
				inbound_message: throwing(thrown),
			},
		});
		await receiver.respond();
		expect(spans.tree()).toEqual([`CONSUMER ${RUN} ${type}`]);
	});

	test("that runs too long has a span that ends when it is given up", async () => {
		const { handle } = pendingHandler();
		const receiver = receive({ on: { inbound_message: handle }, maxHandlerMs: 60_000, leaseMs: 10_000 });
		expect(await receiver.respond()).toMatch(/^503 handler_timed_out/);
		expect(spans.tree()).toEqual([`CONSUMER ${RUN} handler_timed_out`]);
	});

	test("whose lease is lost has that as the span's error type", async () => {
		const { handle } = pendingHandler();
		const receiver = receive({ on: { inbound_message: handle }, leaseMs: 10_000 });
		receiver.fail("extend", "reject");
		expect(await receiver.respond()).toMatch(/^503 lease_lost/);
		expect(spans.tree()).toEqual([`CONSUMER ${RUN} lease_lost`]);
	});

	test("finds its span active, and so do the calls that it makes", async () => {
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
