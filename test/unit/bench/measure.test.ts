import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { measureInTurns, median, medianFigures } from "../../../bench/stores/measure.ts";

beforeEach(() => {
	vi.useFakeTimers({ toFake: ["performance", "setTimeout"] });
});

afterEach(() => {
	vi.useRealTimers();
});

/** What takes one millisecond. */
const work = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 1));

/** What a measurement comes to, with time passing until it is over. */
async function settle<Value>(measuring: Promise<Value>): Promise<Value> {
	measuring.catch(() => undefined);
	await vi.runAllTimersAsync();
	return measuring;
}

test("contenders take turns, each starts a round, and the first round is not counted", async () => {
	const turns: string[] = [];
	const contender = (name: string) => ({
		async run() {
			if (turns.at(-1) !== name) turns.push(name);
			await work();
		},
	});
	const a = contender("a");
	const b = contender("b");
	const results = await settle(measureInTurns([a, b], { workers: 1, rounds: 3, roundMs: 5 }));
	expect([results.get(a)?.length, results.get(b)?.length]).toEqual([3, 3]);
	// a b | b a | a b | b a, of which two in a row look like one.
	expect(turns.join("")).toBe("ababa");
});

test("workers run at the same time", async () => {
	let running = 0;
	let most = 0;
	const contender = {
		async run() {
			most = Math.max(most, ++running);
			await work();
			running--;
		},
	};
	const measuring = measureInTurns([contender], { workers: 8, rounds: 1, roundMs: 5 });
	const [figures] = (await settle(measuring)).get(contender) ?? [];
	expect(most).toBe(8);
	expect(figures?.p50Ms).toBeCloseTo(1, 2);
	expect(figures?.perSecond).toBe(8_000);
});

test("a contender that fails ends the measurement", async () => {
	const contender = { run: () => Promise.reject(new Error("the lease was lost")) };
	const measuring = measureInTurns([contender], { workers: 2, rounds: 1, roundMs: 5 });
	await expect(measuring).rejects.toThrow("the lease was lost");
});

test("an outlier does not move the median", () => {
	expect(median([5, 1, 1_000])).toBe(5);
	const figures = [1, 2, 900].map((value) => ({ perSecond: value, p50Ms: value, p99Ms: value }));
	expect(medianFigures(figures)).toEqual({ perSecond: 2, p50Ms: 2, p99Ms: 2 });
});
