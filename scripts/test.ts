/** `npm test`, `npm run test:full`, `npm run test:release` and `npm run test:all`. */
import { randomInt } from "node:crypto";
import process from "node:process";
import { parseArgs } from "node:util";
import { planTier, TIER_NAMES, type TierName } from "./tests/plan.ts";
import { runPlan } from "./tests/run-plan.ts";
import { prepareServers } from "./tests/servers.ts";

const HELP = `npm test -- [--seed N|random] [--without-servers]
npm run test:full -- [--seed N|random]       also: test:release, test:all

  npm test                        lint, types, build, and the tests of the first tier; before each commit
  npm test -- --without-servers   leaves out what needs Redis, PostgreSQL or Chromium
  npm test -- --seed 4711         other random cases, in another order; 1 is the usual seed
  npm run test:full               the rest of the page, of the command and of the readings, all random cases, coverage
  npm run test:release            what users install: runtimes, frameworks, releases of TypeScript, examples, the site
  npm run test:all                all of these
  npm run test:chaos              processes killed and servers stopped; see its --help

Prints a line for each step, and what failed once more at the end, with the command that repeats it.`;

process.exitCode = await main().catch((error: Error) => {
	console.error(error.message);
	return 2;
});

async function main(): Promise<number> {
	const { values, positionals } = parseArgs({
		options: {
			seed: { type: "string", default: process.env["TEST_SEED"] ?? "1" },
			"without-servers": { type: "boolean", default: false },
			help: { type: "boolean", default: false },
		},
		allowPositionals: true,
	});
	if (values.help) {
		console.log(HELP);
		return 0;
	}
	const tier = readTier(positionals);
	const seed = readSeed(values.seed);
	const servers = prepareServers(tier, values["without-servers"]);
	const failed = await runPlan(planTier(tier), { seed, without: servers.without });
	const command = `npm run test:${tier}`.replace("run test:first", "test");
	if (failed.length > 0) {
		const options = [...(seed === 1 ? [] : [`--seed ${seed}`]), ...servers.options].join(" ");
		console.log(`✗ failed: ${failed.join(", ")}. Again: ${command}${options && ` -- ${options}`}`);
	}
	if (servers.note !== undefined) console.log(servers.note);
	return failed.length > 0 || servers.isIncomplete ? 1 : 0;
}

function readTier([name = "first", ...more]: readonly string[]): TierName {
	const tier = TIER_NAMES.find((candidate) => candidate === name);
	if (tier !== undefined && more.length === 0) return tier;
	const unknown = [...(tier === undefined ? [name] : []), ...more].join(" ");
	throw new Error(
		`${unknown} is no tier of the tests: use npm test, or npm run test:full, test:release or test:all`,
	);
}

function readSeed(value: string): number {
	const seed = value === "random" ? randomInt(2 ** 31) : Number(value);
	if (Number.isInteger(seed) && seed >= 0 && seed < 2 ** 31) return seed;
	throw new Error("--seed must be an integer from 0 to 2147483647, or random");
}
