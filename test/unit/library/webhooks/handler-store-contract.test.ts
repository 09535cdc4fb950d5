import { inspect } from "node:util";
import type { EventStore } from "messaging-gateway/webhooks";
import { describe, expect, test, vi } from "vitest";
import { settle } from "../../../support/counting-clock.ts";
import { type Outcomes, testOutcomes } from "../../../support/outcomes.ts";
import { inboundMessage } from "../../../support/webhook-payloads.ts";
import { createReceiver, showResponse } from "../../../support/webhook-receiver.ts";

const TIMES = { leaseMs: 60_000, retentionMs: 3_600_000 };

/** A receiver on a store one of whose methods returns something else. */
function createReceiverWith(method: keyof EventStore, returned: unknown, options: object = {}) {
	const { store, clock } = createReceiver();
	const handle = vi.fn();
	const broken: EventStore = { ...store, [method]: () => returned };
	const receiver = createReceiver({ store: broken, clock, on: { inbound_message: handle }, ...options });
	const respond = async () => showResponse(await settle(clock, receiver.send()));
	return { ...receiver, clock, handle, respond };
}

/** What a method of somebody else's store returns, and the handler. */
type Returned = readonly [method: keyof EventStore, returned: unknown, onMessage?: () => unknown];

const AGAIN = "The event wasn't acknowledged: expect it again only if your gateway retries";
const STORE_DOWN = "503 store_unavailable, again in 5 s; the handler ran 0 times; The store failed: its";
const CLAIM =
	'claim must resolve to { status: "acquired", token, attempt }, { status: "in_flight", retryAfterMs } or { status: "done" }, with integers for token and attempt, a finite retryAfterMs, and for a bound delivery boundKey, a string';
const COMPLETE =
	"200; the handler ran 1 times; The event was processed, but the store couldn't record it: its complete must resolve to true or false. If the gateway repeats it, your handler runs again: make it safe to run twice";
const RELEASE = `500 handler_failed; the handler ran 1 times; Your handler threw. ${AGAIN}; The store couldn't release the event: its release must resolve to true or false. A repeat can run once its lease is over, in 15000 ms (leaseMs) at most. If this goes on, check the store's server`;

/** Rows by what they return, as JSON shows it. */
function returning(
	method: keyof EventStore,
	values: readonly unknown[],
	onMessage = () => undefined as unknown,
) {
	const rows = values.map((value): [string, Returned] => [
		`${method} that resolves to ${inspect(value)}`,
		[method, value, onMessage],
	]);
	return Object.fromEntries(rows);
}

const ACQUIRED = { status: "acquired", token: 1, attempt: 1 };
const values = [undefined, null, "OK", 1, {}];
const foreignKeys = ["evt_1", "other:evt_1", "default:", "default:evt 1", "default:evt,1"];

const STORES: Outcomes<Returned> = {
	[`${STORE_DOWN} ${CLAIM}. ${AGAIN}`]: returning("claim", [
		...[undefined, null, 5, "acquired", {}, [], { status: "ok" }],
		{ status: "acquired" },
		{ ...ACQUIRED, token: "1" },
		{ ...ACQUIRED, token: 1.5 },
		{ ...ACQUIRED, token: 1n },
		{ status: "acquired", token: 1 },
		{ ...ACQUIRED, attempt: 0 },
		{ status: "in_flight" },
		{ status: "in_flight", retryAfterMs: Number.NaN },
		{ status: "in_flight", retryAfterMs: Number.POSITIVE_INFINITY },
		{ status: "in_flight", retryAfterMs: "5" },
		{ status: "done", boundKey: 5 },
		{ status: "done", boundKey: null },
		{ ...ACQUIRED, boundKey: ["default:evt_1"] },
	]),
	[`${STORE_DOWN} bound key must be one that was given with the delivery before. ${AGAIN}`]: returning(
		"claim",
		[...foreignKeys, `default:${"x".repeat(257)}`].flatMap((boundKey) => [
			{ status: "done", boundKey },
			{ ...ACQUIRED, boundKey },
		]),
	),
	[COMPLETE]: returning("complete", values),
	[RELEASE]: returning("release", values, () => Promise.reject(new Error("no"))),
};

