import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { PacedChanges } from "../../../../../src/tools/console/conversations/state/paced-changes.ts";
import type { Change } from "../../../../../src/tools/control/contract.ts";
import { cases } from "../../../../support/cases.ts";

const INTERVAL_MS = 100;
const MAX_WAIT_MS = 250;
const MAX_HOLD_MS = 3_000;
const MAX_HELD = 1_000;

let startedAt: number;
beforeEach(() => {
	vi.useFakeTimers({ toFake: ["performance", "setTimeout", "clearTimeout"] });
	startedAt = performance.now();
});
afterEach(() => {
	vi.useRealTimers();
});

/** Changes that differ; what they say does not matter here. */
const changeOf = (offsetMs: number): Change => ({ type: "clock", now: 0, offsetMs });

/** Each batch is handed on in two tasks; says when and with how many changes. */
function pace() {
	const ran: string[] = [];
	const note = (task: string, { length }: readonly Change[]) =>
		ran.push(`${Math.round(performance.now() - startedAt)} ms: ${task} of ${length}`);
	const changes = new PacedChanges((batch) => [() => note("first", batch), () => note("second", batch)]);
	return { changes, ran };
}

test("changes within a frame are one batch, and the next one comes later", () => {
	const { changes, ran } = pace();
	for (let at = 0; at < 5; at++) changes.add(changeOf(at));
	vi.advanceTimersByTime(20);
	changes.add(changeOf(5));
	changes.add(changeOf(6));
	vi.advanceTimersByTime(200);
	expect(ran).toEqual([
		"16 ms: first of 5",
		"17 ms: second of 5",
		"116 ms: first of 2",
		"117 ms: second of 2",
	]);
});

test("every change is handed on once and in order, whatever is typed and pressed meanwhile", () => {
	const step = fc.oneof(
		fc.constantFrom("add", "typed", "rendered", "hold", "release"),
		fc.record({ passMs: fc.nat(INTERVAL_MS) }),
	);
	fc.assert(
		fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
			const added: Change[] = [];
			const [first, second]: [Change[], Change[]] = [[], []];
			const changes = new PacedChanges((batch) => [() => first.push(...batch), () => second.push(...batch)]);
			for (const each of steps) {
				if (each === "add") {
					const change = changeOf(added.length);
					added.push(change);
					changes.add(change);
				} else if (each === "typed") changes.typed();
				else if (each === "rendered") changes.rendered();
				else if (each === "hold") changes.hold();
				else if (each === "release") changes.release();
				else vi.advanceTimersByTime(each.passMs);
			}
			vi.advanceTimersByTime(MAX_HOLD_MS + 5 * MAX_WAIT_MS);
			expect(first).toEqual(added);
			expect(second).toEqual(added);
		}),
		{ numRuns: cases(200) },
	);
});

test("each task is a task of the browser's, so that a keystroke comes between them", () => {
	const { changes, ran } = pace();
	changes.add(changeOf(0));
	vi.advanceTimersToNextTimer();
	expect(ran).toEqual(["16 ms: first of 1"]);
	changes.typed();
	vi.advanceTimersByTime(8);
	expect(ran).toHaveLength(1);
	changes.rendered();
	expect(ran).toEqual(["16 ms: first of 1", "24 ms: second of 1"]);
});

describe("while the user types", () => {
	test("a batch begins once a keystroke is rendered", () => {
		const { changes, ran } = pace();
		changes.typed();
		changes.rendered();
		changes.add(changeOf(0));
		vi.advanceTimersByTime(60);
		changes.typed();
		vi.advanceTimersByTime(5);
		expect(ran).toEqual([]);
		changes.rendered();
		vi.advanceTimersByTime(1);
		expect(ran).toEqual(["65 ms: first of 1", expect.stringContaining("second of 1")]);
	});

	test("no batch begins before its time", () => {
		const { changes, ran } = pace();
		changes.add(changeOf(0));
		vi.advanceTimersByTime(20);
		changes.add(changeOf(1));
		changes.typed();
		changes.rendered();
		expect(ran).toHaveLength(2);
		vi.advanceTimersByTime(INTERVAL_MS);
		changes.typed();
		changes.rendered();
		expect(ran).toHaveLength(3);
	});

	test("changes do not wait longer than a while, even for a keystroke that is never rendered", () => {
		const { changes, ran } = pace();
		changes.add(changeOf(0));
		changes.typed();
		vi.advanceTimersByTime(16 + MAX_WAIT_MS - 1);
		expect(ran).toEqual([]);
		vi.advanceTimersByTime(1);
		expect(ran).toEqual(["266 ms: first of 1"]);
		vi.advanceTimersByTime(1 + MAX_WAIT_MS);
		expect(ran).toHaveLength(2);
	});

	test("a pause ends the waiting", () => {
		const { changes, ran } = pace();
		changes.typed();
		changes.rendered();
		vi.advanceTimersByTime(500);
		changes.add(changeOf(0));
		vi.advanceTimersByTime(17);
		expect(ran).toHaveLength(2);
	});
});

