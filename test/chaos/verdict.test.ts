import { expect, test } from "vitest";
import { FAULT_KINDS, type FaultCounts } from "./faults.ts";
import { type Judgement, verdictOf } from "./report.ts";
import { type EventsRun, type JournaledRun, judgeEvents } from "./verdict.ts";

const run = (token: number, rest: Partial<JournaledRun> = {}): JournaledRun => ({
	eventId: "evt_1",
	worker: "0",
	token,
	beganAt: token,
	endedAt: token + 0.5,
	ended: "written",
	wasHeld: true,
	wasRejected: false,
	acknowledged: null,
	...rest,
});

const EACH_ONCE = { kill: 1, pause: 1, latePause: 1, cut: 1, restart: 1, hang: 1 };

function judgeOne(
	runs: readonly JournaledRun[],
	effect: number | undefined,
	changes: Partial<EventsRun> = {},
) {
	const effects = new Map(effect === undefined ? [] : [["evt_1", effect]]);
	const outcome = { events: [{ eventId: "evt_1", isDelivered: true }], effects, runs };
	const faults = { scheduled: EACH_ONCE, tried: EACH_ONCE, struck: EACH_ONCE };
	return judgeEvents({ counts: {}, outcome, ...faults, crashes: 0, problems: [], ...changes });
}

/** What was found, by its name. */
function findWrong({ counts }: Judgement): string[] {
	const names = ["lost", "doubled", "at once", "overwritten", "run again for that"];
	return names.filter((name) => counts[name] !== 0);
}

const NOTED = { acknowledged: "noted" } as const;
const CUT_OFF = { ended: null, endedAt: null, wasHeld: false } as const;

test.each([
	["one run", [run(1, NOTED)], 1],
	["a run that was cut off, and a second", [run(1, CUT_OFF), run(2, NOTED)], 2],
	["a run that failed after its effect", [run(1), run(2, NOTED)], 2],
	["a paused run that ends after its successor", [run(1, { endedAt: 9, wasHeld: false }), run(2, NOTED)], 2],
	["a paused run that begins after its successor is done", [run(1, { beganAt: 9 }), run(2, NOTED)], 2],
	["a run after one that could not be noted", [run(1, { acknowledged: "unnoted" }), run(2)], 2],
] as const)("held: %s", (_name, runs, effect) => {
	expect(verdictOf(judgeOne(runs, effect))).toBe("held");
});

test.each([
	["an event without an effect", [run(1, { ended: "failed" })], undefined, ["lost"]],
	["a run after the event was noted as done", [run(1, NOTED), run(2, NOTED)], 2, ["doubled"]],
	["two runs with one token", [run(1, { ended: "rejected" }), run(1, NOTED)], 1, ["doubled"]],
	["a run while another one held the lease", [run(1, { endedAt: 9 }), run(2, NOTED)], 2, ["at once"]],
	["the effect of an older run", [run(1), run(2, NOTED)], 1, ["overwritten"]],
] as const)("failed: %s", (_name, runs, effect, found) => {
	const judgement = judgeOne(runs, effect);
	expect(verdictOf(judgement)).toBe("failed");
	expect(findWrong(judgement)).toEqual(found);
});

test("a run again after one that could not be noted is counted", () => {
	expect(findWrong(judgeOne([run(1, { acknowledged: "unnoted" }), run(2)], 2))).toEqual([
		"run again for that",
	]);
});

test("failed: an event that the sender still repeats", () => {
	const outcome = {
		events: [{ eventId: "evt_1", isDelivered: false }],
		effects: new Map([["evt_1", 1]]),
		runs: [run(1)],
	};
	expect(findWrong(judgeOne([], 1, { outcome }))).toEqual(["lost"]);
	expect(verdictOf(judgeOne([], 1, { outcome }))).toBe("failed");
});

test.each<[string, Partial<EventsRun>]>([
	["a receiver that crashed", { crashes: 1 }],
	["a run that broke off", { problems: ["the run broke off"] }],
])("failed: %s", (_name, changes) => {
	expect(verdictOf(judgeOne([run(1, NOTED)], 1, changes))).toBe("failed");
});

test("failed: an effect of an event that nobody sent", () => {
	const effects = new Map([
		["evt_1", 1],
		["evt_2", 1],
	]);
	const outcome = { events: [{ eventId: "evt_1", isDelivered: true }], effects, runs: [run(1, NOTED)] };
	expect(verdictOf(judgeOne([], 1, { outcome }))).toBe("failed");
});

test.each(FAULT_KINDS)("inconclusive: a %s that did not strike", (kind) => {
	const struck: FaultCounts = { ...EACH_ONCE, [kind]: 0 };
	const judgement = judgeOne([run(1, NOTED)], 1, { struck });
	expect(verdictOf(judgement)).toBe("inconclusive");
	expect(judgement.inconclusive).toEqual([`${kind} struck 0 of 1 times, with 10 tries for each`]);
	expect(verdictOf(judgeOne([], undefined, { struck }))).toBe("failed");
});
