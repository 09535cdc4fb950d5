import { type EventStore, LeaseEndedError, memoryStore } from "messaging-gateway/webhooks";
import { describe, expect, test, vi } from "vitest";
import { createCountingClock } from "../../../support/counting-clock.ts";
import { type Outcomes, testOutcomes } from "../../../support/outcomes.ts";
import { type Fault, scriptStore } from "../../../support/scripted-store.ts";
import { createReceiver, pendingHandler, showResponse } from "../../../support/webhook-receiver.ts";

const TIMES = { leaseMs: 60_000, retentionMs: 3_600_000 };
const KEY = "default:evt_1";

/** A receiver with a lease of a minute and a handler that runs, at the moment it has begun. */
async function begin(options: object = {}) {
	const pending = pendingHandler();
	const receiver = createReceiver({ leaseMs: 60_000, on: { inbound_message: pending.handle }, ...options });
	const response = receiver.send();
	await receiver.clock.advance(0);
	const [run] = pending.runs;
	if (run === undefined) throw new Error("the handler was not run");
	const whyAborted = () => (run.signal.reason as LeaseEndedError | undefined)?.reason;
	const stop = () => pending.fail(new Error("too late"));
	return { ...pending, ...receiver, stop, run, response, whyAborted };
}

/** Another worker takes over the event, as it may when the store's clock runs ahead of ours. */
async function takeOver({ store }: { store: ReturnType<typeof createReceiver>["store"] }, token: number) {
	await store.release(KEY, token);
	const claim = await store.claim(KEY, TIMES);
	if (claim.status !== "acquired") throw new Error("the event should be free");
	return claim.token;
}

/** How a delivery ends, and its reports, if the store fails from the start until a second before its lease is over. */
async function outcomeOfAWhile(fault: Fault): Promise<string> {
	const { clock, fail, heal, run, finish, response, reported, store } = await begin();
	fail("extend", fault);
	await clock.advance(44_000);
	heal();
	await clock.advance(31_000);
	expect(run.signal.aborted).toBe(false);
	expect(await store.claim(KEY, TIMES)).toMatchObject({ status: "in_flight" });
	finish();
	return [showResponse(await response), ...reported()].join("; ");
}

const FOR_A_WHILE: Outcomes<Fault> = {
	"200; lease_at_risk: the store's extend failed": {
		"that throws": "throw",
		"that rejects": "reject",
		"whose response is lost": "lose",
	},
	"200; lease_at_risk: the store hasn't prolonged the lease in time": { "that hangs": "hang" },
};

/** The hint of a store that fails, and when it comes: the only one, while the handler runs on. */
async function hintOf([fault, afterMs]: readonly [fault: Fault, afterMs: number]): Promise<string> {
	const hints: string[] = [];
	const { clock, fail, run, stop } = await begin({
		onError: (_error: unknown, { hint }: { hint: string }) => hints.push(hint),
	});
	fail("extend", fault);
	await clock.advance(afterMs - 1);
	expect(hints).toEqual([]);
	await clock.advance(15_000);
	expect(run.signal.aborted).toBe(false);
	stop();
	return hints.join("; ");
}

const OWN_POOL =
	"give the store a Pool of its own, since on a shared one its statements wait for those of handlers. Without the lease a repeat runs beside this run";

const AT_RISK: Outcomes<readonly [fault: Fault, afterMs: number]> = {
	[`Your handler still runs, and its lease ends in 39999 ms, because the store hasn't responded: ${OWN_POOL}`]:
		{
			"if the store hangs, five seconds after the first beat": ["hang", 20_000],
		},
	[`Your handler still runs, and its lease ends in 44999 ms, because the store failed: its error says why. If the server is up, ${OWN_POOL}`]:
		{ "if the store rejects, at the first beat": ["reject", 15_000] },
};

