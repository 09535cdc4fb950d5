import { expect, test } from "vitest";
import { verdictOf } from "../report.ts";
import { judgeTurns, type TurnsOutcome } from "./verdict.ts";

/** Two bursts of two lines in one conversation, each with its turn and its reply. */
const GOOD: TurnsOutcome = {
	conversations: 1,
	bursts: 2,
	linesInBurst: 2,
	quietSeconds: 1,
	lines: [
		{ event_id: "evt_0_0", turn: "a", stored_at: 10, acknowledged_at: 10.1 },
		{ event_id: "evt_0_1", turn: "a", stored_at: 10.5, acknowledged_at: 10.6 },
		{ event_id: "evt_0_2", turn: "b", stored_at: 20.5, acknowledged_at: 20.6 },
		{ event_id: "evt_0_3", turn: "b", stored_at: 20, acknowledged_at: 20.1 },
	],
	sent: ["evt_0_0 / evt_0_1", "evt_0_2 / evt_0_3"],
	kills: 1,
	runsCutOff: 1,
	repliesHeld: 0,
	problems: [],
};

const lines = (...turns: (string | null)[]): TurnsOutcome["lines"] =>
	GOOD.lines.map((line, at) => ({ ...line, turn: turns[at] ?? null }));

const SPLIT = { lines: lines("a", "c", "b", "b"), repliesHeld: 1 };

test.each<[string, Partial<TurnsOutcome>]>([
	["everything as promised", {}],
	["a reply that is held", { sent: ["evt_0_0 / evt_0_1"], repliesHeld: 1 }],
	["a burst with two turns, and a long pause between them", { ...SPLIT, quietSeconds: 0.5 }],
])("held: %s", (_, changes) => {
	expect(verdictOf(judgeTurns({ ...GOOD, ...changes }))).toBe("held");
});

test.each<[string, Partial<TurnsOutcome>, string[]]>([
	["a burst with two turns", SPLIT, ["1 turns too many"]],
	["a line without a turn", { lines: lines("a", "a", "b", null) }, ["1 lost"]],
	["a line that was never stored", { lines: GOOD.lines.slice(0, 3) }, ["1 lost"]],
	["lines in another order", { sent: ["evt_0_1 / evt_0_0", "evt_0_2 / evt_0_3"] }, ["1 order violations"]],
	["replies in another order", { sent: GOOD.sent.toReversed() }, ["1 order violations"]],
	["a reply that is missing", { sent: ["evt_0_0 / evt_0_1"] }, ["a reply is neither sent nor held"]],
	["a reply sent twice", { sent: [...GOOD.sent, "evt_0_2 / evt_0_3"] }, ["1 replies sent twice"]],
	["a run that broke off", { problems: ["the run broke off"] }, ["the run broke off"]],
])("failed: %s", (_, changes, failures) => {
	const judgement = judgeTurns({ ...GOOD, ...changes });
	expect(judgement.failures).toEqual(failures);
	expect(verdictOf(judgement)).toBe("failed");
	expect(verdictOf(judgeTurns({ ...GOOD, ...changes, runsCutOff: 0 }))).toBe("failed");
});

test.each([{ runsCutOff: 0 }, { kills: 0 }])("inconclusive: %o", (changes) => {
	expect(verdictOf(judgeTurns({ ...GOOD, ...changes }))).toBe("inconclusive");
});
