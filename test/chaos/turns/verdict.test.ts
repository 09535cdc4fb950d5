import { expect, test } from "vitest";
import { judgeTurns, type TurnsOutcome } from "./verdict.ts";

/** Two bursts of two lines in one conversation, each with its turn and its reply. */
const GOOD: TurnsOutcome = {
	conversations: 1,
	bursts: 2,
	linesInBurst: 2,
	lines: [
		{ event_id: "evt_0_0", conversation: "chat-0", turn: "a" },
		{ event_id: "evt_0_1", conversation: "chat-0", turn: "a" },
		{ event_id: "evt_0_2", conversation: "chat-0", turn: "b" },
		{ event_id: "evt_0_3", conversation: "chat-0", turn: "b" },
	],
	sent: ["evt_0_0 / evt_0_1", "evt_0_2 / evt_0_3"],
	kills: 1,
	runsCutOff: 1,
	repliesHeld: 0,
};

const lines = (...turns: (string | null)[]): TurnsOutcome["lines"] =>
	GOOD.lines.map((line, at) => ({ ...line, turn: turns[at] ?? null }));

test.each<[string, Partial<TurnsOutcome>, string[]]>([
	["everything as promised", {}, []],
	["a reply that is held", { sent: ["evt_0_0 / evt_0_1"], repliesHeld: 1 }, []],
	["a burst with two turns", { lines: lines("a", "c", "b", "b"), repliesHeld: 1 }, ["3 turns for 2 bursts"]],
	["a line without a turn", { lines: lines("a", "a", "b", null) }, ["1 lost"]],
	["a line that was never stored", { lines: GOOD.lines.slice(0, 3) }, ["1 lost"]],
	["lines in another order", { sent: ["evt_0_1 / evt_0_0", "evt_0_2 / evt_0_3"] }, ["1 order violations"]],
	["replies in another order", { sent: GOOD.sent.toReversed() }, ["1 order violations"]],
	["a reply that is missing", { sent: ["evt_0_0 / evt_0_1"] }, ["a reply is neither sent nor held"]],
	["a run without kills", { kills: 0 }, ["no run of a turn was cut off"]],
	[
		"a reply sent twice",
		{ sent: [...GOOD.sent, "evt_0_2 / evt_0_3"] },
		["1 replies sent twice", "1 order violations"],
	],
])("%s", (_, changes, failures) => {
	expect(judgeTurns({ ...GOOD, ...changes }).failures).toEqual(failures);
});