describe("the heartbeat", () => {
	test("extends the lease while the handler runs, so that repeats wait", async () => {
		const { clock, response, finish, calls, run, ...receiver } = await begin();
		await clock.advance(240_000);
		expect(calls.filter((call) => call === "extend")).toHaveLength(16);
		expect(await receiver.store.claim(KEY, TIMES)).toEqual({ status: "in_flight", retryAfterMs: 60_000 });
		expect(run.signal.aborted).toBe(false);
		finish();
		expect(showResponse(await response)).toBe("200");
		const callsByThen = calls.length;
		await clock.advance(600_000);
		expect([calls.length, clock.openTimers]).toEqual([callsByThen, 0]);
	});

	test.each([
		[12_000, 3_000],
		// The default is 15 seconds.
		[undefined, 3_750],
	])("beats at every quarter of a lease of %s ms", async (leaseMs, beatMs) => {
		const { clock, calls, finish } = await begin({ leaseMs });
		await clock.advance(beatMs - 1);
		expect(calls).not.toContain("extend");
		await clock.advance(4 * beatMs + 1);
		expect(calls.filter((call) => call === "extend")).toHaveLength(5);
		finish();
	});

	describe("goes on over a store that fails for a while, and the lease holds: one", () =>
		testOutcomes(FOR_A_WHILE, outcomeOfAWhile));

	describe("says once that the lease is at risk, while it holds", () => testOutcomes(AT_RISK, hintOf));

	test.each(["throw", "reject", "hang"] as const)(
		"that fails until the lease is over (%s) fires the signal in its last millisecond, which a store may not count",
		async (fault) => {
			const { clock, fail, run, whyAborted } = await begin();
			await clock.advance(15_000);
			fail("extend", fault);
			await clock.advance(59_998);
			expect(run.signal.aborted).toBe(false);
			await clock.advance(1);
			expect(whyAborted()).toBe("lost");
		},
	);
});

test("a lease of 15 seconds, the default, is over before the retries of a gateway that gives up after half a minute", async () => {
	const retriesMs = [1_000, 2_000, 4_000, 8_000, 16_000];
	const { clock, store, run } = await begin({ leaseMs: undefined });
	const next = createReceiver({ clock, store });
	// The process that runs the handler stops: nothing of it reaches the store any more.
	await store.release(KEY, run.token);
	await store.claim(KEY, { ...TIMES, leaseMs: 15_000 });
	const statuses: number[] = [];
	for (const delayMs of retriesMs) {
		await clock.advance(delayMs);
		statuses.push((await next.handler.handle(next.sign())).status);
	}
	expect(statuses).toEqual([503, 503, 503, 200, 200]);
});

describe("maxHandlerMs", () => {
	test("fires the signal, stops the heartbeat, and lets the lease lapse", async () => {
		const { clock, run, whyAborted, calls, response, reported, store } = await begin({
			maxHandlerMs: 30_000,
		});
		await clock.advance(29_999);
		expect(run.signal.aborted).toBe(false);
		await clock.advance(1);
		expect(run.signal.reason).toBeInstanceOf(LeaseEndedError);
		expect(whyAborted()).toBe("time");
		await clock.advance(44_999);
		expect(await store.claim(KEY, TIMES)).toEqual({ status: "in_flight", retryAfterMs: 1 });
		await clock.advance(1);
		expect(showResponse(await response)).toBe("503 handler_timed_out, again in 5 s");
		expect(reported()).toEqual(["handler_timed_out: the handler ran longer than maxHandlerMs"]);
		expect(calls).toEqual(["claim", "extend", "claim"]);
		expect(clock.openTimers).toBe(0);
	});

	test("leaves a handler that stops at its signal the rest of the lease: 500, and it comes again at once", async () => {
		const attempts: number[] = [];
		const { respond, clock } = createReceiver({
			on: {
				inbound_message: (_event, { attempt, signal }) =>
					new Promise((_resolve, reject) => {
						attempts.push(attempt);
						signal.addEventListener("abort", () => clock.setTimer(() => reject(signal.reason), 1_000));
					}),
			},
		});
		expect([await respond(), await respond()]).toEqual(["500 handler_failed", "500 handler_failed"]);
		expect(attempts).toEqual([1, 2]);
	});

	test("a handler that finishes after its signal, within its lease, is acknowledged", async () => {
		const { clock, run, finish, response, reported } = await begin({ maxHandlerMs: 30_000 });
		await clock.advance(70_000);
		expect(run.signal.aborted).toBe(true);
		finish();
		expect(showResponse(await response)).toBe("200");
		expect(reported()).toEqual([]);
	});

	test("a handler that never ends gets a response; the next delivery is attempt 2, and the old one changes nothing", async () => {
		const handle = vi.fn().mockReturnValueOnce(new Promise(() => undefined));
		const { respond, reported, reports, clock } = createReceiver({ on: { inbound_message: handle } });
		expect(await respond()).toBe("503 handler_timed_out, again in 5 s");
		expect(reports[0]?.hint).toContain("expect it again only if your gateway retries");
		expect(await respond()).toBe("200");
		expect(handle.mock.lastCall?.[1]).toMatchObject({ attempt: 2 });
		expect([reported().length, clock.openTimers]).toEqual([1, 0]);
	});

	test("a handler that fails after it was given up on does no harm", async () => {
		const { clock, response, fail, store } = await begin();
		await clock.advance(400_000);
		expect((await response).status).toBe(503);
		fail("release", "reject");
		await clock.advance(0);
		expect(await store.claim(KEY, TIMES)).toMatchObject({ status: "acquired", attempt: 2 });
	});
});

