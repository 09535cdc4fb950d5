import { expect, test } from "vitest";
import { type Judgement, verdictOf } from "../report.ts";
import { SCENARIO_NAMES } from "./plan.ts";
import { judgeSends, type SendOutcome, type SendsRun } from "./verdict.ts";

const GOOD: SendOutcome = {
	key: "send-1",
	hasCallback: true,
	accepted: 1,
	decisions: 0,
	isReported: true,
	status: "accepted",
	hasEvidence: false,
};
const EACH_ONCE = Object.fromEntries(SCENARIO_NAMES.map((name) => [name, 1]));

function judgeOne(rest: Partial<SendOutcome>, changes: Partial<SendsRun> = {}): Judgement {
	return judgeSends({
		counts: {},
		planned: [],
		outcomes: [{ ...GOOD, ...rest }],
		strikes: EACH_ONCE,
		sentAfterLease: [],
		acceptedTooLate: [],
		undelivered: 0,
		crashes: 0,
		problems: [],
		...changes,
	});
}

/** What was found, by its name. */
function findWrong({ counts }: Judgement): string[] {
	const names = [
		"doubled",
		"falsely accepted",
		"dropped",
		"unresolved without evidence",
		"unresolved although proven",
	];
	return names.filter((name) => counts[name] !== 0);
}

const UNRESOLVED = { status: "unresolved", hasEvidence: true, isReported: false } as const;

test.each([
	["an accepted send", {}],
	["one that a status event proved", { isReported: false }],
	["a second message after a decision", { accepted: 2, decisions: 1 }],
	["an unresolved one that was not accepted", { ...UNRESOLVED, accepted: 0 }],
	["an unresolved one without callbacks", { ...UNRESOLVED, hasCallback: false }],
] as const)("held: %s", (_name, rest) => {
	expect(verdictOf(judgeOne(rest))).toBe("held");
});

test.each([
	["a second message", { accepted: 2 }, ["doubled"]],
	["a third message after one decision", { accepted: 3, decisions: 1 }, ["doubled"]],
	[
		"a report without a message",
		{ accepted: 0, status: "unresolved", hasEvidence: true },
		["falsely accepted"],
	],
	["a verdict without a message", { accepted: 0, isReported: false }, ["falsely accepted"]],
	["an open send", { accepted: 0, isReported: false, status: "open" }, ["dropped"]],
	["a send that the store does not know", { status: undefined }, ["dropped"]],
	[
		"an unresolved one without evidence",
		{ ...UNRESOLVED, accepted: 0, hasEvidence: false },
		["unresolved without evidence"],
	],
	["an unresolved one whose status events came", UNRESOLVED, ["unresolved although proven"]],
] as const)("failed: %s", (_name, rest, found) => {
	const judgement = judgeOne(rest);
	expect(verdictOf(judgement)).toBe("failed");
	expect(findWrong(judgement)).toEqual(found);
});

test.each<[string, Partial<SendsRun>]>([
	["a send after its lease", { sentAfterLease: ["send-1"] }],
	["a message that was accepted after a decision", { acceptedTooLate: ["send-1"] }],
	["a worker that crashed", { crashes: 1 }],
	["a run that broke off", { problems: ["the run broke off"] }],
])("failed: %s", (_name, changes) => {
	expect(verdictOf(judgeOne({}, changes))).toBe("failed");
});

test.each(SCENARIO_NAMES)("inconclusive: no %s", (name) => {
	const strikes = { ...EACH_ONCE, [name]: 0 };
	const judgement = judgeOne({}, { strikes });
	expect(verdictOf(judgement)).toBe("inconclusive");
	expect(judgement.inconclusive).toEqual([`no ${name} in 10 tries`]);
	expect(verdictOf(judgeOne({ accepted: 2 }, { strikes }))).toBe("failed");
});

test("inconclusive: an unresolved one whose status events are on their way", () => {
	expect(verdictOf(judgeOne(UNRESOLVED, { undelivered: 1 }))).toBe("inconclusive");
});
