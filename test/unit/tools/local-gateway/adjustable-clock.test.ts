import { type AdjustableClock, type Clock, createAdjustableClock } from "messaging-gateway/testing";
import { describe, expect, test } from "vitest";

/** A source whose time and timers the test moves by hand. */
function createSource(): Clock & { time: number; fire(): void; delays: number[] } {
	let callback: (() => void) | undefined;
	return {
		time: 1_000,
		delays: [],
		now() {
			return this.time;
		},
		setTimer(next, delayMs) {
			callback = next;
			this.delays.push(delayMs);
			return () => {
				callback = undefined;
			};
		},
		fire() {
			const due = callback;
			callback = undefined;
			due?.();
		},
	};
}

function recordTimers(clock: AdjustableClock, delaysMs: readonly number[]): number[] {
	const firedAt: number[] = [];
	for (const delayMs of delaysMs) clock.setTimer(() => firedAt.push(clock.now()), delayMs);
	return firedAt;
}

describe("advance", () => {
	test("fires due timers in order, each at its own time", async () => {
		const clock = createAdjustableClock({ frozen: true, startMs: 0 });
		const firedAt = recordTimers(clock, [30, 10, 20, 41]);
		await clock.advance(40);
		expect(firedAt).toEqual([10, 20, 30]);
		expect(clock.now()).toBe(40);
	});

	test("fires timers that are set on the way, and lets promises run in between", async () => {
		const clock = createAdjustableClock({ frozen: true, startMs: 0 });
		const firedAt: number[] = [];
		clock.setTimer(async () => {
			await Promise.resolve();
			clock.setTimer(() => firedAt.push(clock.now()), 5);
		}, 10);
		await clock.advance(20);
		expect(firedAt).toEqual([15]);
	});

	test("keeps the order of timers that are due together", async () => {
		const clock = createAdjustableClock({ frozen: true });
		const order: string[] = [];
		for (const name of ["a", "b", "c"]) clock.setTimer(() => order.push(name), 10);
		await clock.advance(10);
		expect(order).toEqual(["a", "b", "c"]);
	});

	test("runs one move after the other", async () => {
		const clock = createAdjustableClock({ frozen: true, startMs: 0 });
		await Promise.all([clock.advance(10), clock.advance(5)]);
		expect(clock.now()).toBe(15);
	});

	test("continues after a timer that throws", async () => {
		const clock = createAdjustableClock({ frozen: true, startMs: 0 });
		clock.setTimer(() => {
			throw new Error("boom");
		}, 10);
		await expect(clock.advance(20)).rejects.toThrow("boom");
		await clock.advance(5);
		expect(clock.now()).toBe(15);
	});

	test.each([-1, Number.NaN, Number.POSITIVE_INFINITY])("rejects %s", async (ms) => {
		await expect(createAdjustableClock().advance(ms)).rejects.toMatchObject({ code: "configuration" });
	});
});

test("a cancelled timer does not fire, and cancelling twice does nothing", async () => {
	const clock = createAdjustableClock({ frozen: true });
	const firedAt: number[] = [];
	const cancel = clock.setTimer(() => firedAt.push(clock.now()), 10);
	cancel();
	cancel();
	await clock.advance(20);
	expect(firedAt).toEqual([]);
});

test("frozen, time passes only through advance", () => {
	const source = createSource();
	const clock = createAdjustableClock({ frozen: true, source });
	source.time += 500;
	expect(clock.now()).toBe(1_000);
});

describe("over a source", () => {
	test("time passes as in the source, plus what was advanced", async () => {
		const source = createSource();
		const clock = createAdjustableClock({ source });
		await clock.advance(100);
		source.time += 7;
		expect(clock.now()).toBe(1_107);
	});

	test("starts at the given time", () => {
		const source = createSource();
		const clock = createAdjustableClock({ source, startMs: 5 });
		source.time += 2;
		expect(clock.now()).toBe(7);
	});

	test("fires by the source's timers, and sets them again when they fire early", () => {
		const source = createSource();
		const clock = createAdjustableClock({ source });
		const firedAt = recordTimers(clock, [50]);
		source.time += 49;
		source.fire();
		expect(firedAt).toEqual([]);
		source.time += 1;
		source.fire();
		expect(firedAt).toEqual([1_050]);
		expect(source.delays).toEqual([50, 1]);
	});

	test("after a move, the source's timer is set to the remaining time", async () => {
		const source = createSource();
		const clock = createAdjustableClock({ source });
		const firedAt = recordTimers(clock, [50]);
		await clock.advance(30);
		expect(source.delays.at(-1)).toBe(20);
		source.time += 20;
		source.fire();
		expect(firedAt).toEqual([1_050]);
	});
});
