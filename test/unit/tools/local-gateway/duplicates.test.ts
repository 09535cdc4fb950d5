import type { LocalGatewayOptions, ReadingName } from "messaging-gateway/testing";
import { describe, expect, test } from "vitest";
import { type Outcomes, testOutcomes } from "../../../support/outcomes.ts";
import { AGENT, ALICE, BOB, type CallResult, FAILING, getMapping } from "../../../support/signed-client.ts";
import {
	attaches,
	CAROL,
	calls,
	OTHER_AGENT,
	play,
	reacts,
	read,
	resets,
	responseTo,
	type Step,
	type Story,
	sends,
	sentenceOf,
	settles,
	speaks,
	tapsBack,
	waits,
	writes,
} from "./steps.ts";

const agents = [AGENT, OTHER_AGENT];

/** Both agents, and readings. */
const withReadings = (...readings: ReadingName[]): LocalGatewayOptions => ({ agents, ...read(...readings) });
const ALL = withReadings();

/** One window alone, under a reading. */
function only(scope: "contact" | "agent" | "account", ...readings: ReadingName[]): LocalGatewayOptions {
	const seconds = { contact: 300, agent: 120, account: 60 };
	const duplicateWindowSeconds = { contact: 0, agent: 0, account: 0, [scope]: seconds[scope] };
	return { ...withReadings(...readings), rules: { duplicateWindowSeconds } };
}

const from = (contact: string, agent: string, text = "Hello") => sends(contact, text, { from: agent });
const text = (to: string, words: string) => sends(to, words);
const files = (...names: string[]) =>
	attaches(names.map((name) => ({ url: `https://files.example/${name}` })));
const voice = speaks({ url: "https://files.example/a.mp3" });

/** What becomes of the last request: the scope of the window that blocks it, or its status. */
async function fateOf(story: Story): Promise<string> {
	const { status, body } = await responseTo(story);
	return status === 409 ? `409 ${body.error.details.scope}` : String(status);
}