type Begun = Awaited<ReturnType<typeof begin>>;

const completeOther = ({ store }: Begun, token: number) => store.complete(KEY, token, TIMES.retentionMs);
const releaseOther = ({ store }: Begun, token: number) => store.release(KEY, token);

/** How the handler ends, and what is done to the store after another worker took over. */
interface TakenOver {
	readonly end: "finish" | "stop";
	readonly other?: (receiver: Begun, token: number) => unknown;
}

/** The response, the reports, what the next claim gets, and whether the other worker can complete the event. */
async function takenOverOf({ end, other }: TakenOver): Promise<string> {
	const receiver = await begin();
	const { store, heal, response, reported, runs } = receiver;
	const token = await takeOver(receiver, receiver.run.token);
	await other?.(receiver, token);
	receiver[end]();
	const responded = showResponse(await response);
	expect(runs).toHaveLength(1);
	heal();
	const claimed = JSON.stringify({ ...(await store.claim(KEY, TIMES)), token: undefined });
	const completed = await store.complete(KEY, token, TIMES.retentionMs);
	return [responded, ...reported(), `then ${claimed}`, `the other completes: ${completed}`].join("; ");
}

const TAKEN_OVER: Outcomes<TakenOver> = {
	'503 lease_lost, again in 60 s; lease_lost: the lease was lost; then {"status":"in_flight","retryAfterMs":60000}; the other completes: true':
		{
			"a run that finishes, while the other goes on": { end: "finish" },
		},
	'503 lease_lost, again in 60 s; handler_failed: too late; then {"status":"in_flight","retryAfterMs":60000}; the other completes: true':
		{
			"a run that fails, while the other goes on": { end: "stop" },
		},
	'200; lease_lost: the lease was lost; then {"status":"done"}; the other completes: true': {
		"a run that finishes, when the other is done": { end: "finish", other: completeOther },
	},
	'200; handler_failed: too late; then {"status":"done"}; the other completes: true': {
		"a run that fails, when the other is done": { end: "stop", other: completeOther },
	},
	'200; record_lost: the record of a finished run was lost; then {"status":"done"}; the other completes: false':
		{
			"a run that finishes, when the other has released the event: it counts": {
				end: "finish",
				other: releaseOther,
			},
		},
	'503 lease_lost, again in 5 s; handler_failed: too late; then {"status":"acquired","attempt":3}; the other completes: false':
		{
			"a run that fails, when the other has released the event: to look is no attempt": {
				end: "stop",
				other: releaseOther,
			},
		},
	[`503 lease_lost, again in 5 s; store_unavailable: the store's claim failed; then {"status":"in_flight","retryAfterMs":60000}; the other completes: true`]:
		{
			"a run that finishes, when the store fails": {
				end: "finish",
				other: ({ fail }) => fail("claim", "reject"),
			},
		},
};

describe("a lease that another worker took over", () => {
	test("fires the signal at the next beat; if the handler goes on: 503, nothing written", async () => {
		const receiver = await begin();
		const { clock, run, whyAborted, response, reported, calls, store } = receiver;
		const token = await takeOver(receiver, run.token);
		calls.length = 0;
		await clock.advance(15_000);
		expect(whyAborted()).toBe("lost");
		expect(showResponse(await response)).toBe("503 lease_lost, again in 45 s");
		expect(reported()).toEqual(["lease_lost: the lease was lost: another worker may run"]);
		expect(calls).toEqual(["extend", "claim"]);
		expect(await store.complete(KEY, token, 3_600_000)).toBe(true);
		expect(clock.openTimers).toBe(0);
	});

	testOutcomes(TAKEN_OVER, takenOverOf);
});

