import type { Clock } from "messaging-gateway";
import {
	type AdjustableClock,
	createAdjustableClock,
} from "../../src/tools/local-gateway/adjustable-clock.ts";

/** 2026-01-01T00:00:00Z. */
export const START_MS = 1767225600000;

/** A clock that stands still until a test moves it, and that counts the open timers. */
export interface CountingClock extends AdjustableClock {
	readonly openTimers: number;
}

export function createCountingClock(startMs = START_MS): CountingClock {
	const clock = createAdjustableClock({ frozen: true, startMs });
	const open = new Set<symbol>();
	const setTimer: Clock["setTimer"] = (callback, delayMs) => {
		const timer = Symbol("timer");
		open.add(timer);
		const cancel = clock.setTimer(() => {
			open.delete(timer);
			callback();
		}, delayMs);
		return () => {
			open.delete(timer);
			cancel();
		};
	};
	return {
		...clock,
		setTimer,
		get openTimers() {
			return open.size;
		},
	};
}

/**
 * The promise's outcome, with time passing in small steps until there is one.
 * @param isWaiting - whether time is needed: on a busy machine, work may take longer than the steps.
 */
export async function settle<Value>(
	clock: AdjustableClock,
	promise: PromiseLike<Value>,
	stepMs = 250,
	isWaiting = () => true,
): Promise<Value> {
	let isSettled = false;
	const watched = Promise.resolve(promise).finally(() => {
		isSettled = true;
	});
	watched.catch(() => undefined);
	await clock.advance(0);
	for (let steps = 0; !isSettled; steps++) {
		if (steps > 5_000) throw new Error("the promise does not settle, however long one waits");
		await finishTasks();
		if (!isSettled && isWaiting()) await clock.advance(stepMs);
	}
	return watched;
}

/** Work without a timer, such as reading a body, takes none of the clock's time. */
async function finishTasks(): Promise<void> {
	for (let rounds = 0; rounds < 20; rounds++) await new Promise((resolve) => setImmediate(resolve));
}
