/**
 * `npm run bench`, `bench:stores` and `bench:growth`: measures a set of rows, each contender beside its peers and the
 * minimum for the same work, in one run; with `--check`, compares it with every target.
 */
import { execFileSync, fork } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { requireVersion } from "../test/support/versions.ts";
import type { Settings, TableRecord } from "./cases.ts";
import { figuresTable } from "./documents.ts";
import { align } from "./format.ts";
import { PEERS_FOLDER } from "./peers/load.ts";
import { describeMachine, describeRun, type Run, readLoad, readRun, writeRun } from "./run.ts";
import { SETTINGS } from "./settings.ts";
import { loadTables } from "./tables.ts";
import { checkTargets, targetsTable } from "./targets.ts";

const { values, positionals } = parseArgs({
	allowPositionals: true,
	options: {
		row: { type: "string", multiple: true },
		rounds: { type: "string" },
		"slice-ms": { type: "string" },
		size: { type: "string" },
		node: { type: "string" },
		from: { type: "string" },
		json: { type: "string" },
		check: { type: "boolean", default: false },
		help: { type: "boolean", default: false },
	},
});

const set = (["speed", "stores", "growth"] as const).find((name) => name === positionals[0]);
if (set === undefined) throw new Error(`one of ${Object.keys(SETTINGS).join(", ")} is measured`);
const tables = Object.keys(await loadTables(set));

const HELP = `npm run bench, bench:stores, bench:growth -- [options]

  --row NAME        this one alone; may be there several times. They are
                    ${tables.join("\n                    ")}
  --rounds N        rounds that count; bench/settings.ts has the defaults
  --slice-ms N      how long one contender runs in a round
  --size N          how many events a store gets to measure their bytes, or the largest size of growth
  --node 22|26      measures on another Node than this one, of those in test/versions
  --from FILE       shows a recorded run instead of measuring
  --json FILE       records the run; in bench/results it renews the tables and pictures of the guides
  --check           compares the run with the targets, and fails if one is missed

Redis and PostgreSQL are started for it. Read the ratios: times depend on the machine.`;

if (values.help) console.log(HELP);
else await show(values.from === undefined ? await measure(set) : readRun(values.from));

async function show(run: Run): Promise<void> {
	console.log(describeRun(run));
	for (const table of run.tables) console.log(`${table.name}\n\n${align(figuresTable(table))}\n`);
	if (values.json !== undefined && !process.exitCode) writeRun(values.json, run);
	// The records of the guides: their tables and pictures are those of the last run.
	if (values.json?.startsWith("bench/results/") && !process.exitCode) {
		const conditions = ["--conditions=@messaging-gateway/source", "scripts/write-tables.ts"];
		execFileSync(process.execPath, conditions, { stdio: "inherit" });
	}
	if (!values.check) return;
	console.log(align(targetsTable(run)));
	if (checkTargets(run).some(({ verdict }) => verdict === "missed")) process.exitCode = 1;
}

async function measure(of: keyof typeof SETTINGS): Promise<Run> {
	const names = values.row ?? tables;
	const unknown = names.find((name) => !tables.includes(name));
	if (unknown !== undefined) throw new Error(`--row: there is no ${unknown}, only ${tables.join(", ")}`);
	const settings = {
		rounds: toCount("rounds", SETTINGS[of].rounds),
		sliceMs: toCount("slice-ms", SETTINGS[of].sliceMs),
		size: toCount("size", SETTINGS[of].size),
	};
	const node = chooseNode(values.node);
	prepare();
	const loadBefore = readLoad();
	const start = performance.now();
	const records: TableRecord[] = [];
	const failed: string[] = [];
	for (const [at, name] of names.entries()) {
		process.stderr.write(`${at + 1} of ${names.length}, ${readSeconds(start)} s\n`);
		try {
			records.push(await measureInProcess({ set: of, name, settings }, node));
		} catch (error) {
			// It has said what it lacks.
			failed.push(String(error));
		}
	}
	if (failed.length > 0) {
		process.exitCode = 1;
		process.stderr.write(`not measured, and so nothing is recorded: ${failed.join("; ")}\n`);
	}
	const seconds = readSeconds(start);
	const machine = describeMachine(node, loadBefore);
	return { recordedAt: new Date().toISOString(), seconds, machine, settings, tables: records };
}

function readSeconds(start: number): number {
	return Math.round((performance.now() - start) / 1000);
}

/** Each table has its own process, so that the engine's optimisations for one do not slow down the next. */
function measureInProcess(
	what: { readonly name: string; readonly set: string; readonly settings: Settings },
	execPath: string,
): Promise<TableRecord> {
	const execArgv = [...process.execArgv, "--disable-warning=ExperimentalWarning"];
	const child = fork(new URL("run-table.ts", import.meta.url), { execPath, execArgv });
	child.send(what);
	return new Promise((resolve, reject) => {
		child.once("message", (record: TableRecord) => resolve(record));
		child.once("error", reject);
		child.once("exit", (code, signal) => reject(new Error(`${what.name} ended with ${code ?? signal}`)));
	});
}

function chooseNode(major: string | undefined): string {
	if (major === undefined) return process.execPath;
	if (major !== "22" && major !== "26") throw new Error("--node must be 22 or 26");
	return requireVersion(`node-${major}`);
}

/** Installs the peers if one is missing. */
function prepare(): void {
	if (!existsSync("dist/index.js")) throw new Error("There is no build: run `npm run build` first.");
	const { dependencies } = JSON.parse(readFileSync(`${PEERS_FOLDER}/package.json`, "utf8"));
	const isThere = (name: string) => existsSync(`${PEERS_FOLDER}/node_modules/${name}`);
	if (Object.keys(dependencies).every(isThere)) return;
	process.stderr.write("installing the peers in bench/peers\n");
	execFileSync("npm", ["ci", "--prefix", PEERS_FOLDER, "--silent"], { stdio: "inherit" });
}

function toCount(name: "rounds" | "slice-ms" | "size", byDefault: number): number {
	const count = Number(values[name] ?? byDefault);
	if (Number.isSafeInteger(count) && count >= 0) return count;
	throw new Error(`--${name} must be an integer`);
}
