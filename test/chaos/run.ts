/** `npm run chaos`: ten thousand events for each store, under all faults. */
import { randomInt } from "node:crypto";
import { parseArgs } from "node:util";
import { TEST_TIMEOUT_MS } from "../support/patience.ts";
import { runChaos } from "./chaos.ts";
import { runInboxChaos } from "./inbox-chaos.ts";
import { INBOX_BREAKS, type InboxBreak } from "./inbox-settings.ts";
import type { StoreAddress } from "./receiver-settings.ts";
import { formatReport } from "./report.ts";
import type { FaultCounts } from "./schedule.ts";
import { STORE_SERVERS } from "./stores.ts";

const HELP = `npm run chaos -- [--store redis|postgres|sqlite|inbox] [--events 10000] [--seed N] [--receivers 4]
                 [--break ${Object.keys(INBOX_BREAKS).join("|")}]

Delivers events to several receivers behind one store, while they are killed and paused, the store's server is
stopped, and connections are cut. Exits with 1 if an event is lost or doubled. All stores by default, each with
the same seed, which is random by default. The inbox gets all events over PostgreSQL and all of them again over
PgBouncer, from two receivers, which are killed, stopped and cut off, and whose pools are full, before each
statement in turn: a quarter of an hour for each on two busy cores. --break makes a mistake that the verdict on the
inbox must find:
${Object.entries(INBOX_BREAKS)
	.map(([name, mistake]) => `  ${name}: ${mistake}`)
	.join("\n")}`;

/** Faults for 10,000 events; fewer events get fewer of them. */
const FAULTS: FaultCounts = { kill: 30, pause: 10, latePause: 10, cut: 20, restart: 14, hang: 8 };

const { values } = parseArgs({
	options: {
		store: { type: "string", multiple: true },
		events: { type: "string", default: "10000" },
		seed: { type: "string" },
		receivers: { type: "string", default: "4" },
		break: { type: "string" },
		help: { type: "boolean", default: false },
	},
});

if (values.help) console.log(HELP);
else await main();

async function main(): Promise<void> {
	const events = readNumber("events", values.events);
	const receivers = readNumber("receivers", values.receivers);
	const seed = values.seed === undefined ? randomInt(2 ** 31) : readNumber("seed", values.seed);
	const names = values.store ?? [...Object.keys(STORE_SERVERS), "inbox"];
	if (names.includes("inbox")) await strikeInbox(events, seed);
	for (const store of names.filter((name) => name !== "inbox").map(readStore)) {
		console.log(`\n${store}, seed ${seed}`);
		const report = await runChaos({
			store,
			seed,
			events,
			receivers,
			faults: scaleFaults(events / 10_000),
			leaseMs: 1_500,
			limitMs: 2 * TEST_TIMEOUT_MS,
			onProgress: createProgress(events),
		});
		if (process.stdout.isTTY) console.log();
		console.log(formatReport(report));
		if (report.failures.length > 0) process.exitCode = 1;
	}
}

async function strikeInbox(events: number, seed: number): Promise<void> {
	for (const isPooled of [false, true]) {
		console.log(`\ninbox over ${isPooled ? "PgBouncer" : "PostgreSQL"}, seed ${seed}`);
		const report = await runInboxChaos({
			events,
			seed,
			isPooled,
			break: readBreak(values.break),
			onProgress: createProgress(events),
		});
		if (process.stdout.isTTY) console.log();
		console.log(formatReport(report));
		if (report.failures.length > 0) process.exitCode = 1;
	}
}

function scaleFaults(scale: number): FaultCounts {
	const scaled = Object.entries(FAULTS).map(([kind, count]) => [
		kind,
		Math.max(1, Math.round(count * scale)),
	]);
	return Object.fromEntries(scaled);
}

/** One line that changes on a terminal, and one every five seconds elsewhere. */
function createProgress(events: number) {
	let seconds = 0;
	return (done: number, faults: Readonly<Record<string, number>>): void => {
		seconds++;
		const struck = Object.entries(faults).map(([kind, count]) => `${kind} ${count}`);
		const line = `${String(seconds).padStart(4)} s  ${done} of ${events} events; ${struck.join(", ")}`;
		if (process.stdout.isTTY) process.stdout.write(`\r${line}\u001B[K`);
		else if (seconds % 5 === 0) console.log(line);
	};
}

function readNumber(name: string, argument: string): number {
	const number = Number(argument);
	if (Number.isSafeInteger(number) && number >= 1) return number;
	throw new Error(`--${name} must be an integer of at least 1`);
}

function readStore(name: string): StoreAddress["kind"] {
	const kinds = Object.keys(STORE_SERVERS) as StoreAddress["kind"][];
	const kind = kinds.find((candidate) => candidate === name);
	if (kind === undefined) throw new Error(`--store is one of ${kinds.join(", ")}`);
	return kind;
}

function readBreak(name: string | undefined): InboxBreak | undefined {
	if (name === undefined) return undefined;
	const names = Object.keys(INBOX_BREAKS) as InboxBreak[];
	const found = names.find((candidate) => candidate === name);
	if (found === undefined) throw new Error(`--break is one of ${names.join(", ")}`);
	return found;
}
