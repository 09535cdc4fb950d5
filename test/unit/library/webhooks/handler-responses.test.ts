import { createWebhookHandler, type EventHandlers, PermanentWebhookError } from "messaging-gateway/webhooks";
import { describe, expect, test, vi } from "vitest";
import { webhookSecret } from "../../../support/webhook-delivery.ts";
import { inboundMessage, inboundReaction, statusUpdate } from "../../../support/webhook-payloads.ts";
import { createReceiver, pendingHandler, showResponse } from "../../../support/webhook-receiver.ts";

/** A status without its chat: a known kind that its schema rejects. */
const { chatGuid: _chatGuid, ...rejected } = statusUpdate;
/** Whether the gateway delivers it again is not shown (specification, section 6.4), so no hint promises it. */
const NOT_ACKNOWLEDGED = "The event wasn't acknowledged: expect it again only if your gateway retries";
const newType = { type: "outbound_typing", messageId: "m-1" };

describe("a handler that finishes", () => {
	test.each<[title: string, kind: keyof EventHandlers, payload: object]>([
		["a message", "inbound_message", inboundMessage],
		["a reaction", "inbound_reaction", inboundReaction],
		["a status", "status", statusUpdate],
		["a new type", "unknown", newType],
		["a payload that its schema rejects", "unknown", rejected],
	])("is given %s and acknowledged with 200", async (_title, kind, payload) => {
		const handle = vi.fn();
		const { respond, reported, clock } = createReceiver({ on: { [kind]: handle } });
		expect(await respond({ payload })).toBe("200");
		expect(handle).toHaveBeenCalledExactlyOnceWith(
			expect.objectContaining({ kind, eventId: "evt_1", timestamp: 1767225600, data: payload }),
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
	});

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

	test("may be a plain function, and what it returns does not matter", async () => {
		for (const result of [undefined, null, false, new Response("no", { status: 400 })])
			expect(await createReceiver({ on: { inbound_message: () => result } }).respond()).toBe("200");
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
	test.each<[title: string, failing: () => unknown]>([
		["at once", () => JSON.parse("no JSON")],
		["later", () => Promise.reject(new Error("the database is away"))],
		["nothing", () => Promise.reject(undefined)],
		["a string", () => Promise.reject("private")],
	])("%s lets the event go with 500, and the next delivery runs it again", async (_title, failing) => {
		const handle = vi.fn().mockImplementationOnce(failing);
		const { respond, reports, calls, clock } = createReceiver({ on: { inbound_message: handle } });
		expect(await respond()).toBe("500 handler_failed");
		expect(reports).toMatchObject([{ eventId: "evt_1", hint: expect.stringContaining(NOT_ACKNOWLEDGED) }]);
		expect(calls).toEqual(["claim", "release"]);
		expect(await respond()).toBe("200");
		expect(handle.mock.lastCall?.[1]).toMatchObject({ attempt: 2 });
		expect([reports.length, clock.openTimers]).toEqual([1, 0]);
	});

	test("again and again is counted, and from the third time gets a hint at PermanentWebhookError", async () => {
		const handle = vi.fn().mockRejectedValue(new Error("no"));
		const { respond, reports } = createReceiver({ on: { inbound_message: handle } });
		for (let round = 0; round < 4; round++) expect(await respond()).toBe("500 handler_failed");
		expect(handle.mock.calls.map(([, { attempt }]) => attempt)).toEqual([1, 2, 3, 4]);
		const named = reports.map(({ hint }) => hint.includes("PermanentWebhookError"));
		expect(named).toEqual([false, false, true, true]);
		expect(reports[2]?.hint).toContain(NOT_ACKNOWLEDGED);
	});

	test("PermanentWebhookError gives the event up: 200, reported to onError, and it does not come again", async () => {
		const error = new PermanentWebhookError("the account is closed");
		const handle = vi.fn().mockRejectedValue(error);
		const { respond, reports } = createReceiver({ on: { inbound_message: handle } });
		expect([await respond(), await respond()]).toEqual(["200", "200"]);
		expect(handle).toHaveBeenCalledTimes(1);
		expect(reports).toEqual([{ error, eventId: "evt_1", timestamp: 1767225600, hint: expect.any(String) }]);
	});
});

describe("without a handler for its kind", () => {
	test.each<[title: string, payload: object]>([
		["inbound_message", inboundMessage],
		["inbound_reaction", inboundReaction],
		["status", statusUpdate],
	])("an event of the known kind %s is done, and nothing is reported", async (_title, payload) => {
		const { respond, reported, calls } = createReceiver({ on: { unknown: () => expect.unreachable() } });
		expect([await respond({ payload }), await respond({ payload })]).toEqual(["200", "200"]);
		expect(reported()).toEqual([]);
		expect(calls).toEqual(["claim", "complete", "claim"]);
	});

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

	test("that fails lets the event go with 500", async () => {
		const enqueue = vi.fn().mockRejectedValueOnce(new Error("the queue is away"));
		const { respond } = createReceiver({ enqueue });
		expect([await respond(), await respond(), await respond()]).toEqual(["500 handler_failed", "200", "200"]);
		expect(enqueue).toHaveBeenCalledTimes(2);
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
