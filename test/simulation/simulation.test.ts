import * as client from "messaging-gateway";
import * as sends from "messaging-gateway/sends";
import * as webhooks from "messaging-gateway/webhooks";
import { describe, expect, test } from "vitest";
import { play, SCENARIOS, type Scenario } from "./play.ts";

const SUBJECT = { ...client, ...sends, ...webhooks };

/** Seeds whose histories broke a promise once, and what was wrong. */
const KEPT: readonly [scenario: Scenario, seed: number, reason: string][] = [
	["webhooks", 121, "a run started although its lease was over when the store's answer came"],
	["webhooks", 239, "the same"],
];

describe.each(Object.keys(SCENARIOS) as Scenario[])("%s", (scenario) => {
	test.each([1, 2, 3, 4])("part %i of the histories breaks no promise", async (part) => {
		const count = scenario === "webhooks" ? 150 : 50;
		for (let seed = part * count; seed < (part + 1) * count; seed++) {
			const failure = await play(SUBJECT, scenario, { seed });
			expect(
				failure?.error.message,
				`npm run simulate -- --scenario ${scenario} --seed ${seed}`,
			).toBeUndefined();
		}
	});

	test("the same seed has the same history", async () => {
		const tellOnce = async (): Promise<string> => {
			const story: string[] = [];
			await SCENARIOS[scenario](SUBJECT, { seed: 12 }, story);
			// Ids and digests are random, and decide nothing.
			return story.join("\n").replace(/[0-9a-f]{16,}/g, "…");
		};
		expect(await tellOnce()).toBe(await tellOnce());
	});
});

test.each(KEPT)("%s with seed %i: %s", async (scenario, seed) => {
	expect(await play(SUBJECT, scenario, { seed })).toBeUndefined();
});
