import { metrics } from "@opentelemetry/api";
import { measureDeliveries, traceEvents } from "messaging-gateway/opentelemetry";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { METRIC_ATTRIBUTES } from "../../../../src/library/opentelemetry/attributes.ts";
import { eventually } from "../../../support/eventually.ts";
import { type Outcomes, testOutcomes } from "../../../support/outcomes.ts";
import { recordSpans } from "../../../support/recorded-spans.ts";
import { throwing } from "../../../support/throwing.ts";
import { webhookSecret } from "../../../support/webhook-delivery.ts";
import { statusUpdate } from "../../../support/webhook-payloads.ts";
import {
	createReceiver,
	type Delivery,
	pendingHandler,
	type ReceiverOptions,
} from "../../../support/webhook-receiver.ts";
import { type RecordedMetrics, recordMetrics } from "./recorded-metrics.ts";

const RESPONSES = "messaging_gateway.webhook.responses";
const DURATION = "messaging_gateway.webhook.duration";

let recorded: RecordedMetrics;
beforeEach(() => {
	recorded = recordMetrics();
});
afterEach(() => recorded[Symbol.dispose]());

const MESSAGE = { "messaging.destination.name": "inbound_message" };
const FIRST = { "messaging_gateway.webhook.is_repeat": false };
const REPEAT = { "messaging_gateway.webhook.is_repeat": true };
const OK = { "http.response.status_code": 200 };

async function pointsOf(metric: string) {
	const { points } = await recorded.collect();
	return points.filter((point) => point.metric === metric);
}

/** The deliveries that come one after the other, and their receiver. */
type Story = readonly [deliveries: readonly Delivery[], options?: ReceiverOptions];

/** The points of the counter, each with its value. */
async function pointsAfter([deliveries, options]: Story): Promise<string> {
	const { respond } = createReceiver({ hooks: measureDeliveries(), ...options });
	for (const delivery of deliveries) await respond(delivery);
	const points = await pointsOf(RESPONSES);
	return points.map(({ value, attributes }) => `${value} of ${JSON.stringify(attributes)}`).join(", ");
}

const point = (value: number, attributes: object) => `${value} of ${JSON.stringify(attributes)}`;
const status = (code: number, type: string) => ({ "http.response.status_code": code, "error.type": type });
const repeated = <Item>(times: number, item: Item) => Array.from({ length: times }, () => item);

const POINTS: Outcomes<Story> = {
	[point(1, { ...OK, ...MESSAGE, ...FIRST })]: { "an event": [[{}]] },
	[point(2, { ...OK, ...MESSAGE, ...FIRST })]: { "two events": [[{}, { eventId: "evt_2" }]] },
	[[point(1, { ...OK, ...MESSAGE, ...FIRST }), point(2, { ...OK, ...MESSAGE, ...REPEAT })].join(", ")]: {
		"an event that comes twice again": [repeated(3, {})],
	},
	[point(1, { ...OK, "messaging.destination.name": "status", ...FIRST })]: {
		"a status": [[{ payload: statusUpdate }]],
	},
	[point(1, { ...status(401, "signature_mismatch"), ...FIRST })]: {
		"a wrong secret, whose event has no kind": [[{ secret: "another-secret" }]],
	},
	[point(1, { ...status(500, "handler_failed"), ...MESSAGE, ...FIRST })]: {
		"a handler that fails": [[{}], { on: { inbound_message: throwing(new Error("private")) } }],
	},
};

describe("the responses are counted by status, code, kind and repeat", () => {
	testOutcomes(POINTS, pointsAfter);

	test("where the store is unreachable", async () => {
		const { respond, fail } = createReceiver({ hooks: measureDeliveries() });
		fail("claim", "reject");
		await respond({ payload: statusUpdate });
		expect(await pointsOf(RESPONSES)).toEqual([
			{
				metric: RESPONSES,
				value: 1,
				attributes: {
					...status(503, "store_unavailable"),
					"messaging.destination.name": "status",
					...FIRST,
				},
			},
		]);
	});
});

