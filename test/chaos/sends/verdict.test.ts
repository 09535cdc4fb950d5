import { expect, test } from "vitest";
import { judgeSends, type SendOutcome } from "./verdict.ts";

function judgeOne(rest: Partial<SendOutcome>): string[] {
	const verdict = judgeSends([
		{
			key: "send-1",
			hasCallback: true,
			accepted: 1,
			decisions: 0,
			isReported: true,
			status: "accepted",
			hasEvidence: false,
			...rest,
		},
	]);
	return Object.entries(verdict).flatMap(([name, keys]) => (keys.length > 0 ? [name] : []));
}

const UNRESOLVED = { status: "unresolved", hasEvidence: true, isReported: false } as const;

test.each([
	["an accepted send", {}, []],
	["one that a status event proved", { isReported: false }, []],
	["a second message after a decision", { accepted: 2, decisions: 1 }, ["unresolved"]],
	["an unresolved one that was not accepted", { ...UNRESOLVED, accepted: 0 }, ["unresolved"]],
	["an unresolved one without callbacks", { ...UNRESOLVED, hasCallback: false }, ["unresolved"]],
] as const)("all is well with %s", (_name, rest, found) => {
	expect(judgeOne(rest)).toEqual(found);
});

test.each([
	["a second message", { accepted: 2 }, ["doubled"]],
	["a third message after one decision", { accepted: 3, decisions: 1 }, ["doubled", "unresolved"]],
	[
		"a report without a message",
		{ accepted: 0, status: "unresolved", hasEvidence: true },
		["falselyAccepted", "unresolved"],
	],
	["a verdict without a message", { accepted: 0, isReported: false }, ["falselyAccepted"]],
	["an open send", { accepted: 0, isReported: false, status: "open" }, ["dropped"]],
	["a send that the store does not know", { status: undefined }, ["dropped"]],
	[
		"an unresolved one without evidence",
		{ ...UNRESOLVED, accepted: 0, hasEvidence: false },
		["withoutEvidence", "unresolved"],
	],
	["an unresolved one whose status events came", UNRESOLVED, ["unproven", "unresolved"]],
] as const)("%s is found", (_name, rest, found) => {
	expect(judgeOne(rest)).toEqual(found);
});
