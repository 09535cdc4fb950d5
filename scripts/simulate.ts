/** `npm run simulate -- --seconds 600`: plays histories with new seeds, and tells the first that breaks a promise. */
import { randomInt } from "node:crypto";
import process from "node:process";
import { parseArgs } from "node:util";
import { REPEATED_DELIVERIES } from "../test/simulation/deliveries.ts";
import { REPEATED_SENDS } from "../test/simulation/gateway.ts";
import { loadSubject } from "../test/simulation/load-subject.ts";
import { findMutant, MUTANTS, seedsOf } from "../test/simulation/mutants.ts";
import {
	play,
	postgresScenarios,
	redisScenarios,
	SCENARIOS,
	type Scenario,
	shorten,
	tell,
} from "../test/simulation/play.ts";
import { PlayedPostgres } from "../test/simulation/postgres.ts";
import { PlayedRedis } from "../test/simulation/redis.ts";
import { CLOCK_EVENTS } from "../test/simulation/world.ts";
import { startPostgres } from "../test/support/servers/postgres-server.ts";
import { startRedis } from "../test/support/servers/redis-server.ts";

const NAMES = [
	...Object.keys(SCENARIOS),
	"webhooks-postgres",
	"sends-postgres",
	"inbox",
	"webhooks-redis",
] as const;

const HELP = `npm run simulate -- [--seconds 60] [--seed N] [--scenario inbox] [--mutants]

Plays receivers, workers, stores and a gateway in virtual time; at each call of theirs the seed decides what goes wrong.
Without --seed, the first seed is random, and the others follow it. A history that breaks a promise is shortened and told,
and the exit code is 1. With --seed and --seconds 0, one history of each scenario is played. With --mutants it plays, in
place of the package, each change of it that breaks a promise, and tells by which seed that is found.

Scenarios: ${NAMES.join(", ")}.`;

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
			mutants: { type: "boolean", default: false },
			help: { type: "boolean", default: false },
		},
	});
	if (values.help) {
		console.log(HELP);
		return 0;
	}
	const seconds = readCount("seconds", values.seconds);
	const first = values.seed === undefined ? randomInt(2 ** 31) : readCount("seed", values.seed);
	await using opened = new AsyncDisposableStack();
	const scenarios = await openScenarios(values.scenario, opened);
	if (values.mutants) return await tellMutants(scenarios);
	const subject = await loadSubject();
	const counts = new Map(scenarios.map(([name]) => [name, 0]));
	const endsAt = performance.now() + seconds * 1_000;
	let seed = first;
	do {
		for (const [name, scenario] of scenarios) {
			const failure = await play(subject, scenario, { seed });
			counts.set(name, (counts.get(name) ?? 0) + 1);
			if (failure === undefined) continue;
			console.log(await tell(subject, scenario, await shorten(subject, scenario, failure)));
			console.log(`\nnpm run simulate -- --scenario ${name} --seed ${seed} --seconds 0`);
			return 1;
		}
		seed += 1;
	} while (performance.now() < endsAt);
	console.log(`histories from seed ${first} on, of which none broke a promise:`);
	for (const [name, count] of counts) console.log(`${String(count).padStart(8)} ${name}`);
	tellRepeats();
	console.log(
		`machines slept ${CLOCK_EVENTS.slept} times, and wall clocks jumped ${CLOCK_EVENTS.jumped} times`,
	);
	return 0;
}

/** What the network repeated, in all histories. */
function tellRepeats(): void {
	const { of: sends, repeated, untold } = REPEATED_SENDS;
	if (repeated > 0) {
		const count = Object.values(untold).reduce((sum, each) => sum + each);
		const share = ((100 * count) / sends).toFixed(1);
		const causes = Object.entries(untold).map(([cause, times]) => `${times} ${cause.replaceAll("_", " ")}`);
		console.log(`the network repeated ${repeated} of ${sends} sends`);
		console.log(`  what became of the copy cannot be told for ${share} % of the sends: ${causes.join(", ")}`);
	}
	const { of: deliveries, atOnce, later, tooLate } = REPEATED_DELIVERIES;
	const copies = atOnce + later + tooLate;
	if (copies > 0)
		console.log(
			`the network repeated ${copies} of ${deliveries} deliveries: ${atOnce} at once, ${later} later, ${tooLate} too late`,
		);
}

/** @returns the exit code: 1 if a mutant is not found within its seeds. */
async function tellMutants(scenarios: readonly [name: string, scenario: Scenario][]): Promise<number> {
	let code = 0;
	for (const [name, mutants] of Object.entries(MUTANTS)) {
		const scenario = scenarios.find(([each]) => each === name)?.[1];
		for (const mutant of scenario === undefined ? [] : mutants) {
			const failure = scenario && (await findMutant(scenario, mutant, 3 * seedsOf(mutant)));
			const seed = failure?.plan.seed;
			if (seed === undefined || seed > seedsOf(mutant)) code = 1;
			const found = `${seed ?? "not found"} of ${seedsOf(mutant)}`;
			console.log(`${found.padStart(18)}  ${name}: ${mutant.id}: ${failure?.error.message ?? ""}`);
		}
	}
	return code;
}

/** The chosen scenario, or all; the servers that they need are started. */
async function openScenarios(
	name: string | undefined,
	opened: AsyncDisposableStack,
): Promise<[name: string, scenario: Scenario][]> {
	if (name !== undefined && !NAMES.includes(name))
		throw new Error(`--scenario is one of ${NAMES.join(", ")}`);
	const isChosen = (each: string): boolean => name === undefined || each === name;
	const all: Record<string, Scenario> = { ...SCENARIOS };
	if (["webhooks-postgres", "sends-postgres", "inbox"].some(isChosen)) {
		const { url } = opened.use(await startPostgres({ fsync: false }));
		Object.assign(all, postgresScenarios(opened.use(await PlayedPostgres.open(url))));
	}
	if (isChosen("webhooks-redis")) {
		const { url } = opened.use(await startRedis());
		Object.assign(all, redisScenarios(opened.use(await PlayedRedis.open(url))));
	}
	return Object.entries(all).filter(([each]) => isChosen(each));
}

function readCount(name: string, value: string): number {
	const count = Number(value);
	if (Number.isSafeInteger(count) && count >= 0) return count;
	throw new Error(`--${name} must be a non-negative integer`);
}
