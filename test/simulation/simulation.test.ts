import { describe, expect, test } from "vitest";
import { play, SCENARIOS, type Scenario } from "./play.ts";
import { SUBJECT } from "./subject.ts";
import { FAULTS } from "./world.ts";

/** How many histories each scenario has, four times. */
const COUNTS: Readonly<Record<keyof typeof SCENARIOS, number>> = {
	webhooks: 150,
	"webhooks-sqlite": 30,
	"webhooks-dynamodb": 30,
	"firsts-dynamodb": 60,
	sends: 40,
	"sends-sqlite": 10,
	chat: 15,
};

/** Seeds whose histories broke a promise once, and what was wrong. */
const KEPT: readonly [scenario: keyof typeof SCENARIOS, seed: number, reason: string][] = [
	[
		"webhooks-sqlite",
		1_665_363_381,
		"a run started in the moment in which the signal of the one before fired",
	],
	["sends", 529_006_757, "a decision was overwritten by the end of an attempt whose mark had no answer"],
	["chat", 69, "a job that expired while it waited for its turn freed the thread for those behind it"],
	["webhooks", 15, "a run started although its lease was over when the store's answer came"],
	[
		"webhooks",
		53,
		"a machine slept past its lease while the claim's answer was under way, and a run started",
	],
	["webhooks-sqlite", 21, "the same, while another worker finished the event"],
	["webhooks-dynamodb", 99, "the same, in DynamoDB"],
	["sends", 17_709, "a clock was set back, the machine slept, and a send was signed when its lease was over"],
];

/** What happens in some of the histories: one in which it never does would promise nothing. */
const REACHED: readonly [scenario: keyof typeof SCENARIOS, patterns: readonly RegExp[]][] = [
	[
		"webhooks",
		[
			/response 200/,
			/response 500/,
			/response 503/,
			/complete → false/,
			/"status":"done"/,
			/sleeps for/,
			/wall clock jumps by -/,
		],
	],
	[
		"sends",
		[
			/accepted by response/,
			/accepted by status/,
			/accepted by decision/,
			/given_up/,
			/: unresolved/,
			/: died/,
		],
	],
	[
		"chat",
		[
			/run \d+ of .*: done$/m,
			/run \d+ of .*: Error: a bug/,
			/run \d+ of .*: Error: the job expired/,
			/run \d+ of .*: SendError/,
			/accepts message-\d+\/forwarded/,
			/accepts news-/,
			/accepts plain-/,
			/"state":"unresolved"/,
			/state\.set → done/,
		],
	],
];

const NAMES = Object.keys(SCENARIOS) as (keyof typeof SCENARIOS)[];

describe.each(NAMES)("%s", (name) => {
	const scenario: Scenario = SCENARIOS[name];

	test.each([1, 2, 3, 4])("part %i of the histories breaks no promise", async (part) => {
		for (let seed = part * COUNTS[name]; seed < (part + 1) * COUNTS[name]; seed++) {
			const failure = await play(SUBJECT, scenario, { seed });
			expect(failure?.error.message, `npm run simulate -- --scenario ${name} --seed ${seed}`).toBeUndefined();
		}
	});

	test("the same seed has the same history", async () => {
		const tellOnce = async (): Promise<string> => {
			const story: string[] = [];
			await scenario(SUBJECT, { seed: 12 }, story);
			// Ids and digests are random, and decide nothing.
			return story.join("\n").replace(/[0-9a-f]{8}(-[0-9a-f]{4}){2,3}|[0-9a-f]{12,}/g, "…");
		};
		expect(await tellOnce()).toBe(await tellOnce());
	});
});

test.each(KEPT)("%s with seed %i: %s", async (name, seed) => {
	expect(await play(SUBJECT, SCENARIOS[name], { seed })).toBeUndefined();
});

test.each(REACHED)("%s reaches every outcome, with every fault", async (name, patterns) => {
	const story: string[] = [];
	for (let seed = 1; seed <= 40; seed++) await SCENARIOS[name](SUBJECT, { seed }, story);
	const told = story.join("\n");
	for (const pattern of [
		...patterns,
		...FAULTS.map((fault) => new RegExp(`: ${fault.replace("_", " ")}$`, "m")),
	])
		expect(told).toMatch(pattern);
});
