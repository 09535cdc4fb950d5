/** `npm run simulate -- --seconds 600`: plays histories with new seeds, and tells the first that breaks a promise. */
import { randomInt } from "node:crypto";
import process from "node:process";
import { parseArgs } from "node:util";
import { loadSubject } from "../test/simulation/load-subject.ts";
import { play, SCENARIOS, type Scenario, shorten, tell } from "../test/simulation/play.ts";

const HELP = `npm run simulate -- [--seconds 60] [--seed N] [--scenario webhooks]

Plays receivers, workers, stores and a gateway in virtual time; at each call of theirs the seed decides what goes wrong.
Without --seed, the first seed is random, and the others follow it. A history that breaks a promise is shortened and told,
and the exit code is 1. With --seed and --seconds 0, one history of each scenario is played.`;

process.exitCode = await main().catch((error: Error) => {
	console.error(error.message);
	return 2;
});

async function main(): Promise<number> {
	const { values } = parseArgs({
		options: {
			seconds: { type: "string", default: "60" },
			seed: { type: "string" },
			scenario: { type: "string" },
			help: { type: "boolean", default: false },
		},
	});
	if (values.help) {
		console.log(HELP);
		return 0;
	}
	const scenarios = readScenarios(values.scenario);
	const seconds = readCount("seconds", values.seconds);
	const first = values.seed === undefined ? randomInt(2 ** 31) : readCount("seed", values.seed);
	const subject = await loadSubject();
	const endsAt = performance.now() + seconds * 1_000;
	let seed = first;
	do {
		for (const scenario of scenarios) {
			const failure = await play(subject, scenario, { seed });
			if (failure === undefined) continue;
			console.log(await tell(subject, scenario, await shorten(subject, scenario, failure)));
			console.log(`\nnpm run simulate -- --scenario ${scenario} --seed ${seed} --seconds 0`);
			return 1;
		}
		seed += 1;
	} while (performance.now() < endsAt);
	const count = (seed - first) * scenarios.length;
	console.log(`${count} histories from seed ${first} on: no promise was broken`);
	return 0;
}

function readScenarios(name: string | undefined): readonly Scenario[] {
	const all = Object.keys(SCENARIOS) as Scenario[];
	const chosen = all.filter((scenario) => name === undefined || scenario === name);
	if (chosen.length > 0) return chosen;
	throw new Error(`--scenario is one of ${all.join(", ")}`);
}

function readCount(name: string, value: string): number {
	const count = Number(value);
	if (Number.isSafeInteger(count) && count >= 0) return count;
	throw new Error(`--${name} must be a non-negative integer`);
}
