import { memoryStore } from "messaging-gateway/webhooks";
import { describe, expect, test, vi } from "vitest";
import { createCountingClock, settle } from "../../../support/counting-clock.ts";
import { type Outcomes, testOutcomes } from "../../../support/outcomes.ts";
import { signedAt } from "../../../support/webhook-delivery.ts";
import { createReceiver, showResponse } from "../../../support/webhook-receiver.ts";

/** A receiver on the store in memory itself, and how many timers were set. */
function createPlainReceiver(onMessage: (event: unknown, context: { signal: AbortSignal }) => unknown) {
	const clock = createCountingClock(signedAt * 1000);
	const setTimer = vi.spyOn(clock, "setTimer");
	const store = memoryStore({ clock });
	const receiver = createReceiver({ clock, store, on: { inbound_message: onMessage } });
	return { ...receiver, clock, store, setTimer };
}

/** Something that is no promise, and acts as one. */
function thenable(then: (resolve: (value: unknown) => void, reject: (error: unknown) => void) => void) {
	return { then };
}

function fail(): never {
	throw new Error("not now");
}

/** How a delivery ends whose handler returns at once, its reports, and how many timers it sets. */
async function outcomeOf(onMessage: () => unknown): Promise<string> {
	const { respond, reported, setTimer } = createPlainReceiver(onMessage);
	return [await respond(), ...reported(), `${setTimer.mock.calls.length} timers`].join("; ");
}

const HANDLERS: Outcomes<() => unknown> = {
	"200; 0 timers": {
		"a handler that returns nothing": () => undefined,
		"a handler that returns a value": () => "done",
		"a handler that returns null": () => null,
		"a handler that returns an object": () => ({ isDone: true }),
		"an async handler that awaits nothing": async () => undefined,
		"a promise that is settled": () => Promise.resolve(),
	},
	"500 handler_failed; handler_failed: not now; 0 timers": {
		"a promise that is rejected": () => Promise.reject(new Error("not now")),
		"a handler that throws": fail,
		"what has a then that cannot be read": () => new Proxy({}, { get: fail }),
	},
	"200; 3 timers": {
		"what acts as a promise and resolves at once": () => thenable((resolve) => resolve(undefined)),
	},
	"500 handler_failed; handler_failed: not now; 3 timers": {
		"what acts as a promise and rejects": () => thenable((_resolve, reject) => reject(new Error("not now"))),
		"what acts as a promise and throws": () => thenable(fail),
	},
};

describe("a delivery sets timers only where something may be waited for:", () =>
	testOutcomes(HANDLERS, outcomeOf));

describe("a store in memory with a method of somebody's own is bounded in time", () => {
	const hang = () => new Promise<never>(() => undefined);

	test("claim, put in its place", async () => {
		const { store, send, clock } = createPlainReceiver(() => undefined);
		store.claim = hang;
		expect(showResponse(await settle(clock, send()))).toBe("503 store_unavailable, again in 5 s");
		expect(clock.now()).toBe(signedAt * 1000 + 5_000);
	});

	test("claim, in a copy", async () => {
		const clock = createCountingClock(signedAt * 1000);
		const store = { ...memoryStore({ clock }), claim: hang };
		const { send } = createReceiver({ clock, store });
		expect(showResponse(await settle(clock, send()))).toBe("503 store_unavailable, again in 5 s");
	});
});

test("what a handler returns is waited for where it acts as a promise", async () => {
	const { send, clock } = createPlainReceiver(() =>
		thenable((resolve) => clock.setTimer(() => resolve(undefined), 1_000)),
	);
	expect(showResponse(await settle(clock, send()))).toBe("200");
	expect([clock.now(), clock.openTimers]).toEqual([signedAt * 1000 + 1_000, 0]);
});

test("the signal of a handler that is over never fires, however late it is read", async () => {
	const contexts: { signal: AbortSignal }[] = [];
	const { send, clock } = createPlainReceiver((_event, context) => void contexts.push(context));
	await send();
	await clock.advance(600_000);
	const [context] = contexts;
	expect(context?.signal.aborted).toBe(false);
	expect(context?.signal).toBe({ ...context }.signal);
});

describe("a handler that keeps the process busy before it waits", () => {
	/** Its clock moves on without a timer firing, as in a long calculation. */
	async function begin(busyMs: number, options: object) {
		const frozen = createCountingClock(signedAt * 1000);
		let lateMs = 0;
		const clock = { ...frozen, now: () => frozen.now() + lateMs, setTimer: frozen.setTimer };
		const signals: AbortSignal[] = [];
		const { send, calls } = createReceiver({
			clock,
			...options,
			on: {
				inbound_message: (_event, { signal }) => {
					signals.push(signal);
					lateMs = busyMs;
					return new Promise(() => undefined);
				},
			},
		});
		void send();
		await frozen.advance(0);
		const [signal] = signals;
		if (signal === undefined) throw new Error("the handler was not run");
		return { signal, calls, advance: frozen.advance };
	}

	test("has its lease extended as soon as it waits, if a beat is due", async () => {
		const { signal, advance, store } = await beginOnOwnStore(50_000);
		expect(store.extend).toHaveBeenCalledOnce();
		await advance(20_000);
		expect(signal.aborted).toBe(false);
	});

	test("has used up that much of maxHandlerMs", async () => {
		const { signal, advance } = await begin(20_000, { leaseMs: 60_000, maxHandlerMs: 30_000 });
		await advance(9_999);
		expect(signal.aborted).toBe(false);
		await advance(1);
		expect(signal.reason).toMatchObject({ reason: "time" });
	});

	async function beginOnOwnStore(busyMs: number) {
		const store = memoryStore();
		const extend = vi.spyOn(store, "extend").mockResolvedValue(true);
		return { ...(await begin(busyMs, { store, leaseMs: 60_000 })), store: { extend } };
	}
});
