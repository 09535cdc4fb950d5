import { expect, test } from "vitest";
import { type JournaledRun, judge } from "./verdict.ts";

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

function judgeOne(runs: JournaledRun[], effect: number | undefined, isDelivered = true) {
	const effects = new Map(effect === undefined ? [] : [["evt_1", effect]]);
	const verdict = judge({ events: [{ eventId: "evt_1", isDelivered }], effects, runs });
	return Object.entries(verdict).flatMap(([name, ids]) => (ids.length > 0 ? [name] : []));
}

const NOTED = { acknowledged: "noted" } as const;
const CUT_OFF = { ended: null, endedAt: null, wasHeld: false } as const;

test.each([
	["one run", [run(1, NOTED)], 1],
	["a run that was cut off, and a second", [run(1, CUT_OFF), run(2, NOTED)], 2],
	["a run that failed after its effect", [run(1), run(2, NOTED)], 2],
	["a paused run that ends after its successor", [run(1, { endedAt: 9, wasHeld: false }), run(2, NOTED)], 2],
	["a paused run that begins after its successor is done", [run(1, { beganAt: 9 }), run(2, NOTED)], 2],
] as const)("all is well with %s", (_name, runs, effect) => {
	expect(judgeOne([...runs], effect)).toEqual([]);
});

test.each([
	["an event without an effect", [run(1, { ended: "failed" })], undefined, ["lost"]],
	["a run after the event was noted as done", [run(1, NOTED), run(2, NOTED)], 2, ["doubled"]],
	["two runs with one token", [run(1, { ended: "rejected" }), run(1, NOTED)], 1, ["doubled"]],
	["a run while another one held the lease", [run(1, { endedAt: 9 }), run(2, NOTED)], 2, ["atOnce"]],
	["the effect of an older run", [run(1), run(2, NOTED)], 1, ["overwritten"]],
	[
		"a run after one that could not be noted",
		[run(1, { acknowledged: "unnoted" }), run(2)],
		2,
		["runAgainUnnoted"],
	],
] as const)("%s is found", (_name, runs, effect, found) => {
	expect(judgeOne([...runs], effect)).toEqual(found);
});

test("an event that the sender still repeats is lost", () => {
	expect(judgeOne([run(1)], 1, false)).toEqual(["lost"]);
});
