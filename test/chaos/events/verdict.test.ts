import { expect, test } from "vitest";
import { FAULT_KINDS, type Judgement, type Played, verdictOf } from "../report.ts";
import { type JournaledRun, judgeEvents, type Outcome } from "./verdict.ts";

const run = (token: number, rest: Partial<JournaledRun> = {}): JournaledRun => ({
	eventId: "evt_1",
	worker: 0,
	token,
	beganAt: token,
	endedAt: token + 0.5,
	hasEffect: true,
	wasHeld: true,
	acknowledged: null,
	...rest,
});

const EACH_ONCE = { kill: 1, cut: 1, restart: 1, hang: 1 };
const PLAYED: Played = {
	counts: {},
	scheduled: EACH_ONCE,
	tried: EACH_ONCE,
	struck: EACH_ONCE,
	crashes: 0,
	problems: [],
};

function judgeOne(
	runs: readonly JournaledRun[],
	outcome: Partial<Outcome> = {},
	played: Partial<Played> = {},
) {
	const events = [{ eventId: "evt_1", isDelivered: true }];
	return judgeEvents({ ...PLAYED, ...played }, { events, runs, ...outcome });
}

/** What was found, by its name. */
function findWrong({ counts }: Judgement): string[] {
	const names = ["lost", "doubled", "torn", "at once", "unsent", "run again for that"];
	return names.filter((name) => counts[name] !== 0);
}

const NOTED = { acknowledged: "noted" } as const;
const CUT_OFF = { endedAt: null, hasEffect: false, wasHeld: false } as const;

test.each([
	["one run", [run(1, NOTED)]],
	["a run that was cut off, and a second", [run(1, CUT_OFF), run(2, NOTED)]],
	["a run that failed after its effect", [run(1), run(2, NOTED)]],
	[
		"a run without its lease that ends after its successor",
		[run(1, { endedAt: 9, wasHeld: false }), run(2, NOTED)],
	],
	["a run that begins after its successor is done", [run(1, { beganAt: 9, endedAt: null }), run(2, NOTED)]],
	["a run after one that could not be noted", [run(1, { acknowledged: "unnoted" }), run(2)]],
] as const)("held: %s", (_name, runs) => {
	expect(verdictOf(judgeOne(runs))).toBe("held");
});

test.each<[string, JournaledRun[], Partial<Outcome>, string[]]>([
	["an event without an effect", [run(1, { hasEffect: false })], {}, ["lost"]],
	[
		"an event that the sender repeats",
		[run(1)],
		{ events: [{ eventId: "evt_1", isDelivered: false }] },
		["lost"],
	],
	["a run after the event was noted as done", [run(1, NOTED), run(2, NOTED)], {}, ["doubled"]],
	["two runs with one token", [run(1), run(1, NOTED)], {}, ["doubled"]],
	["done without an effect", [run(1, { ...NOTED, hasEffect: false })], {}, ["lost", "torn"]],
	["an effect without a record", [run(1, NOTED)], { records: [] }, ["torn"]],
	["a record without an effect", [], { records: ["evt_1"] }, ["lost", "torn"]],
	["a run while another one held the lease", [run(1, { endedAt: 9 }), run(2, NOTED)], {}, ["at once"]],
	["a run of an event that nobody sent", [run(1, NOTED), run(1, { eventId: "evt_2" })], {}, ["unsent"]],
])("failed: %s", (_name, runs, outcome, found) => {
	const judgement = judgeOne(runs, outcome);
	expect(verdictOf(judgement)).toBe("failed");
	expect(findWrong(judgement)).toEqual(found);
});

test("a run again after one that could not be noted is counted", () => {
	expect(findWrong(judgeOne([run(1, { acknowledged: "unnoted" }), run(2)]))).toEqual(["run again for that"]);
});

test.each<[string, Partial<Played>]>([
	["a process that crashed", { crashes: 1 }],
	["a run that broke off", { problems: ["the run broke off"] }],
])("failed: %s", (_name, played) => {
	expect(verdictOf(judgeOne([run(1, NOTED)], {}, played))).toBe("failed");
});

test.each(FAULT_KINDS)("inconclusive: a %s that did not strike", (kind) => {
	const struck = { ...EACH_ONCE, [kind]: 0 };
	const judgement = judgeOne([run(1, NOTED)], {}, { struck });
	expect(verdictOf(judgement)).toBe("inconclusive");
	expect(judgement.inconclusive).toEqual([`${kind} struck 0 of 1 times, with 10 tries for each`]);
	expect(verdictOf(judgeOne([], {}, { struck }))).toBe("failed");
});