describe("a clock that is set while a handler runs", () => {
	test.each([3_600_000, -3_600_000])(
		"by %i ms: the lease and maxHandlerMs count what passes",
		async (jumpMs) => {
			const passing = createCountingClock();
			let setMs = 0;
			const clock = { ...passing, now: () => passing.now() + setMs, monotonicNow: passing.now };
			const pending = pendingHandler();
			const store = memoryStore({ clock });
			let extensions = 0;
			/** The clock is set during calls, when it hurts most. */
			const jumpy = {
				...store,
				claim: (...given: Parameters<typeof store.claim>) => {
					setMs += jumpMs;
					return store.claim(...given);
				},
				extend: (...given: Parameters<typeof store.extend>) => {
					if (++extensions % 3 === 0) setMs += jumpMs;
					return store.extend(...given);
				},
			};
			const options = { clock, store: jumpy, maxHandlerMs: 120_000 };
			const { handler, sign } = createReceiver({ ...options, on: { inbound_message: pending.handle } });
			const response = handler.handle(sign());
			await passing.advance(0);
			await passing.advance(119_999);
			expect(pending.runs[0]?.signal.aborted).toBe(false);
			await passing.advance(1);
			expect(pending.runs[0]?.signal.reason).toMatchObject({ reason: "time" });
			pending.finish();
			expect(showResponse(await response)).toBe("200");
		},
	);
});

const DAY_MS = 86_400_000;

/** A receiver with a lease of a minute whose machine sleeps, or whose wall clock is set, and a store elsewhere. */
function createSleeper() {
	const awake = createCountingClock();
	const moved = { wallMs: 0, storeMs: 0 };
	const elsewhere = memoryStore({ clock: { ...awake, now: () => awake.now() + moved.storeMs } });
	const scripted = scriptStore(elsewhere);
	const { store, calls } = scripted;
	const pending = pendingHandler();
	const clock = { ...awake, now: () => awake.now() + moved.wallMs, monotonicNow: awake.now };
	const receiver = createReceiver({
		clock,
		store,
		leaseMs: 60_000,
		on: { inbound_message: pending.handle },
	});
	return {
		...receiver,
		...pending,
		failStore: scripted.fail,
		calls,
		elsewhere,
		store,
		clock: awake,
		extensions: () => calls.filter((call) => call === "extend").length,
		setClock: (ms: number) => {
			moved.wallMs += ms;
		},
		/** Timers and the monotonic clock stand still. */
		sleep: (ms: number) => {
			moved.wallMs += ms;
			moved.storeMs += ms;
		},
		/** Something happens while the claim's response is under way. */
		duringClaim: (happen: () => unknown) => {
			const { claim } = store;
			vi.spyOn(store, "claim").mockImplementationOnce(async (...given) => {
				const claimed = await claim(...given);
				await happen();
				return claimed;
			});
		},
	};
}

/** The same, with a handler that has run for 5 s. */
async function beginSleeper() {
	const sleeper = createSleeper();
	const response = sleeper.send();
	await sleeper.clock.advance(5_000);
	const [run] = sleeper.runs;
	if (run === undefined) throw new Error("the handler was not run");
	return { ...sleeper, run, response };
}

describe("a wall clock that is set, while nothing sleeps", () => {
	test.each([DAY_MS, -DAY_MS])(
		"by %i ms: the store is asked once, within a second, and the handler ends with 200",
		async (ms) => {
			const { setClock, clock, extensions, run, finish, response, reported } = await beginSleeper();
			setClock(ms);
			await clock.advance(1_000);
			expect(extensions()).toBe(1);
			await clock.advance(14_000);
			expect([extensions(), run.signal.aborted]).toEqual([1, false]);
			finish();
			expect(showResponse(await response)).toBe("200");
			expect([reported(), clock.openTimers]).toEqual([[], 0]);
		},
	);

	test.each([DAY_MS, -DAY_MS])("by %i ms during the claim: the store is asked first", async (ms) => {
		const { setClock, duringClaim, send, calls, clock, runs, finish } = createSleeper();
		duringClaim(() => setClock(ms));
		const response = send();
		await clock.advance(0);
		expect([calls, runs.length]).toEqual([["claim", "extend"], 1]);
		finish();
		expect(showResponse(await response)).toBe("200");
	});

	test.each([5_900, -5_900])("by %i ms, a tenth of the lease or less: nobody is asked", async (ms) => {
		const { setClock, clock, extensions, finish, response } = await beginSleeper();
		setClock(ms);
		await clock.advance(9_000);
		expect(extensions()).toBe(0);
		finish();
		expect(showResponse(await response)).toBe("200");
	});
});

