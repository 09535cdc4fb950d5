import { createWebhookHandler, type EventHandlers, PermanentWebhookError } from "messaging-gateway/webhooks";
import { describe, expect, test, vi } from "vitest";
import { type Outcomes, testOutcomes } from "../../../support/outcomes.ts";
import { webhookSecret } from "../../../support/webhook-delivery.ts";
import { inboundMessage, inboundReaction, statusUpdate } from "../../../support/webhook-payloads.ts";
import {
	createReceiver,
	pendingHandler,
	type ReceiverOptions,
	showResponse,
} from "../../../support/webhook-receiver.ts";

/** A status without its chat: a known kind that its schema rejects. */
const { chatGuid: _chatGuid, ...rejected } = statusUpdate;
/** Whether the gateway delivers it again is not shown (specification, section 6.4), so no hint promises it. */
const NOT_ACKNOWLEDGED = "The event wasn't acknowledged: expect it again only if your gateway retries";
const newType = { type: "outbound_typing", messageId: "m-1" };

/** An event, and what gets it; by default a handler of each kind. */
type Event = readonly [payload: object, options?: ReceiverOptions];

const failing = (fail: () => unknown): ReceiverOptions => ({
	on: { inbound_message: vi.fn().mockImplementationOnce(fail) },
});
const unhandled: ReceiverOptions = { on: { unknown: () => expect.unreachable() } };

const EVENTS: Outcomes<Event> = {
	"given to inbound_message: 200": { "a message": [inboundMessage] },
	"given to inbound_reaction: 200": { "a reaction": [inboundReaction] },
	"given to status: 200": { "a status": [statusUpdate] },
	"given to unknown: 200": { "a new type": [newType], "a payload that its schema rejects": [rejected] },
};

describe("an event is", () => {
	testOutcomes(EVENTS, async ([payload]) => {
		const kinds = ["inbound_message", "inbound_reaction", "status", "unknown"] as const;
		const given: string[] = [];
		const handle = vi.fn();
		const on = Object.fromEntries(
			kinds.map((kind) => [
				kind,
				(...all: Parameters<EventHandlers["unknown"]>) => {
					given.push(kind);
					expect(all[0].kind).toBe(kind);
					handle(...all);
				},
			]),
		);
		const { respond, reported, clock } = createReceiver({ on });
		const response = await respond({ payload });
		expect(handle).toHaveBeenCalledExactlyOnceWith(
			expect.objectContaining({ eventId: "evt_1", timestamp: 1767225600, data: payload }),
			{
				attempt: 1,
				token: expect.any(Number),
				signal: expect.any(AbortSignal),
				readBody: expect.any(Function),
			},
		);
		expect(handle.mock.lastCall?.[1].readBody()).toBe(JSON.stringify(payload));
		// What a log makes of a context.
		expect(JSON.stringify(handle.mock.lastCall?.[1])).not.toContain("messageId");
		expect([reported(), clock.openTimers]).toEqual([[], 0]);
		return `given to ${given}: ${response}`;
	});
});

/** The responses to an event that comes twice, with what is reported, and what the store is asked. */
const REPEATS: Outcomes<Event> = {
	"200, 200; claim, complete, claim": {
		"a message without a handler for its kind": [inboundMessage, unhandled],
		"a reaction without a handler for its kind": [inboundReaction, unhandled],
		"a status without a handler for its kind": [statusUpdate, unhandled],
		...Object.fromEntries(
			[undefined, null, false, new Response("no", { status: 400 })].map((result): [string, Event] => [
				`a plain function that returns ${result}`,
				[inboundMessage, { on: { inbound_message: () => result } }],
			]),
		),
	},
	[`500 handler_failed, 200; claim, release, claim, complete; handler_failed: Your handler threw. ${NOT_ACKNOWLEDGED}`]:
		{
			"a handler that throws at once": [inboundMessage, failing(() => JSON.parse("no JSON"))],
			"a handler that throws later": [inboundMessage, failing(() => Promise.reject(new Error("private")))],
			"a handler that throws nothing": [inboundMessage, failing(() => Promise.reject(undefined))],
			"a handler that throws a string": [inboundMessage, failing(() => Promise.reject("private"))],
			"a queue that fails": [
				inboundMessage,
				{ enqueue: vi.fn().mockRejectedValueOnce(new Error("private")) },
			],
		},
	"200, 200; claim, complete, claim; event_given_up: Your handler gave up on the event, so it is acknowledged":
		{
			"a handler that gives the event up": [
				inboundMessage,
				failing(() => Promise.reject(new PermanentWebhookError("private"))),
			],
		},
};

describe("an event that comes twice:", () => {
	testOutcomes(REPEATS, async ([payload, options]) => {
		const { respond, reports, reported, calls, clock } = createReceiver(options);
		const responses = [await respond({ payload }), await respond({ payload })];
		expect(reports).toMatchObject(reports.map(() => ({ eventId: "evt_1", timestamp: 1767225600 })));
		expect(clock.openTimers).toBe(0);
		return [
			responses.join(", "),
			calls.join(", "),
			...reports.map(({ hint }, at) => `${reported()[at]?.split(":")[0]}: ${hint}`),
		].join("; ");
	});
});

