import { expect, test } from "vitest";
import { FAULT_KINDS, type Judgement, type Played, verdictOf } from "../report.ts";
import { judgeSends, type SendOutcome } from "./verdict.ts";

const GOOD: SendOutcome = {
	key: "send-1",
	hasCallback: true,
	accepted: 1,
	isReported: true,
	status: "accepted",
	hasEvidence: false,
};

const EACH_ONCE = { kill: 1, cut: 1, restart: 1, hang: 1 };

function judgeOne(rest: Partial<SendOutcome>, changes: Partial<Played> = {}): Judgement {
	const faults = { scheduled: EACH_ONCE, tried: EACH_ONCE, struck: EACH_ONCE };
	return judgeSends({ counts: {}, ...faults, crashes: 0, problems: [], ...changes }, [{ ...GOOD, ...rest }]);
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
	["an unresolved one that was not accepted", { ...UNRESOLVED, accepted: 0 }],
	["an unresolved one without callbacks", { ...UNRESOLVED, hasCallback: false }],
] as const)("held: %s", (_name, rest) => {
	expect(verdictOf(judgeOne(rest))).toBe("held");
});

test.each([
	["a second message", { accepted: 2 }, ["doubled"]],
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

test.each(FAULT_KINDS)("inconclusive: no %s", (kind) => {
	const struck = { ...EACH_ONCE, [kind]: 0 };
	expect(verdictOf(judgeOne({}, { struck }))).toBe("inconclusive");
	expect(verdictOf(judgeOne({ accepted: 2 }, { struck }))).toBe("failed");
});