const FATES: Outcomes<Story> = {
	202: {
		"a text to the same contact when its window is over": [only("contact"), sends(), waits(300), sends()],
		"a text to another contact when the agent's window is over": [
			only("agent"),
			from(ALICE, AGENT),
			waits(120),
			from(BOB, AGENT),
		],
		"a text from another agent when the account's window is over": [
			only("account"),
			from(ALICE, AGENT),
			waits(60),
			from(BOB, OTHER_AGENT),
		],
		"the contact's window, another contact": [only("contact"), from(ALICE, AGENT), from(BOB, AGENT)],
		"the agent's window, the same contact": [only("agent"), from(ALICE, AGENT), from(ALICE, AGENT)],
		"the agent's window, another agent": [only("agent"), from(ALICE, AGENT), from(BOB, OTHER_AGENT)],
		"rules off, the tenth time": [{ rules: "off" }, ...Array<Step>(9).fill(sends()), sends()],
		"after a reply of the contact, the contact's window": [only("contact"), sends(), writes(), sends()],
		"after a reply, once the account's window is over": [ALL, sends(), writes(), waits(60), sends()],
		"after a reset of the mapping": [only("contact"), sends(), resets, sends()],
		"another text": [ALL, sends(), text(ALICE, "hello")],
		"the same files in another order": [ALL, files("a.mp3", "b.mp3"), files("b.mp3", "a.mp3")],
		"fewer of the files": [ALL, files("a.mp3", "b.mp3"), files("a.mp3")],
		"a file as a voice note": [ALL, files("a.mp3"), voice],
		"to the contact of a message that failed": [ALL, sends(FAILING), settles, sends(FAILING)],
		"to another contact than that of a message that failed": [ALL, sends(FAILING), settles, sends(CAROL)],
		"to the contact of a message that failed, after a reply": [
			ALL,
			sends(FAILING),
			writes(FAILING),
			settles,
			sends(FAILING),
		],
		"reading: to the contact of a message that failed, after a reply that cleared every window": [
			withReadings("a reply clears every window"),
			sends(FAILING),
			writes(FAILING),
			settles,
			sends(FAILING),
		],
		"reading: a reply clears every window": [
			withReadings("a reply clears every window"),
			sends(),
			writes(),
			sends(),
		],
		"after a blocked attempt, when the first window is over": [
			only("contact"),
			sends(),
			waits(200),
			sends(),
			waits(100),
			sends(),
		],
		"reading: whitespace makes another message": [
			withReadings("whitespace makes another message"),
			sends(),
			text(ALICE, "Hello "),
		],
		"reading: only the last message makes a duplicate": [
			only("contact", "only the last message makes a duplicate"),
			text(ALICE, "One"),
			text(ALICE, "Two"),
			text(ALICE, "One"),
		],
		"reading: the last message of the account was another one": [
			only("account", "only the last message makes a duplicate"),
			text(ALICE, "One"),
			text(BOB, "Two"),
			text(ALICE, "One"),
		],
		"reading: the account's window is for other contacts": [
			only("account", "the account's window is for other contacts"),
			sends(),
			sends(),
		],
	},
	200: {
		"a tapback for the second time": [ALL, sends(), settles, tapsBack, tapsBack],
		"typing for the second time": [
			ALL,
			sends(),
			...Array<Step>(2).fill(calls("POST", "/message/typing", { to: ALICE, state: "start" })),
		],
		"a read receipt for the second time": [
			ALL,
			sends(),
			...Array<Step>(2).fill(calls("POST", "/message/read", { to: ALICE })),
		],
	},
	"409 contact": {
		"a text to the same contact until its window is over": [
			only("contact"),
			sends(),
			waits(299.999),
			sends(),
		],
		"of several windows, the contact's is the first": [ALL, sends(), sends()],
		"after a message of another contact": [only("contact"), sends(), writes(BOB), sends()],
		"after a reaction of the contact": [only("contact"), sends(), settles, reacts(), sends()],
		"after a reply and one more": [only("contact"), sends(), writes(), sends(), sends()],
		"whitespace around the text": [ALL, sends(), text(ALICE, " Hello\n")],
		"another effect": [ALL, sends(), sends(ALICE, "Hello", { effect: "slam" })],
		"the same files in the same order": [ALL, files("a.mp3", "b.mp3"), files("a.mp3", "b.mp3")],
		"another text came between": [
			only("contact"),
			text(ALICE, "One"),
			text(ALICE, "Two"),
			text(ALICE, "One"),
		],
		"reading: blocked attempts extend a window": [
			only("contact", "blocked attempts extend a window"),
			sends(),
			waits(200),
			sends(),
			waits(299),
			sends(),
		],
		"reading: it is the contact's last message, and another contact's is another one": [
			only("contact", "only the last message makes a duplicate"),
			text(ALICE, "One"),
			text(BOB, "Two"),
			text(ALICE, "One"),
		],
	},
	"409 agent": {
		"a text to another contact until the agent's window is over": [
			only("agent"),
			from(ALICE, AGENT),
			waits(119.999),
			from(BOB, AGENT),
		],
		"of several windows, the agent's is the second": [ALL, from(ALICE, AGENT), from(BOB, AGENT)],
		"a reply clears the contact's window only": [ALL, from(ALICE, AGENT), writes(), from(BOB, AGENT)],
		"reading: it is the agent's last message": [
			only("agent", "only the last message makes a duplicate"),
			from(ALICE, AGENT),
			from(CAROL, OTHER_AGENT, "Two"),
			from(BOB, AGENT),
		],
	},
	"409 account": {
		"a text of another agent until the account's window is over": [
			only("account"),
			from(ALICE, AGENT),
			waits(59.999),
			from(BOB, OTHER_AGENT),
		],
		"of several windows, the account's is the last": [ALL, from(ALICE, AGENT), from(BOB, OTHER_AGENT)],
		"the same contact after its reply": [ALL, sends(), writes(), sends()],
		"reading: a blocked attempt extends a window, after a reply": [
			withReadings("blocked attempts extend a window"),
			sends(),
			writes(),
			sends(),
		],
		"a message that failed after its window was another's": [
			{ agents, delays: { sentMs: 70_000 } },
			from(FAILING, AGENT),
			waits(60),
			from(ALICE, OTHER_AGENT),
			waits(10),
			from(BOB, AGENT),
		],
		"reading: a reply clears every window, but not one that was another contact's meanwhile": [
			withReadings("a reply clears every window"),
			from(ALICE, AGENT),
			waits(120),
			from(BOB, OTHER_AGENT),
			writes(),
			from(CAROL, AGENT),
		],
		"reading: a reply clears every window, but not that of another contact's message": [
			withReadings("a reply clears every window"),
			text(ALICE, "One"),
			text(BOB, "Two"),
			writes(),
			text(ALICE, "Two"),
		],
		"reading: the account's window is for other contacts": [
			only("account", "the account's window is for other contacts"),
			sends(),
			sends(BOB),
		],
	},
};

