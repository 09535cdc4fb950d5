/** `npm run repeat -- --times 30`: runs the tests of a tier again and again, each time in another order, and counts. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { randomInt } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import process from "node:process";
import { parseArgs } from "node:util";
import { planTier, TIER_NAMES } from "./tests/plan.ts";
import { prepareServers } from "./tests/servers.ts";

const HELP = `npm run repeat -- [--times 30] [--busy 0] [--tier first]

Runs the tests of a tier, after a build, each time with a new seed, beside as many busy processes as --busy says. What
came of it is added to test/ledger.json. Thirty green runs show that fewer than one in ten is red, three hundred that
fewer than one in a hundred is.`;

const LEDGER = new URL("../test/ledger.json", import.meta.url);

/** Never sleeps, and ends with this process, even if that is killed. */
const LOOP = `for (let n = 0; n % 1e6 !== 0 || process.ppid === ${process.pid}; n++);`;

/** Runs of one version of the sources. */
interface Entry {
	readonly date: string;
	readonly commit: string;
	readonly tier: string;
	/** How many processes were busy beside it. */
	readonly busy: number;
	readonly times: number;
	/** The seed of each red run, and the tests that failed. */
	readonly red: readonly { readonly seed: number; readonly failed: readonly string[] }[];
}

process.exitCode = await main().catch((error: Error) => {
	console.error(error.message);
	return 2;
});

async function main(): Promise<number> {
	const { values } = parseArgs({
		options: {
			times: { type: "string", default: "30" },
			busy: { type: "string", default: "0" },
			tier: { type: "string", default: "first" },
			help: { type: "boolean", default: false },
		},
	});
	if (values.help) {
		console.log(HELP);
		return 0;
	}
	const tier = TIER_NAMES.find((name) => name === values.tier);
	if (tier === undefined) throw new Error(`--tier is one of ${TIER_NAMES.join(", ")}`);
	if (!existsSync("dist/index.js")) throw new Error("there is no build: npm run build");
	const times = readCount("times", values.times, 1);
	const busy = readCount("busy", values.busy, 0);
	const { isIncomplete, note } = prepareServers(tier, false);
	if (isIncomplete) throw new Error(note);
	const { command } = planTier(tier).tests;
	const earlier: readonly Entry[] = existsSync(LEDGER) ? JSON.parse(readFileSync(LEDGER, "utf8")) : [];
	const about = { date: new Date().toISOString().slice(0, 10), commit: readCommit(), tier, busy };
	const red: { seed: number; failed: string[] }[] = [];
	const loops = Array.from({ length: busy }, () =>
		spawn(process.execPath, ["--eval", LOOP], { stdio: "ignore" }),
	);
	try {
		for (let at = 1; at <= times; at++) {
			const seed = randomInt(2 ** 31);
			const startedAt = performance.now();
			const { isGreen, failed } = await run(command, seed);
			if (!isGreen) red.push({ seed, failed });
			// After each run, so that one that is stopped has counted.
			write([...earlier, { ...about, times: at, red }]);
			const seconds = Math.round((performance.now() - startedAt) / 1_000);
			console.log(
				[`${at} of ${times}: ${isGreen ? "green" : "RED"}, seed ${seed}, ${seconds} s`, ...failed].join(
					"\n  ",
				),
			);
		}
	} finally {
		for (const loop of loops) endLoop(loop);
	}
	const all = [...earlier, { ...about, times, red }];
	const same = all.filter((entry) => entry.tier === tier && entry.busy > 0 === busy > 0);
	const sum = same.reduce((total, { times }) => total + times, 0);
	const reds = same.reduce((total, { red }) => total + red.length, 0);
	console.log(`${times - red.length} of ${times} green; the ledger has ${sum - reds} of ${sum}`);
	return red.length === 0 ? 0 : 1;
}

async function run(command: string, seed: number): Promise<{ isGreen: boolean; failed: string[] }> {
	const env = { ...process.env, NO_COLOR: "1", TEST_SEED: String(seed) };
	const child = spawn(command, { shell: true, env, stdio: ["ignore", "pipe", "pipe"] });
	let output = "";
	for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (output += text));
	const isGreen = await new Promise<boolean>((resolve) => child.once("close", (code) => resolve(code === 0)));
	return {
		isGreen,
		failed: [...new Set(Array.from(output.matchAll(/^\s*FAIL\s+(.*)$/gm), ([, name = ""]) => name))],
	};
}

function write(entries: readonly Entry[]): void {
	writeFileSync(LEDGER, `${JSON.stringify(entries, undefined, "\t")}\n`);
}

function readCommit(): string {
	return spawnSync("git", ["rev-parse", "--short", "HEAD"], { encoding: "utf8" }).stdout.trim();
}

function readCount(name: string, value: string, least: number): number {
	const count = Number(value);
	if (Number.isSafeInteger(count) && count >= least) return count;
	throw new Error(`--${name} must be an integer of at least ${least}`);
}

function endLoop(loop: ChildProcess): void {
	loop.kill("SIGKILL");
}
