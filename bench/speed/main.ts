/**
 * `npm run bench`: the costs of this package beside its peers and the minimum for the same work, in one run; with
 * `--check`, every target.
 * It measures the built package, which is what users run.
 */
import { execFileSync, fork } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { requireVersion } from "../../test/support/versions.ts";
import { describeMachine, readLoad } from "../stores/machine.ts";
import { TARGETS } from "../targets.ts";
import { checkTargets } from "./check-targets.ts";
import { installPeers } from "./install-peers.ts";
import { printRecord, printVerdicts } from "./print-record.ts";
import type { RunSettings, SpeedRecord, TableRecord } from "./record.ts";
import { TABLES } from "./table.ts";

const HELP = `npm run bench -- [options]

  --only LIST       of ${Object.keys(TABLES).join(", ")}; all of them by default
  --rounds N        rounds that count, 9 by default
  --slice-ms N      how long one contender runs in a round, 50 by default
  --node 22|26      measures on another Node than this one, of those in test/versions
  --from FILE       shows a recorded run instead of measuring
  --json FILE       records the run; docs/performance.md shows bench/results/speed.json
  --check           compares the run with bench/targets.ts, and fails if a target is missed
  --help

It needs a build, installs the peers in bench/peers, starts Redis and PostgreSQL of its own, and takes about five
minutes. Read the ratios: times depend on the machine.`;

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

const { values } = parseArgs({
	options: {
		only: { type: "string", default: Object.keys(TABLES).join(",") },
		rounds: { type: "string", default: "9" },
		"slice-ms": { type: "string", default: "50" },
		node: { type: "string" },
		from: { type: "string" },
		json: { type: "string" },
		check: { type: "boolean", default: false },
		help: { type: "boolean", default: false },
	},
});

if (values.help) console.log(HELP);
else await run();

async function run(): Promise<void> {
	const record = values.from === undefined ? await measure() : readRecord(values.from);
	console.log(printRecord(record));
	if (values.json !== undefined) writeFileSync(values.json, writeRecord(record));
	if (!values.check) return;
	const verdicts = checkTargets(record, TARGETS);
	console.log(`\n${printVerdicts(verdicts)}`);
	if (verdicts.some(({ isMet }) => !isMet)) process.exitCode = 1;
}

function readRecord(path: string): SpeedRecord {
	return JSON.parse(readFileSync(path, "utf8"));
}

/** JSON with the rounds of a contender on one line. */
function writeRecord(record: SpeedRecord): string {
	const text = JSON.stringify(record, null, "\t");
	return `${text.replace(/\[[\s\d.,]+\]/g, (numbers) => numbers.replace(/\s+/g, "").replaceAll(",", ", "))}\n`;
}

async function measure(): Promise<SpeedRecord> {
	const names = values.only.split(",");
	for (const name of names) if (!(name in TABLES)) throw new Error(`--only: there is no ${name}`);
	const settings = {
		rounds: toCount("rounds", values.rounds),
		sliceMs: toCount("slice-ms", values["slice-ms"]),
	};
	const node = chooseNode(values.node);
	requireBuild();
	installPeers();
	const loadBefore = readLoad();
	const tables: TableRecord[] = [];
	for (const name of names) tables.push(await measureInProcess(name, settings, node.path));
	const machine = { ...describeMachine(loadBefore), node: node.version };
	return { recordedAt: new Date().toISOString(), machine, settings, tables };
}

/** Each table has its own process, so that the engine's optimisations for one do not slow down the next. */
async function measureInProcess(
	name: string,
	{ rounds, sliceMs }: RunSettings,
	execPath: string,
): Promise<TableRecord> {
	const script = fileURLToPath(new URL("run-table.ts", import.meta.url));
	const child = fork(script, [name, String(rounds), String(sliceMs)], {
		execPath,
		execArgv: ["--disable-warning=ExperimentalWarning"],
	});
	return new Promise((resolve, reject) => {
		child.once("message", (record: TableRecord) => resolve(record));
		child.once("error", reject);
		child.once("exit", (code, signal) => reject(new Error(`${name} ended with ${code ?? signal}`)));
	});
}

interface Node {
	readonly path: string;
	readonly version: string;
}

function chooseNode(major: string | undefined): Node {
	if (major === undefined) return { path: process.execPath, version: process.version };
	if (major !== "22" && major !== "26") throw new Error("--node must be 22 or 26");
	const path = requireVersion(`node-${major}`);
	return { path, version: execFileSync(path, ["--version"], { encoding: "utf8" }).trim() };
}

function requireBuild(): void {
	if (!existsSync(`${ROOT}dist/index.js`)) throw new Error("There is no build: run `npm run build` first.");
}

function toCount(name: string, text: string): number {
	const count = Number(text);
	if (Number.isSafeInteger(count) && count > 0) return count;
	throw new Error(`--${name} must be an integer of at least 1`);
}