describe("the last request of", () => testOutcomes(FATES, fateOf));

const REJECTIONS: Outcomes<Story> = {
	"409 DUPLICATE_MESSAGE: Blocked by the duplicate rule, scope contact: the same message was sent to this contact; 200 s are left. The option rules.duplicateWindowSeconds.contact changes it; 0 turns it off. For `messaging-gateway dev`, DUPLICATE_SAME_NUMBER_WINDOW_SECONDS does the same.":
		{ "the contact's window, 100.5 s later": [only("contact"), sends(), waits(100.5), sends()] },
	"409 DUPLICATE_MESSAGE: Blocked by the duplicate rule, scope agent: the same message was sent by this agent to another contact; 120 s are left. The option rules.duplicateWindowSeconds.agent changes it; 0 turns it off. `npx messaging-gateway rules off` turns all rules off.":
		{ "the agent's window": [only("agent"), from(ALICE, AGENT), from(BOB, AGENT)] },
	"409 DUPLICATE_MESSAGE: Blocked by the duplicate rule, scope account: the same message was sent by this account; 60 s are left. The option rules.duplicateWindowSeconds.account changes it; 0 turns it off. `npx messaging-gateway rules off` turns all rules off.":
		{ "the account's window": [only("account"), sends(), sends()] },
};

describe("a rejection says", () => testOutcomes(REJECTIONS, (story) => sentenceOf(responseTo(story))));

test("a rejection has the comparison, the rule, every window and the message, and no text", async () => {
	const { local, last } = await play([
		ALL,
		from(ALICE, AGENT, "Very private"),
		waits(10.5),
		from(ALICE, AGENT, "Very private"),
	]);
	const { error } = (last as CallResult).body;
	const signature = expect.stringMatching(/^[0-9a-f]{64}$/);
	expect(error.details).toEqual({
		isDuplicate: true,
		lastMessageSignature: signature,
		currentMessageSignature: error.details.lastMessageSignature,
		timeRemaining: 289.5,
		message: error.message,
		rule: "duplicate",
		scope: "contact",
		option: "rules.duplicateWindowSeconds.contact",
		messageId: local.sent[0]?.messageId,
		windows: { contact: 289.5, account: 49.5 },
	});
	expect(JSON.stringify(last)).not.toContain("private");
});

