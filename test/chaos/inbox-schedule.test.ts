import { expect, test } from "vitest";
import { drawMisdeed, randomOf, scheduleStrikes } from "./inbox-schedule.ts";
import { Random } from "./random.ts";

const describeStrikes = (events: number, seed: number): string[] =>
	Array.from(scheduleStrikes(events, new Random(seed)))
		.filter(([at]) => at < events)
		.map(([at, { kind, before }]) => `${at}: ${kind} before ${before}`);

test("the short form has each kind of strike before each statement once", () => {
	const strikes = describeStrikes(105, 1).map((strike) => strike.replace(/^\d+: /, ""));
	expect(strikes).toHaveLength(35);
	expect(new Set(strikes).size).toBe(35);
});

test("ten thousand events have each six times", () => {
	expect(describeStrikes(10_000, 1)).toHaveLength(6 * 35);
});

test("a seed decides all choices, another one makes others", () => {
	const misdeedsOf = (seed: number): string =>
		Array.from({ length: 500 }, (_, at) => drawMisdeed(randomOf(seed, at))).join();
	expect([describeStrikes(105, 1), misdeedsOf(1)]).toEqual([describeStrikes(105, 1), misdeedsOf(1)]);
	expect(describeStrikes(105, 2)).not.toEqual(describeStrikes(105, 1));
	expect(misdeedsOf(2)).not.toBe(misdeedsOf(1));
	for (const misdeed of ["fail", "swallow", "commit", "hidden commit", "ask the pool"]) {
		expect(misdeedsOf(1)).toContain(misdeed);
	}
});
