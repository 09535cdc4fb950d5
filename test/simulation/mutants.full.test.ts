import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { share } from "../support/shared/shared.ts";
import { REPEATED_DELIVERIES } from "./deliveries.ts";
import { REPEATED_SENDS } from "./gateway.ts";
import { loadSubject } from "./load-subject.ts";
import { findMutant, MUTANTS } from "./mutants.ts";
import { play, postgresScenarios, redisScenarios, SCENARIOS, type Scenario, shorten, tell } from "./play.ts";
import { PlayedPostgres } from "./postgres.ts";
import { PlayedRedis } from "./redis.ts";
import { SUBJECT } from "./subject.ts";

const opened = new AsyncDisposableStack();
const scenarios: Record<string, Scenario> = { ...SCENARIOS };

beforeAll(async () => {
	const postgres = opened.use(await PlayedPostgres.open((await share("postgres")).url));
	const redis = opened.use(await PlayedRedis.open((await share("redis")).url));
	Object.assign(scenarios, postgresScenarios(postgres), redisScenarios(redis));
});

afterAll(() => opened.disposeAsync());

function scenarioOf(name: string): Scenario {
	const scenario = scenarios[name];
	if (scenario === undefined) throw new Error(`there is no scenario ${name}`);
	return scenario;
}

test.each(["webhooks-postgres", "sends-postgres", "inbox", "webhooks-redis"])(
	"%s breaks no promise in 60 histories",
	async (name) => {
		for (let seed = 1; seed <= 60; seed++)
			expect(await play(SUBJECT, scenarioOf(name), { seed })).toBeUndefined();
	},
);

describe.each(Object.entries(MUTANTS))("%s", (name, mutants) => {
	test.each(mutants.map((mutant) => [mutant.id, mutant] as const))(
		"%s is found within its seeds",
		async (_, mutant) => {
			expect(await findMutant(scenarioOf(name), mutant)).toBeDefined();
		},
	);
});

test("a history that breaks a promise is shortened and told", async () => {
	const mutant = MUTANTS.webhooks.find(({ id }) => id === "lease-held-without-end");
	if (mutant === undefined) throw new Error("there is no such mutant");
	const failure = await findMutant(SCENARIOS.webhooks, mutant);
	if (failure === undefined) throw new Error("it is not found");
	const subject = await loadSubject(mutant);
	const shortest = await shorten(subject, SCENARIOS.webhooks, failure);
	const story = await tell(subject, SCENARIOS.webhooks, shortest);
	expect(shortest.plan.omitted?.size).toBeGreaterThan(0);
	expect(story).toMatch(/^seed \d+, without the faults [\d, ]+: message-\d runs twice at once/);
	expect(story).toMatch(/^ +\d+\.\d{3} s {2}receiver \d.*: runs message-\d with token \d+$/m);
});

test("the network repeats sends and deliveries in every way", async () => {
	for (let seed = 1; seed <= 250; seed++) {
		await SCENARIOS.sends(SUBJECT, { seed });
		await SCENARIOS.webhooks(SUBJECT, { seed });
	}
	const { untold, ...sends } = REPEATED_SENDS;
	const { of: deliveries, ...copies } = REPEATED_DELIVERIES;
	const counts = [...Object.values(untold), ...Object.values(sends), deliveries, ...Object.values(copies)];
	expect(Math.min(...counts)).toBeGreaterThan(0);
});