test("has the durations in seconds, with buckets up to the longest run", async () => {
	const { handle, finish } = pendingHandler();
	const { handler, sign, clock } = createReceiver({
		hooks: measureDeliveries(),
		on: { inbound_message: handle },
	});
	const handling = handler.handle(sign());
	await clock.advance(1_500);
	finish();
	await handling;
	const [point, ...others] = await pointsOf(DURATION);
	expect(others).toEqual([]);
	expect(point).toMatchObject({ value: 1, sum: 1.5, attributes: { ...OK, ...MESSAGE, ...FIRST } });
	expect(point?.boundaries?.[0]).toBe(0.005);
	expect(point?.boundaries?.at(-1)).toBe(300);
});

test("names the metrics, their units and the scope", async () => {
	await createReceiver({ hooks: measureDeliveries() }).respond();
	const { described } = await recorded.collect();
	expect(described).toEqual([
		`messaging-gateway: ${RESPONSES} in {response}`,
		`messaging-gateway: ${DURATION} in s`,
	]);
});

test("two handlers count together", async () => {
	for (const consumer of ["a", "b"]) await createReceiver({ consumer, hooks: measureDeliveries() }).respond();
	expect((await pointsOf(RESPONSES)).map(({ value }) => value)).toEqual([2]);
});

test("a thousand senders and events make no further point", async () => {
	const { respond } = createReceiver({ hooks: measureDeliveries() });
	for (let number = 0; number < 500; number++) {
		await respond({ eventId: `evt_${number}`, payload: { type: `type-${number}` } });
		await respond({ eventId: `evt_${number}`, secret: `secret-${number}` });
	}
	expect((await pointsOf(RESPONSES)).map(({ value }) => value)).toEqual([500, 500]);
});

test("the metrics have every attribute that the docs list, no other, and nothing of a delivery", async () => {
	const { respond } = createReceiver({ hooks: measureDeliveries() });
	await respond();
	await respond({ secret: "another-secret" });
	const { points, exported } = await recorded.collect();
	const names = new Set(points.flatMap(({ attributes }) => Object.keys(attributes)));
	expect([...names].sort()).toEqual(Object.keys(METRIC_ATTRIBUTES).sort());
	for (const told of ["evt_1", "Hello", "+1555", "v1=", webhookSecret, "another-secret"]) {
		expect(exported).not.toContain(told);
	}
});

describe("the SDK", () => {
	test("may be registered after the handler was made, and after its first responses", async () => {
		recorded[Symbol.dispose]();
		const { respond } = createReceiver({ hooks: measureDeliveries() });
		expect(await respond()).toBe("200");
		recorded = recordMetrics();
		await respond();
		await respond({ eventId: "evt_2" });
		expect((await pointsOf(RESPONSES)).map(({ value }) => value)).toEqual([1, 1]);
	});

	test("that fails changes no response, and is reported", async () => {
		recorded[Symbol.dispose]();
		const broken = new Error("no meter");
		metrics.setGlobalMeterProvider({
			getMeter() {
				throw broken;
			},
		});
		const { respond, reports } = createReceiver({ hooks: measureDeliveries() });
		expect(await respond()).toBe("200");
		await eventually(() => expect(reports).toHaveLength(1));
		expect(reports).toMatchObject([{ error: broken, hint: expect.stringContaining("hooks.onResponse") }]);
	});

	test("gets spans as well, if both hooks are given", async () => {
		using spans = recordSpans();
		const hooks = { ...traceEvents(), ...measureDeliveries() };
		await createReceiver({ hooks, on: { inbound_message: () => undefined } }).respond();
		expect(spans.tree()).toEqual(["CONSUMER process inbound_message"]);
		expect(await pointsOf(RESPONSES)).toHaveLength(1);
	});
});
