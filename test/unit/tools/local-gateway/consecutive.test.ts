import type { RuleOptions } from "messaging-gateway/testing";
import { describe, expect, test } from "vitest";
import { type Outcomes, testOutcomes } from "../../../support/outcomes.ts";
import {
	AGENT,
	ALICE,
	BOB,
	type CallResult,
	getMapping,
	pathOf,
	START_MS,
} from "../../../support/signed-client.ts";
import {
	calls,
	OTHER_AGENT,
	play,
	resets,
	responseTo,
	type Step,
	type Story,
	sends,
	sentenceOf,
	waits,
	writes,
} from "./steps.ts";

const rules = (given: RuleOptions = {}) => ({ rules: given });
const sixth = sends(ALICE, "One more");
/** Texts to a contact, each another one. */
const texts = (count: number): Step[] =>
	Array.from({ length: count }, (_, at) => sends(ALICE, `Message ${at}`));
const patch = (maxConsecutiveMessages: number) =>
	calls("PATCH", pathOf("/mapping", ALICE), { maxConsecutiveMessages });
const map = (userNumber: string, fields: object) => calls("POST", "/mapping", { userNumber, ...fields });
const register = calls("POST", "/agent", { agentNumber: OTHER_AGENT, maxConsecutiveMessages: 3 });

/** What becomes of the last send, with all that is said about it. */
const FATES: Outcomes<Story> = {
	202: {
		"the fifth message without a reply": [rules(), ...texts(5)],
		"the sixth to another contact": [rules(), ...texts(5), sends(BOB)],
		"the sixth after a reply": [rules(), ...texts(5), writes(), sixth],
		"the sixth after a reset of the mapping": [rules(), ...texts(5), resets, sixth],
		"the sixth of six that the mapping allows": [rules(), ...texts(5), patch(6), sixth],
		"the second of one, if the rule only warns": [
			rules({ consecutive: "warn", maxConsecutiveMessages: 1 }),
			...texts(2),
		],
		"the second of one, if the rule is off": [
			rules({ consecutive: "off", maxConsecutiveMessages: 1 }),
			...texts(2),
		],
	},
	"403 MAX_CONSECUTIVE_EXCEEDED: Blocked by the consecutive-message rule: the last 5 messages are unanswered. An inbound message or a reset of the mapping sets the count to 0; the option rules.maxConsecutiveMessages and mappings.update change the threshold.":
		{ "the sixth message without a reply": [rules(), ...texts(5), sixth] },
	"403 MAX_CONSECUTIVE_EXCEEDED: Blocked by the consecutive-message rule: the last 4 messages are unanswered. An inbound message or a reset of the mapping sets the count to 0; the option rules.maxConsecutiveMessages and mappings.update change the threshold.":
		{
			"the fifth of four that the option allows": [rules({ maxConsecutiveMessages: 4 }), ...texts(5)],
			"the fifth of four that the mapping allows": [rules(), ...texts(4), patch(4), sixth],
		},
};

describe("the last message of", () => testOutcomes(FATES, (story) => sentenceOf(responseTo(story))));

test("a rejection has the counters", async () => {
	const { last } = await play([rules(), ...texts(5), waits(1), sixth]);
	expect((last as CallResult).body.error.details).toEqual({
		consecutiveCount: 5,
		maxConsecutiveMessages: 5,
		lastWarningSentAt: START_MS + 1_000,
		rule: "consecutive",
		option: "rules.maxConsecutiveMessages",
	});
});

/** The count on the mapping, of how many, and seconds until it was marked. */
const COUNTS: Outcomes<Story> = {
	"5 of 5, marked after 1 s": { "the sixth is rejected": [rules(), ...texts(5), waits(1), sixth] },
	"0 of 5, not marked": {
		"a reply came": [rules(), ...texts(5), writes()],
		"the mapping was reset": [rules(), ...texts(5), resets],
	},
	"2 of 2, not marked": {
		"as many as a rule that warns allows": [
			rules({ consecutive: "warn", maxConsecutiveMessages: 2 }),
			...texts(2),
		],
	},
	"3 of 2, marked after 0 s": {
		"more than a rule that warns allows": [
			rules({ consecutive: "warn", maxConsecutiveMessages: 2 }),
			...texts(3),
		],
	},
	"3 of 1, not marked": {
		"more than a rule that is off allows": [
			rules({ consecutive: "off", maxConsecutiveMessages: 1 }),
			...texts(3),
		],
	},
	"1 of 1, not marked": {
		"a duplicate is rejected as one, before the count is checked": [
			rules({ maxConsecutiveMessages: 1 }),
			sends(),
			sends(),
		],
	},
	"0 of 4, not marked": {
		"the option's threshold": [
			rules({ maxConsecutiveMessages: 4 }),
			register,
			map(ALICE, { agentNumber: AGENT }),
		],
	},
	"0 of 3, not marked": {
		"the agent's threshold": [
			rules({ maxConsecutiveMessages: 4 }),
			register,
			map(ALICE, { agentNumber: OTHER_AGENT }),
		],
		"the agent's threshold, by a send": [{ agents: [], ...rules() }, register, sends(), writes()],
	},
	"0 of 2, not marked": {
		"the mapping's threshold": [
			rules({ maxConsecutiveMessages: 4 }),
			register,
			map(ALICE, { agentNumber: OTHER_AGENT, maxConsecutiveMessages: 2 }),
		],
		"the mapping's threshold, changed": [rules(), map(ALICE, {}), patch(2)],
	},
};

describe("the mapping's count is", () =>
	testOutcomes(COUNTS, async (story) => {
		const { local } = await play(story);
		const mapping = await getMapping(local, ALICE);
		const { consecutiveCount, maxConsecutiveMessages, lastWarningSentAt } = mapping;
		const mark =
			lastWarningSentAt === null ? "not marked" : `marked after ${(lastWarningSentAt - START_MS) / 1_000} s`;
		return `${consecutiveCount} of ${maxConsecutiveMessages}, ${mark}`;
	}));