describe("a handler that finishes", () => {
	test("is not run for a repeat, which is acknowledged too, for as long as events are remembered", async () => {
		const handle = vi.fn();
		const { respond, clock } = createReceiver({ on: { inbound_message: handle }, retentionMs: 1_000_000 });
		expect([await respond(), await respond()]).toEqual(["200", "200"]);
		await clock.advance(999_999);
		expect(await respond()).toBe("200");
		expect(handle).toHaveBeenCalledTimes(1);
		await clock.advance(1);
		expect(await respond()).toBe("200");
		expect(handle).toHaveBeenCalledTimes(2);
	});

	test("is run for each event, and only for the events of its kind", async () => {
		const [onMessage, onReaction] = [vi.fn(), vi.fn()];
		const { respond } = createReceiver({ on: { inbound_message: onMessage, inbound_reaction: onReaction } });
		expect([await respond({ eventId: "evt_1" }), await respond({ eventId: "evt_2" })]).toEqual([
			"200",
			"200",
		]);
		expect(onMessage.mock.calls.map(([{ eventId }]) => eventId)).toEqual(["evt_1", "evt_2"]);
		expect(onReaction).not.toHaveBeenCalled();
	});
});

test("a repeat while the first still runs is 503 with Retry-After until the lease's end, never 2xx", async () => {
	const { handle, runs, finish } = pendingHandler();
	const { send, respond, clock } = createReceiver({ on: { inbound_message: handle } });
	const first = send();
	await clock.advance(500);
	expect(await respond()).toBe("503 in_flight, again in 15 s");
	await clock.advance(10_000);
	expect(await respond()).toBe("503 in_flight, again in 12 s");
	finish();
	expect(showResponse(await first)).toBe("200");
	expect(await respond()).toBe("200");
	expect(runs).toHaveLength(1);
});

test("of many deliveries at once one runs the handler", async () => {
	const { handle, runs, finish } = pendingHandler();
	const { send, clock } = createReceiver({ on: { inbound_message: handle } });
	const responses = Array.from({ length: 20 }, () => send());
	await clock.advance(0);
	finish();
	const shown = (await Promise.all(responses)).map(({ status }) => status).sort();
	expect(shown).toEqual([200, ...Array.from({ length: 19 }, () => 503)]);
	expect(runs).toHaveLength(1);
});

describe("a handler that throws", () => {
	test("again and again is counted, and from the third time gets a hint at PermanentWebhookError", async () => {
		const handle = vi.fn().mockRejectedValue(new Error("no"));
		const { respond, reports } = createReceiver({ on: { inbound_message: handle } });
		for (let round = 0; round < 4; round++) expect(await respond()).toBe("500 handler_failed");
		expect(handle.mock.calls.map(([, { attempt }]) => attempt)).toEqual([1, 2, 3, 4]);
		const named = reports.map(({ hint }) => hint.includes("PermanentWebhookError"));
		expect(named).toEqual([false, false, true, true]);
		expect(reports[2]?.hint).toContain(NOT_ACKNOWLEDGED);
	});
});

describe("without a handler for its kind", () => {
	test.each([
		["an unknown type", newType],
		["a known type of another shape", rejected],
	])(
		"an event of %s is not acknowledged, though on.unknown was removed after the set-up",
		async (_title, payload) => {
			const on: Partial<EventHandlers> = { unknown: () => expect.unreachable() };
			const { clock, store, sign, reports, onError } = createReceiver();
			const handler = createWebhookHandler({
				secret: webhookSecret,
				store,
				clock,
				onError,
				on: on as EventHandlers,
			});
			delete on.unknown;
			for (let round = 1; round <= 2; round++) {
				expect(showResponse(await handler.handle(sign({ payload })))).toBe("500 handler_failed");
				expect(reports).toHaveLength(round);
			}
			expect(reports[0]).toMatchObject({ error: expect.any(TypeError), eventId: "evt_1" });
		},
	);
});

describe("enqueue", () => {
	test.each([
		["a message", inboundMessage, "inbound_message"],
		["a new type", newType, "unknown"],
		["a payload that its schema rejects", rejected, "unknown"],
	])("is given %s before the 200", async (_title, payload, kind) => {
		const { handle, runs, finish } = pendingHandler();
		const enqueue = vi.fn(handle);
		const { send, clock } = createReceiver({ enqueue });
		const response = send({ payload });
		const onResponse = vi.fn();
		void response.then(onResponse);
		await clock.advance(1_000);
		expect(runs).toHaveLength(1);
		expect(onResponse).not.toHaveBeenCalled();
		finish();
		expect((await response).status).toBe(200);
		expect(enqueue.mock.lastCall?.[0]).toMatchObject({ kind, eventId: "evt_1" });
	});
});

test("of two handlers without a name on one store, only the first runs", async () => {
	const [billing, chat] = [vi.fn(), vi.fn()];
	const first = createReceiver({ on: { inbound_message: billing } });
	const second = createReceiver({ on: { inbound_message: chat }, store: first.store });
	expect([await first.respond(), await second.respond()]).toEqual(["200", "200"]);
	expect([billing, chat].map((handler) => handler.mock.calls.length)).toEqual([1, 0]);
});

test("receivers with different names on one store each get the event", async () => {
	const handle = vi.fn();
	const first = createReceiver({ consumer: "billing", on: { inbound_message: handle } });
	const options = { consumer: "chat", on: { inbound_message: handle }, store: first.store };
	const second = createReceiver(options);
	expect([await first.respond(), await second.respond(), await second.respond()]).toEqual([
		"200",
		"200",
		"200",
	]);
	expect(handle).toHaveBeenCalledTimes(2);
	expect(await createReceiver({ ...options, consumer: "billing" }).respond()).toBe("200");
	expect(handle).toHaveBeenCalledTimes(2);
});
