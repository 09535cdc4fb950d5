import type { EventStore } from "messaging-gateway/webhooks";
import { expect, test } from "vitest";
import { createReceiver, pendingHandler, showResponse } from "../../../support/webhook-receiver.ts";

const TIMES = { leaseMs: 60_000, retentionMs: 3_600_000 };
const KEY = "default:evt_1";

/** How long the calls of a store take: 5 s are a time-out. */
interface Latencies {
	readonly claimMs?: number;
	/** Of each extension, and then of each further one. */
	readonly extensionsMs?: readonly number[];
	readonly extendMs?: number;
}

/** A receiver with a lease of a minute and a handler that runs, and a store whose responses are delayed. */
async function begin({ claimMs = 0, extensionsMs = [], extendMs = 0 }: Latencies, options: object = {}) {
	const { clock, store, ...scripted } = createReceiver();
	const pending = pendingHandler();
	const left = [...extensionsMs];
	const late = async <Value>(response: Promise<Value>, latencyMs: number): Promise<Value> => {
		const value = await response;
		if (latencyMs > 0) await new Promise<void>((resolve) => clock.setTimer(resolve, latencyMs));
		return value;
	};
	const slow: EventStore = {
		...store,
		claim: (key, times) => late(store.claim(key, times), claimMs),
		extend: (key, token, leaseMs) => late(store.extend(key, token, leaseMs), left.shift() ?? extendMs),
	};
	const receiver = createReceiver({
		clock,
		store: slow,
		leaseMs: 60_000,
		on: { inbound_message: pending.handle },
		...options,
	});
	const response = receiver.send();
	await clock.advance(claimMs);
	const [run] = pending.runs;
	if (run === undefined) throw new Error("the handler was not run");
	return { ...scripted, ...pending, fail: scripted.fail, clock, store, run, response };
}

test("the lease counts from its request: the time of the claim's response is lost", async () => {
	const { clock, fail, run, store } = await begin({ claimMs: 4_000 });
	fail("extend", "reject");
	await clock.advance(55_998);
	expect(run.signal.aborted).toBe(false);
	await clock.advance(1);
	expect(run.signal.aborted).toBe(true);
	await clock.advance(2);
	expect(await store.claim(KEY, TIMES)).toMatchObject({ status: "acquired" });
});

test("an extension counts from its request, too", async () => {
	const { clock, fail, run } = await begin({ extendMs: 4_000 });
	await clock.advance(19_000);
	fail("extend", "reject");
	await clock.advance(55_998);
	expect(run.signal.aborted).toBe(false);
	await clock.advance(1);
	expect(run.signal.reason).toMatchObject({ reason: "lost" });
});

test("an extension that is under way when the handler finishes is the last one", async () => {
	const { clock, calls, finish, response } = await begin({ extendMs: 4_000 });
	await clock.advance(16_000);
	finish();
	expect(showResponse(await response)).toBe("200");
	await clock.advance(120_000);
	expect(calls).toEqual(["bind", "claim", "extend", "complete"]);
	expect(clock.openTimers).toBe(0);
});

test("an extension that is under way when the handler's time is over does not prolong it", async () => {
	const { clock, calls, response, run } = await begin({ extendMs: 4_000 }, { maxHandlerMs: 16_000 });
	await clock.advance(60_000);
	expect(run.signal.reason).toMatchObject({ reason: "time" });
	expect(showResponse(await response)).toBe("503 handler_timed_out, again in 5 s");
	expect(calls).toEqual(["bind", "claim", "extend"]);
	expect(clock.openTimers).toBe(0);
});

test("a lease that ends in the moment in which the handler's time is over is lost", async () => {
	const { clock, fail, response, run } = await begin({ extendMs: 0 }, { maxHandlerMs: 59_999 });
	fail("extend", "reject");
	await clock.advance(60_000);
	expect(run.signal.reason).toMatchObject({ reason: "lost" });
	expect(showResponse(await response)).toBe("503 lease_lost, again in 1 s");
});

test.each<[title: string, latencies: Latencies]>([
	["the claim and each extension take 5 s, barely", { claimMs: 4_999, extendMs: 4_999 }],
	["the claim takes 5 s, and the first extension times out", { claimMs: 4_999, extensionsMs: [6_000] }],
	["two extensions in a row time out", { extensionsMs: [6_000, 6_000] }],
	["each second extension times out", { extensionsMs: [6_000, 0, 6_000, 0, 6_000, 0] }],
])("a lease of 15 seconds, the default, is not lost if %s", async (_title, latencies) => {
	const { clock, run, finish, response } = await begin(latencies, { leaseMs: undefined });
	await clock.advance(120_000);
	expect(run.signal.aborted).toBe(false);
	finish();
	expect(showResponse(await response)).toBe("200");
});
