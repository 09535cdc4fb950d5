import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { cpus, loadavg, platform, release } from "node:os";
import type { Settings, TableRecord } from "./cases.ts";

/** One run of a benchmark, as it is kept in a file. */
export interface Run {
	/** In ISO 8601. */
	readonly recordedAt: string;
	/** How long it measured. */
	readonly seconds?: number;
	/** Clients, servers and benchmark share it. */
	readonly machine: {
		readonly node: string;
		readonly platform: string;
		readonly cpu: string;
		readonly cores: number;
		/** How many processes wanted a core in the minute before the run. */
		readonly loadBefore: number;
		/** The same at its end, when the benchmark and a server of its own are two of them. */
		readonly loadAfter: number;
	};
	readonly settings: Settings;
	readonly tables: readonly TableRecord[];
}

/** How many processes wanted a core in the last minute. */
export function readLoad(): number {
	const [lastMinute = 0] = loadavg();
	return Number(lastMinute.toFixed(1));
}

/** The machine at the end of a run. */
export function describeMachine(node: string, loadBefore: number): Run["machine"] {
	return {
		node: execFileSync(node, ["--version"], { encoding: "utf8" }).trim(),
		platform: `${platform()} ${release()}`,
		cpu: cpus()[0]?.model.trim() ?? "unknown",
		cores: cpus().length,
		loadBefore,
		loadAfter: readLoad(),
	};
}

/** Where a run was recorded, and how long it took, in a sentence. */
export function describeRun({ recordedAt, seconds, machine }: Run): string {
	return (
		`Recorded on ${recordedAt.slice(0, 10)} with Node ${machine.node.slice(1)} on ${machine.cores} cores (${machine.cpu}), ` +
		`which clients and servers shared; load ${machine.loadBefore} before the run, ${machine.loadAfter} at its end` +
		`${seconds === undefined ? "" : `; the whole run took ${seconds} seconds`}.\n`
	);
}

/** How a run measured whatever has no rounds of its own, in a sentence. */
export function describeRounds({ settings }: Run): string {
	return `Each figure is of the fastest quarter of ${settings.rounds} rounds, in each of which every contender ran for ${settings.sliceMs} ms in turn.\n`;
}

/** Reads the record of a run. */
export function readRun(file: string | URL): Run {
	return JSON.parse(readFileSync(file, "utf8"));
}

/** Writes the record of a run, with a contender on a line. */
export function writeRun(file: string, run: Run): void {
	const contender = /\{\s+"name": [^{}]+"role"[^{}]+(\{[^{}]+\}\s+)?\}/g;
	const text = JSON.stringify(run, null, "\t");
	writeFileSync(file, `${text.replace(contender, (part) => part.replace(/\s+/g, " "))}\n`);
}