describe("while a pointer is down", () => {
	test("nothing is rendered, and all of it at once after the release", () => {
		const { changes, ran } = pace();
		changes.hold();
		changes.add(changeOf(0));
		vi.advanceTimersByTime(500);
		changes.add(changeOf(1));
		changes.typed();
		changes.rendered();
		vi.advanceTimersByTime(500);
		expect(ran).toEqual([]);
		changes.release();
		expect(ran).toEqual(["1000 ms: first of 2"]);
		vi.advanceTimersByTime(1);
		expect(ran).toHaveLength(2);
	});

	test("the rest of a batch waits too", () => {
		const { changes, ran } = pace();
		changes.add(changeOf(0));
		vi.advanceTimersToNextTimer();
		changes.hold();
		vi.advanceTimersByTime(500);
		expect(ran).toHaveLength(1);
		changes.release();
		expect(ran).toEqual(["16 ms: first of 1", "516 ms: second of 1"]);
	});

	test("a press that never ends holds changes for a while only", () => {
		const { changes, ran } = pace();
		changes.hold();
		changes.add(changeOf(0));
		vi.advanceTimersByTime(MAX_HOLD_MS - 1);
		expect(ran).toEqual([]);
		vi.advanceTimersByTime(2);
		expect(ran).toEqual(["3000 ms: first of 1", "3001 ms: second of 1"]);
		changes.add(changeOf(1));
		changes.hold();
		vi.advanceTimersByTime(1_000);
		changes.hold();
		vi.advanceTimersByTime(1_000);
		expect(ran).toHaveLength(2);
		changes.release();
		expect(ran.slice(2)).toEqual(["5001 ms: first of 1"]);
	});

	test("only so many changes are held", () => {
		const { changes, ran } = pace();
		changes.hold();
		changes.add(changeOf(0));
		vi.advanceTimersByTime(16);
		for (let at = 1; at < MAX_HELD; at++) changes.add(changeOf(at));
		expect(ran).toEqual([`16 ms: first of ${MAX_HELD}`]);
	});

	test("a snapshot waits in the place of what came before it", () => {
		const { changes, ran } = pace();
		changes.hold();
		changes.add(changeOf(0));
		changes.restart(() => ran.push("snapshot"));
		changes.add(changeOf(1));
		vi.advanceTimersByTime(500);
		expect(ran).toEqual([]);
		changes.release();
		expect(ran).toEqual(["snapshot"]);
		vi.advanceTimersByTime(INTERVAL_MS);
		expect(ran.slice(1)).toEqual([expect.stringContaining("first of 1"), expect.stringContaining("second")]);
	});
});

test("a snapshot is rendered at once, in the place of what waits", () => {
	const { changes, ran } = pace();
	changes.add(changeOf(0));
	changes.restart(() => ran.push("snapshot"));
	vi.advanceTimersByTime(INTERVAL_MS);
	expect(ran).toEqual(["snapshot"]);
});

test("what was dropped is not handed on, not even the rest of a batch", () => {
	const { changes, ran } = pace();
	changes.add(changeOf(0));
	vi.advanceTimersToNextTimer();
	changes.drop();
	changes.rendered();
	vi.advanceTimersByTime(1_000);
	changes.add(changeOf(1));
	vi.advanceTimersByTime(20);
	expect(ran).toEqual(["16 ms: first of 1", "1032 ms: first of 1", "1033 ms: second of 1"]);
});