describe("a store of somebody else's that doesn't keep the contract is a store that failed:", () => {
	testOutcomes(STORES, async ([method, value, onMessage]) => {
		const outcomes = [];
		for (const returned of [Promise.resolve(value), value]) {
			const handle = vi.fn(onMessage);
			const { respond, reports } = createReceiverWith(method, returned, { on: { inbound_message: handle } });
			const response = await respond();
			const runs = `the handler ran ${handle.mock.calls.length} times`;
			expect(reports.at(-1)?.error).toMatchObject({ name: "StoreError" });
			outcomes.push([response, runs, ...reports.map(({ hint }) => hint)].join("; "));
		}
		expect(outcomes[1]).toBe(outcomes[0]);
		return String(outcomes[0]);
	});

	test("extend resolves to nothing: the signal fires when the lease is over", async () => {
		const signals: AbortSignal[] = [];
		const on = {
			inbound_message: (_event: unknown, { signal }: { signal: AbortSignal }) => {
				signals.push(signal);
				return new Promise(() => undefined);
			},
		};
		const { send, clock } = createReceiverWith("extend", Promise.resolve(), { on });
		const response = send();
		await clock.advance(14_998);
		expect(signals[0]?.aborted).toBe(false);
		await clock.advance(1);
		expect(signals[0]?.reason).toMatchObject({ reason: "lost" });
		expect((await settle(clock, response)).status).toBe(503);
	});
});

test("a claim may resolve to the given key as the bound one", async () => {
	const { store, clock } = createReceiver();
	const claim: EventStore["claim"] = async (key, ...given) => ({
		...(await store.claim(key, ...given)),
		boundKey: key,
	});
	const { respond, calls, reported } = createReceiver({ store: { ...store, claim }, clock });
	expect([await respond(), await respond(), reported(), calls]).toEqual(["200", "200", [], []]);
});

describe("a claim that took longer than its timeout", () => {
	/** A receiver whose store responds to its first claim after seven seconds. */
	function createSlowReceiver({ late = async () => {} } = {}) {
		const handle = vi.fn();
		const { store, clock } = createReceiver();
		let isSlow = true;
		async function delay<Value>(value: Value): Promise<Value> {
			if (!isSlow) return value;
			isSlow = false;
			await new Promise<void>((resolve) => clock.setTimer(resolve, 7_000));
			await late();
			return value;
		}
		const claim: EventStore["claim"] = async (...given) => delay(await store.claim(...given));
		const slow: EventStore = { ...store, claim };
		return {
			...createReceiver({ store: slow, clock, on: { inbound_message: handle } }),
			store,
			clock,
			handle,
		};
	}

	test("is released when its response comes, so that the event is free at once, and its run is the first", async () => {
		const { send, clock, handle } = createSlowReceiver();
		const response = send();
		await clock.advance(5_000);
		expect(showResponse(await response)).toBe("503 store_unavailable, again in 5 s");
		expect(showResponse(await settle(clock, send(), 0))).toContain("503 in_flight");
		await clock.advance(2_000);
		expect(showResponse(await settle(clock, send(), 0))).toBe("200");
		expect(handle).toHaveBeenCalledTimes(1);
		expect(handle.mock.lastCall?.[1]).toMatchObject({ attempt: 1 });
		expect(clock.openTimers).toBe(0);
	});

	test("is released under the key that the delivery is bound to", async () => {
		const { send, clock, store, handle } = createSlowReceiver();
		const on = { inbound_message: () => Promise.reject(new Error("no")) };
		const payload = inboundMessage;
		await createReceiver({ store, clock, on }).send({ eventId: "evt_1", payload });
		const response = send({ eventId: "evt_2", payload });
		await clock.advance(7_000);
		expect((await response).status).toBe(503);
		expect(showResponse(await settle(clock, send({ eventId: "evt_2", payload }), 0))).toBe("200");
		expect(handle.mock.calls.map(([{ eventId }, { attempt }]) => [eventId, attempt])).toEqual([["evt_1", 2]]);
	});

	test("and that found the event with somebody else changes nothing", async () => {
		const { send, clock, store } = createSlowReceiver();
		await store.claim("default:evt_1", TIMES);
		const response = send();
		await clock.advance(7_000);
		expect((await response).status).toBe(503);
		expect(await store.claim("default:evt_1", TIMES)).toMatchObject({ status: "in_flight" });
	});

	test("and that can't be read ends no process", async () => {
		const { clock } = createReceiver();
		const unreadable = {
			get status(): never {
				throw new Error("no status");
			},
		};
		const claim = () =>
			new Promise<never>((resolve) => void clock.setTimer(() => resolve(unreadable as never), 7_000));
		const { store } = createReceiver();
		const receiver = createReceiver({ store: { ...store, claim }, clock });
		const unhandled = vi.fn();
		process.once("unhandledRejection", unhandled);
		const response = receiver.send();
		await clock.advance(7_000);
		expect((await response).status).toBe(503);
		await new Promise((resolve) => setImmediate(resolve));
		process.off("unhandledRejection", unhandled);
		expect(unhandled).not.toHaveBeenCalled();
	});

	test("and then rejects does no harm", async () => {
		const late = () => Promise.reject(new Error("the connection is lost"));
		const { send, clock } = createSlowReceiver({ late });
		const response = send();
		await clock.advance(7_000);
		expect((await response).status).toBe(503);
		await clock.advance(60_000);
		expect(showResponse(await settle(clock, send(), 0))).toBe("200");
	});
});