describe("a machine that sleeps while a handler runs", () => {
	test("for less than the lease: the store is asked at once, and the run goes on", async () => {
		const { sleep, clock, extensions, run, elsewhere, finish, response } = await beginSleeper();
		sleep(50_000);
		await clock.advance(1_000);
		expect([extensions(), run.signal.aborted]).toEqual([1, false]);
		expect(await elsewhere.claim(KEY, TIMES)).toEqual({ status: "in_flight", retryAfterMs: 60_000 });
		finish();
		expect(showResponse(await response)).toBe("200");
	});

	test("for a day, while nobody else took the event: 200", async () => {
		const { sleep, clock, finish, response } = await beginSleeper();
		sleep(DAY_MS);
		await clock.advance(1_000);
		finish();
		expect(showResponse(await response)).toBe("200");
	});

	test("for a day, and its first connections are dead: the store is asked again, 200", async () => {
		const { sleep, failStore, clock, run, finish, response, extensions } = await beginSleeper();
		sleep(DAY_MS);
		failStore("extend", "reject", 2);
		await clock.advance(1_499);
		expect([extensions(), run.signal.aborted]).toEqual([2, false]);
		await clock.advance(10_000);
		expect(run.signal.aborted).toBe(false);
		finish();
		expect(showResponse(await response)).toBe("200");
	});

	test("for a day, while another worker took the event: the signal fires, and 503", async () => {
		const { sleep, clock, run, elsewhere, response, reported } = await beginSleeper();
		sleep(DAY_MS);
		expect(await elsewhere.claim(KEY, TIMES)).toMatchObject({ status: "acquired" });
		await clock.advance(1_000);
		expect(run.signal.reason).toMatchObject({ name: "LeaseEndedError", reason: "lost" });
		expect(showResponse(await response)).toBe("503 lease_lost, again in 59 s");
		expect([reported(), clock.openTimers]).toEqual([
			["lease_lost: the lease was lost: another worker may run"],
			0,
		]);
	});

	test("and ends before the clocks are compared: what another worker took is not acknowledged", async () => {
		const { sleep, elsewhere, finish, response } = await beginSleeper();
		sleep(DAY_MS);
		await elsewhere.claim(KEY, TIMES);
		finish();
		expect(showResponse(await response)).toBe("503 lease_lost, again in 60 s");
	});

	test.each([
		["longer than the lease, and the store rejects three times", DAY_MS, "reject", 1_500],
		["longer than the lease, and the store does not respond", DAY_MS, "hang", 6_000],
		["for 40 s, and the store rejects: the lease ends by the wall clock", 40_000, "reject", 14_999],
		["for 40 s, and the store does not respond: the lease ends by the wall clock", 40_000, "hang", 14_999],
		["for 52 s, and the lease ends by the wall clock before the store's time is over", 52_000, "hang", 2_999],
		["with a clock that is set back, and the store rejects", -DAY_MS, "reject", 54_999],
	] as const)("%s: the signal fires then", async (_title, ms, fault, firesAfterMs) => {
		const { sleep, failStore, clock, run } = await beginSleeper();
		sleep(ms);
		failStore("extend", fault);
		await clock.advance(firesAfterMs - 1);
		expect(run.signal.aborted).toBe(false);
		await clock.advance(1);
		expect(run.signal.reason).toMatchObject({ reason: "lost" });
	});
});

describe("a machine that sleeps before the handler starts", () => {
	test("for a day, while another worker took the event: it does not start", async () => {
		const { sleep, duringClaim, elsewhere, send, runs, finish, reported } = createSleeper();
		finish();
		duringClaim(() => {
			sleep(DAY_MS);
			return elsewhere.claim(KEY, TIMES);
		});
		expect(showResponse(await send())).toBe("503 lease_lost, again in 5 s");
		expect([runs, reported()]).toEqual([[], ["lease_lost: the lease was over"]]);
	});

	test("for a day, while nobody else took the event: it starts, under a lease that is prolonged", async () => {
		const { sleep, duringClaim, elsewhere, send, clock, runs, finish } = createSleeper();
		duringClaim(() => sleep(DAY_MS));
		const response = send();
		await clock.advance(0);
		expect(await elsewhere.claim(KEY, TIMES)).toEqual({ status: "in_flight", retryAfterMs: 60_000 });
		expect(runs).toHaveLength(1);
		finish();
		expect(showResponse(await response)).toBe("200");
	});

	test("and again while the store is asked: it does not start, and the event is free", async () => {
		const { sleep, duringClaim, elsewhere, store, send, runs, finish } = createSleeper();
		finish();
		duringClaim(() => sleep(DAY_MS));
		const { extend } = store;
		vi.spyOn(store, "extend").mockImplementationOnce(async (...given) => {
			const isHeld = await extend(...given);
			sleep(DAY_MS);
			return isHeld;
		});
		expect(showResponse(await send())).toBe("503 lease_lost, again in 5 s");
		expect(runs).toEqual([]);
		expect(await elsewhere.claim(KEY, TIMES)).toMatchObject({ status: "acquired", attempt: 1 });
	});

	test("and the store does not say whether the lease holds: it does not start", async () => {
		const { sleep, duringClaim, failStore, elsewhere, send, runs, finish } = createSleeper();
		finish();
		duringClaim(() => sleep(50_000));
		failStore("extend", "reject", 1);
		expect(showResponse(await send())).toBe("503 store_unavailable, again in 5 s");
		expect(runs).toEqual([]);
		// The event is free, not held for a lease.
		expect(await elsewhere.claim(KEY, TIMES)).toMatchObject({ status: "acquired" });
	});
});

