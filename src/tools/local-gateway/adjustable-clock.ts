import { ConfigurationError } from "../../library/errors.ts";
import { type Clock, systemClock } from "../../library/runtime.ts";
import { nextTask } from "./next-task.ts";
import { TimerQueue } from "./timer-queue.ts";

/** A clock that you can move forward, so tests of windows and retries don't wait. */
export interface AdjustableClock extends Clock {
	/**
	 * Moves time forward by `ms` milliseconds. Timers that fall due on the way run in order, each seeing its own
	 * due time as now; promises and I/O callbacks run in between.
	 *
	 * @throws ConfigurationError (`configuration`) if `ms` is negative or not finite.
	 */
	advance(ms: number): Promise<void>;
}

/** The options of {@link createAdjustableClock}. */
export interface AdjustableClockOptions {
	/**
	 * The time to start at, in Unix milliseconds.
	 * @default the time of `source`
	 */
	startMs?: number | undefined;
	/**
	 * Whether time passes only through `advance`.
	 * @default false: time also passes as in `source`
	 */
	frozen?: boolean | undefined;
	/**
	 * The underlying clock.
	 * @default the system clock
	 */
	source?: Clock | undefined;
}

/**
 * Creates a clock that you can move forward. It runs like the system's, or stands still.
 *
 * @example
 * ```ts
 * const clock = createAdjustableClock({ frozen: true });
 * clock.setTimer(() => console.log("an hour later"), 3_600_000);
 * await clock.advance(3_600_000);
 * ```
 */
export function createAdjustableClock(options: AdjustableClockOptions = {}): AdjustableClock {
	const { frozen = false, source = systemClock } = options;
	const sourceTime = frozen ? () => 0 : () => source.now();
	const timers = new TimerQueue();
	let offsetMs = (options.startMs ?? source.now()) - sourceTime();
	/** The current time during a move, which ignores time that passes in the source. */
	let heldAt: number | undefined;
	let cancelWakeUp = (): void => {};
	let lastMove = Promise.resolve();

	const now = (): number => heldAt ?? sourceTime() + offsetMs;

	/** Sets the only timer of the source to the next due time. */
	function arm(): void {
		cancelWakeUp();
		const next = timers.first;
		if (frozen || heldAt !== undefined || next === undefined) return;
		cancelWakeUp = source.setTimer(wakeUp, Math.max(0, next.dueAt - now()));
	}

	function wakeUp(): void {
		if (heldAt !== undefined) return;
		const timer = timers.takeDue(now());
		arm();
		timer?.callback();
	}

	async function move(ms: number): Promise<void> {
		const targetMs = now() + ms;
		heldAt = now();
		try {
			await nextTask();
			for (let timer = timers.takeDue(targetMs); timer; timer = timers.takeDue(targetMs)) {
				heldAt = Math.max(heldAt, timer.dueAt);
				timer.callback();
				await nextTask();
			}
			heldAt = targetMs;
		} finally {
			offsetMs = heldAt - sourceTime();
			heldAt = undefined;
			arm();
		}
	}

	return {
		now,
		setTimer(callback, delayMs) {
			const timer = { dueAt: now() + Math.max(0, delayMs), callback };
			timers.add(timer);
			arm();
			return () => {
				timers.remove(timer);
				arm();
			};
		},
		async advance(ms) {
			if (!Number.isFinite(ms) || ms < 0) {
				throw new ConfigurationError("advance(ms): ms must be 0 or more");
			}
			const moved = lastMove.then(() => move(ms));
			// A callback that throws fails the move it ran in, not the ones after it.
			lastMove = moved.catch(() => {});
			await moved;
		},
	};
}

/** Returns the clock itself if it can be moved, otherwise an adjustable clock on top of it. */
export function asAdjustable(clock: Clock | undefined): AdjustableClock {
	if (clock === undefined) return createAdjustableClock();
	return isAdjustable(clock) ? clock : createAdjustableClock({ source: clock });
}

function isAdjustable(clock: Clock): clock is AdjustableClock {
	// Untyped code may have passed anything.
	return typeof Reflect.get(Object(clock), "advance") === "function";
}
