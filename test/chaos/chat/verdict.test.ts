import { expect, test } from "vitest";
import { verdictOf } from "../report.ts";
import { type ChatOutcome, judgeChat } from "./verdict.ts";

const GOOD: ChatOutcome = {
	bursts: 2,
	lines: 3,
	sent: ["You said: evt_0_0", "You said: evt_1_0", "You said: evt_0_1"],
	unresolved: [],
	kills: 1,
	runsAgain: 1,
	problems: [],
};

test("held: each line is answered, or its answer is held for a person", () => {
	expect(verdictOf(judgeChat(GOOD))).toBe("held");
	expect(verdictOf(judgeChat({ ...GOOD, sent: GOOD.sent.slice(1), unresolved: ["evt_0_0"] }))).toBe("held");
});

test.each<[Partial<ChatOutcome>, string]>([
	[{ sent: GOOD.sent.slice(1) }, "1 lost"],
	[{ sent: [...GOOD.sent, "You said: evt_0_1"] }, "1 answered twice"],
	[{ sent: GOOD.sent.toReversed() }, "1 out of order"],
	[{ problems: ["the run broke off"] }, "the run broke off"],
])("failed: %o", (changes, failure) => {
	expect(judgeChat({ ...GOOD, ...changes }).failures).toEqual([failure]);
});

test("inconclusive: no run was cut off", () => {
	expect(verdictOf(judgeChat({ ...GOOD, runsAgain: 0 }))).toBe("inconclusive");
});
