/** `npm run chaos`: ten thousand events and a thousand keyed sends for each store, under all faults. */
import { randomInt } from "node:crypto";
import { parseArgs } from "node:util";
import { TEST_TIMEOUT_MS } from "../support/patience.ts";
import { runChaos } from "./chaos.ts";
import { runInboxChaos } from "./inbox-chaos.ts";
import { INBOX_BREAKS, type InboxBreak } from "./inbox-settings.ts";
import type { StoreAddress } from "./receiver-settings.ts";
import { type ChaosReport, formatReport } from "./report.ts";
import type { FaultCounts } from "./schedule.ts";
import { runSendsChaos } from "./sends/sends-chaos.ts";
import type { SendStoreAddress } from "./sends/settings.ts";

const HELP = `npm run chaos -- [--store redis|postgres|sqlite|inbox|sends-postgres|sends-sqlite] [--events 10000]
                 [--sends 1000] [--seed N] [--receivers 4] [--workers 4]
                 [--break ${Object.keys(INBOX_BREAKS).join("|")}]

All of them by default, each with the same seed, which is random by default.

Delivers events to several receivers behind one store, while they are killed and paused, the store's server is
stopped, and connections are cut. Exits with 1 if an event is lost or doubled.

The inbox gets all events over PostgreSQL and all of them again over PgBouncer, from two receivers, which are killed,
stopped and cut off, and whose pools are full, before each statement in turn: a quarter of an hour for each on two
busy cores. --break makes a mistake that the verdict on the inbox must find:
${Object.entries(INBOX_BREAKS)
	.map(([name, mistake]) => `  ${name}: ${mistake}`)
	.join("\n")}

With sends-, makes keyed sends by several workers over one store, half of them with callbacks, while workers are
killed and stopped before each step, and requests and responses are lost, cut and held back. A second is a minute
for all of them. Prints the share of unresolved ones. Exits with 1 if one is doubled, dropped or falsely accepted.`;

/** Faults for 10,000 events; fewer events get fewer of them. */
const FAULTS: FaultCounts = { kill: 30, pause: 10, latePause: 10, cut: 20, restart: 14, hang: 8 };

const { values } = parseArgs({
	options: {
		store: { type: "string", multiple: true },
		events: { type: "string", default: "10000" },
		sends: { type: "string", default: "1000" },
		seed: { type: "string" },
		receivers: { type: "string", default: "4" },
		workers: { type: "string", default: "4" },
		break: { type: "string" },
		help: { type: "boolean", default: false },
	},
});

const RUNS: Readonly<Record<string, () => Promise<void>>> = {
	redis: () => strikeReceivers("redis"),
	postgres: () => strikeReceivers("postgres"),
	sqlite: () => strikeReceivers("sqlite"),
	inbox: strikeInbox,
	"sends-postgres": () => strikeSends("postgres"),
	"sends-sqlite": () => strikeSends("sqlite"),
};

const events = readNumber("events", values.events);
const sends = readNumber("sends", values.sends);
const receivers = readNumber("receivers", values.receivers);
const workers = readNumber("workers", values.workers);
const seed = values.seed === undefined ? randomInt(2 ** 31) : readNumber("seed", values.seed);

if (values.help) console.log(HELP);
else for (const run of (values.store ?? Object.keys(RUNS)).map(readRun)) await run();

async function strikeReceivers(store: StoreAddress["kind"]): Promise<void> {
	console.log(`\n${store}, seed ${seed}`);
	const report = await runChaos({
		store,
		seed,
		events,
		receivers,
		faults: scaleFaults(events / 10_000),
		leaseMs: 1_500,
		limitMs: 2 * TEST_TIMEOUT_MS,
		onProgress: createProgress(events, "events"),
	});
	print(report);
}

async function strikeInbox(): Promise<void> {
	for (const isPooled of [false, true]) {
		console.log(`\ninbox over ${isPooled ? "PgBouncer" : "PostgreSQL"}, seed ${seed}`);
		const onProgress = createProgress(events, "events");
		print(await runInboxChaos({ events, seed, isPooled, break: readBreak(values.break), onProgress }));
	}
}

async function strikeSends(store: SendStoreAddress["kind"]): Promise<void> {
	console.log(`\nsends over ${store}, seed ${seed}`);
	const limitMs = 4 * TEST_TIMEOUT_MS;
	const onProgress = createProgress(sends, "sends");
	print(await runSendsChaos({ store, seed, sends, workers, limitMs, onProgress }));
}

function print(report: ChaosReport): void {
	if (process.stdout.isTTY) console.log();
	console.log(formatReport(report));
	if (report.failures.length > 0) process.exitCode = 1;
}

function scaleFaults(scale: number): FaultCounts {
	const scaled = Object.entries(FAULTS).map(([kind, count]) => [
		kind,
		Math.max(1, Math.round(count * scale)),
	]);
	return Object.fromEntries(scaled);
}

/** One line that changes on a terminal, and one every five seconds elsewhere. */
function createProgress(all: number, what: string) {
	let seconds = 0;
	return (done: number, faults: Readonly<Record<string, number>>): void => {
		seconds++;
		const struck = Object.entries(faults).map(([kind, count]) => `${kind} ${count}`);
		const line = `${String(seconds).padStart(4)} s  ${done} of ${all} ${what}; ${struck.join(", ")}`;
		if (process.stdout.isTTY) process.stdout.write(`\r${line}\u001B[K`);
		else if (seconds % 5 === 0) console.log(line);
	};
}

function readNumber(name: string, argument: string): number {
	const number = Number(argument);
	if (Number.isSafeInteger(number) && number >= 1) return number;
	throw new Error(`--${name} must be an integer of at least 1`);
}

function readRun(name: string): () => Promise<void> {
	const run = RUNS[name];
	if (run === undefined) throw new Error(`--store is one of ${Object.keys(RUNS).join(", ")}`);
	return run;
}

function readBreak(name: string | undefined): InboxBreak | undefined {
	if (name === undefined) return undefined;
	const names = Object.keys(INBOX_BREAKS) as InboxBreak[];
	const found = names.find((candidate) => candidate === name);
	if (found === undefined) throw new Error(`--break is one of ${names.join(", ")}`);
	return found;
}