test("a process that dies: its lease ends, and the sender's retry runs the handler", async () => {
	const handle = vi.fn();
	const { store, respond, clock } = createReceiver({ on: { inbound_message: handle } });
	await store.claim(KEY, TIMES);
	expect(await respond()).toBe("503 in_flight, again in 60 s");
	await clock.advance(59_999);
	expect(await respond()).toBe("503 in_flight, again in 1 s");
	expect(handle).not.toHaveBeenCalled();
	await clock.advance(1);
	expect(await respond()).toBe("200");
	expect(handle.mock.lastCall?.[1]).toMatchObject({ attempt: 2 });
});

/** How long the calls of a store take: 5 s are a time-out. */
interface Latencies {
	readonly claimMs?: number;
	/** Of each extension, and then of each further one. */
	readonly extensionsMs?: readonly number[];
	readonly extendMs?: number;
}

/** A receiver with a lease of a minute and a handler that runs, and a store whose responses are delayed. */
async function beginSlowly(
	{ claimMs = 0, extensionsMs = [], extendMs = 0 }: Latencies,
	options: object = {},
) {
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

describe("a store that is slow", () => {
	test("the lease counts from its request: the time of the claim's response is lost", async () => {
		const { clock, fail, run, store } = await beginSlowly({ claimMs: 4_000 });
		fail("extend", "reject");
		await clock.advance(55_998);
		expect(run.signal.aborted).toBe(false);
		await clock.advance(1);
		expect(run.signal.aborted).toBe(true);
		await clock.advance(2);
		expect(await store.claim(KEY, TIMES)).toMatchObject({ status: "acquired" });
	});

	test("an extension counts from its request, too", async () => {
		const { clock, fail, run } = await beginSlowly({ extendMs: 4_000 });
		await clock.advance(19_000);
		fail("extend", "reject");
		await clock.advance(55_998);
		expect(run.signal.aborted).toBe(false);
		await clock.advance(1);
		expect(run.signal.reason).toMatchObject({ reason: "lost" });
	});

	test("an extension that is under way when the handler finishes is the last one", async () => {
		const { clock, calls, finish, response } = await beginSlowly({ extendMs: 4_000 });
		await clock.advance(16_000);
		finish();
		expect(showResponse(await response)).toBe("200");
		await clock.advance(120_000);
		expect(calls).toEqual(["claim", "extend", "complete"]);
		expect(clock.openTimers).toBe(0);
	});

	test("an extension that is under way when the handler's time is over does not prolong it", async () => {
		const { clock, calls, response, run } = await beginSlowly({ extendMs: 4_000 }, { maxHandlerMs: 16_000 });
		await clock.advance(60_000);
		expect(run.signal.reason).toMatchObject({ reason: "time" });
		expect(showResponse(await response)).toBe("503 handler_timed_out, again in 5 s");
		expect(calls).toEqual(["claim", "extend"]);
		expect(clock.openTimers).toBe(0);
	});

	test("a lease that ends in the moment in which the handler's time is over is lost", async () => {
		const { clock, fail, response, run } = await beginSlowly({ extendMs: 0 }, { maxHandlerMs: 59_999 });
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
		const { clock, run, finish, response } = await beginSlowly(latencies, { leaseMs: undefined });
		await clock.advance(120_000);
		expect(run.signal.aborted).toBe(false);
		finish();
		expect(showResponse(await response)).toBe("200");
	});
});
