import { expect, test } from "vitest";
import { loadSubject } from "./load-subject.ts";
import { type Failure, play, type Scenario, type SimulatedMutant, shorten, tell } from "./play.ts";
import { SEND_MUTANTS } from "./send-mutants.ts";
import { WEBHOOK_MUTANTS } from "./webhook-mutants.ts";

const MUTANTS = [
	...WEBHOOK_MUTANTS.map((mutant) => ["webhooks", mutant.id, mutant] as const),
	...SEND_MUTANTS.map((mutant) => ["sends", mutant.id, mutant] as const),
];

async function find(scenario: Scenario, mutant: SimulatedMutant): Promise<Failure | undefined> {
	const subject = await loadSubject(mutant);
	for (let seed = 1; seed <= (mutant.seeds ?? 50); seed++) {
		const failure = await play(subject, scenario, { seed });
		if (failure !== undefined) return failure;
	}
	return undefined;
}

test.each(MUTANTS)("%s: %s is found within its seeds", async (scenario, _, mutant) => {
	expect(await find(scenario, mutant)).toBeDefined();
});

test("a history that breaks a promise is shortened and told", async () => {
	const mutant = WEBHOOK_MUTANTS.find(({ id }) => id === "lease-held-without-end");
	if (mutant === undefined) throw new Error("there is no such mutant");
	const failure = await find("webhooks", mutant);
	if (failure === undefined) throw new Error("it is not found");
	const subject = await loadSubject(mutant);
	const shortest = await shorten(subject, "webhooks", failure);
	const story = await tell(subject, "webhooks", shortest);
	expect(shortest.plan.omitted?.size).toBeGreaterThan(0);
	expect(story).toMatch(/^seed \d+, without the faults [\d, ]+: message-\d runs twice at once/);
	expect(story).toMatch(/^ +\d+\.\d{3} s {2}receiver \d.*: runs message-\d with token \d+$/m);
});
