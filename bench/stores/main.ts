/**
 * `npm run bench:stores`: claims and full cycles of each store, beside raw statements on the same server in the same
 * run; the size of an event there, and the calls of a delivery; and the deliveries that receivers keep up with.
 */
import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { parseArgs, promisify } from "node:util";
import { countRoundTrips } from "./count-round-trips.ts";
import { describeMachine, readLoad } from "./machine.ts";
import { measureBytes } from "./measure-bytes.ts";
import { measureRates } from "./measure-rates.ts";
import { measureSpeeds } from "./measure-speeds.ts";
import { printRecord } from "./print-record.ts";
import type { RunSettings, StoresRecord, SubjectRecord } from "./record.ts";
import type { OpenSubjects } from "./subject.ts";
import { openMemory } from "./subjects/memory.ts";
import { openPostgres, openPostgresAsync } from "./subjects/postgres.ts";
import { openRedis, openRedisAlways, openRedisEverySecond } from "./subjects/redis.ts";
import { openSqlite } from "./subjects/sqlite.ts";

const HELP = `npm run bench:stores -- [options]

  --stores LIST     of redis, postgres, sqlite and memory; all of them by default
  --rounds N        rounds that count, 9 by default
  --round-ms N      how long one contender runs in a round, 300 by default
  --events N        how many events are stored to measure their bytes, 100000 by default
  --no-rates        leaves out the receivers over HTTP
  --json FILE       records the run; docs/scaling.md shows bench/results/stores.json
  --help

It starts Redis and PostgreSQL of its own, and takes about ten minutes. Read the ratios: times depend on the machine.`;

const run = promisify(execFile);

/** Each opens one server, and the stores on it. */
const OPENERS: Readonly<Record<string, readonly OpenSubjects[]>> = {
	redis: [openRedis, openRedisEverySecond, openRedisAlways],
	postgres: [openPostgres, openPostgresAsync],
	sqlite: [openSqlite],
	memory: [openMemory],
};

const { values } = parseArgs({
	options: {
		stores: { type: "string", default: Object.keys(OPENERS).join(",") },
		rounds: { type: "string", default: "9" },
		"round-ms": { type: "string", default: "300" },
		events: { type: "string", default: "100000" },
		"no-rates": { type: "boolean", default: false },
		json: { type: "string" },
		help: { type: "boolean", default: false },
	},
});

if (values.help) {
	console.log(HELP);
} else {
	const record = await measure();
	console.log(printRecord(record));
	if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(record, null, "\t")}\n`);
}

async function measure(): Promise<StoresRecord> {
	const settings = {
		rounds: toCount("rounds", values.rounds),
		roundMs: toCount("round-ms", values["round-ms"]),
		events: toCount("events", values.events),
	};
	const names = values.stores.split(",");
	for (const name of names) if (!(name in OPENERS)) throw new Error(`--stores: there is no ${name}`);
	const loadBefore = readLoad();
	const subjects: SubjectRecord[] = [];
	for (const open of names.flatMap((name) => OPENERS[name] ?? [])) {
		subjects.push(...(await measureServer(open, settings)));
	}
	const rates = values["no-rates"] ? undefined : await measureRates(report);
	return {
		recordedAt: new Date().toISOString(),
		machine: describeMachine(loadBefore),
		settings,
		subjects,
		...(rates && { rates }),
	};
}

/** One server at a time: pending writes of another one would delay every commit of this one. */
async function measureServer(open: OpenSubjects, settings: RunSettings): Promise<SubjectRecord[]> {
	await run("sync");
	await using stack = new AsyncDisposableStack();
	const subjects = await open((close) => {
		stack.defer(async () => {
			await close();
		});
	});
	const speeds = await measureSpeeds(subjects, settings, report);
	const records: SubjectRecord[] = [];
	for (const subject of subjects) {
		const { name, server, client } = subject;
		report(`${name}: bytes and round trips`);
		const roundTrips = await countRoundTrips(subject);
		const bytes = await measureBytes(subject, settings.events);
		const heapOnlyPercent = await subject.measureHeapOnlyPercent?.();
		records.push({
			name,
			server,
			client,
			speeds: speeds.get(name) ?? [],
			roundTrips,
			...(bytes && { bytes }),
			...(heapOnlyPercent !== undefined && { heapOnlyPercent }),
		});
	}
	return records;
}

function toCount(name: string, text: string): number {
	const count = Number(text);
	if (Number.isSafeInteger(count) && count > 0) return count;
	throw new Error(`--${name} must be an integer of at least 1`);
}

/** Progress goes where it does not mix with the result. */
function report(step: string): void {
	process.stderr.write(`${step}\n`);
}