describe("the mapping compares", () => {
	/** A signature of each text, which is the same for all contacts and gateways. */
	const signatures = new Map<string, string>();

	/** The comparison on a contact's mapping, with texts in place of their signatures. */
	async function comparisonOf(story: Story): Promise<string> {
		for (const words of ["P", "Q", "R"]) {
			if (signatures.size === 3) break;
			const { local } = await play([ALL, text(CAROL, words)]);
			signatures.set((await getMapping(local, CAROL)).duplicate.currentMessageSignature, words);
		}
		const { local } = await play(story);
		const { duplicate } = await getMapping(local, ALICE);
		if (duplicate === undefined) return "nothing";
		const { isDuplicate, lastMessageSignature, currentMessageSignature, timeRemaining, message } = duplicate;
		const [last, current] = [lastMessageSignature, currentMessageSignature].map((at) => signatures.get(at));
		return `${current} with ${last}, ${isDuplicate ? "a duplicate" : "no duplicate"}, ${timeRemaining} s left. ${message}`;
	}

	const OPEN = "The same message would be blocked until the window is over.";
	const BLOCKED = "The last message was blocked: the same one had been sent within a duplicate window.";
	const P = from(ALICE, AGENT, "P");
	const Q = from(ALICE, AGENT, "Q");

	testOutcomes<Story>(
		{
			[`P with P, no duplicate, 299 s left. ${OPEN}`]: {
				"an accepted message with itself": [only("contact"), P, waits(1)],
			},
			[`P with P, no duplicate, 0.5 s left. ${OPEN}`]: {
				"until its window is over": [ALL, P, waits(299.5)],
			},
			[`P with P, a duplicate, 199 s left. ${BLOCKED}`]: {
				"a blocked one with the message that it repeats, and the time left of that one": [
					only("contact"),
					P,
					waits(100),
					Q,
					waits(1),
					P,
				],
			},
			[`P with P, a duplicate, 300 s left. ${BLOCKED}`]: {
				"reading: blocked attempts extend a window": [
					only("contact", "blocked attempts extend a window"),
					P,
					waits(200),
					P,
				],
			},
			[`Q with Q, a duplicate, 110 s left. ${BLOCKED}`]: {
				"one that a message to another contact blocks, with that one": [
					ALL,
					from(BOB, AGENT, "Q"),
					waits(10),
					P,
					Q,
				],
			},
			[`Q with P, no duplicate, 190 s left. ${OPEN}`]: {
				"it with the contact's own message, once nothing blocks it": [
					ALL,
					from(BOB, AGENT, "Q"),
					waits(10),
					P,
					Q,
					waits(110),
				],
			},
			[`Q with P, no duplicate, 300 s left. ${OPEN}`]: {
				"one that another rule rejects with the last accepted message": [
					{ agents, rules: { maxConsecutiveMessages: 1 } },
					P,
					Q,
				],
				"it with its own message, though another contact got the same one since": [
					{ agents, rules: { maxConsecutiveMessages: 1 } },
					P,
					Q,
					from(BOB, AGENT, "Q"),
				],
				"reading: it with the message whose window a blocked one extended": [
					{ ...withReadings("blocked attempts extend a window"), rules: { maxConsecutiveMessages: 1 } },
					P,
					waits(200),
					P,
					Q,
				],
			},
			[`Q with P, no duplicate, 299.98 s left. ${OPEN}`]: {
				"one that was blocked by a message that failed meanwhile": [
					ALL,
					P,
					from(FAILING, AGENT, "Q"),
					Q,
					waits(0.02),
				],
			},
			[`R with Q, no duplicate, 200 s left. ${OPEN}`]: {
				"reading: it with the last message, though a blocked one extended the window of another": [
					{ ...withReadings("blocked attempts extend a window"), rules: { maxConsecutiveMessages: 2 } },
					P,
					waits(100),
					Q,
					waits(100),
					P,
					from(ALICE, AGENT, "R"),
				],
			},
			nothing: {
				"when the window is over": [ALL, P, waits(300)],
				"after a reply": [ALL, P, writes()],
				"after a reset of the mapping": [ALL, P, resets],
				"without the contact's window": [only("account"), P],
				"before any message": [ALL, writes()],
			},
		},
		comparisonOf,
	);

	test("the last message of a chat, after an earlier one failed", async () => {
		const { local } = await play([
			{ agents, delays: { sentMs: 70_000 } },
			text(FAILING, "P"),
			waits(10),
			text(FAILING, "Q"),
			waits(62),
		]);
		const { duplicate } = await getMapping(local, FAILING);
		expect(duplicate).toMatchObject({ isDuplicate: false, timeRemaining: 238 });
	});

	test("nothing of a message that failed, nor of what is no message", async () => {
		const { local } = await play([ALL, sends(FAILING), settles]);
		expect((await getMapping(local, FAILING)).duplicate).toBeUndefined();
	});
});

test("a blocked send is not counted and not mapped", async () => {
	const { local } = await play([ALL, from(ALICE, AGENT), from(ALICE, AGENT), from(BOB, AGENT)]);
	expect(await getMapping(local, ALICE)).toMatchObject({ outbound: 1, consecutiveCount: 1 });
	expect(await getMapping(local, BOB)).toBeUndefined();
	expect(local.sent).toHaveLength(1);
});
