/** `npm run chaos`: ten thousand events for each store, under all faults. */
import { randomInt } from "node:crypto";
import { parseArgs } from "node:util";
import { TEST_TIMEOUT_MS } from "../support/patience.ts";
import { runChaos } from "./chaos.ts";
import { runInboxChaos } from "./inbox-chaos.ts";
import type { StoreAddress } from "./receiver-settings.ts";
import { formatReport } from "./report.ts";
import type { FaultCounts } from "./schedule.ts";
import { STORE_SERVERS } from "./stores.ts";

const HELP = `npm run chaos -- [--store redis|postgres|sqlite|inbox] [--events 10000] [--seed N] [--receivers 4]

Delivers events to several receivers behind one store, while they are killed and paused, the store's server is
stopped, and connections are cut. Exits with 1 if an event is lost or doubled. All stores by default, each with
the same seed, which is random by default. The inbox gets a tenth of the events over PostgreSQL and as many over
PgBouncer, and is killed, stopped and cut off before each statement in turn.`;

/** Faults for 10,000 events; fewer events get fewer of them. */
const FAULTS: FaultCounts = { kill: 30, pause: 10, latePause: 10, cut: 20, restart: 14, hang: 8 };

const { values } = parseArgs({
	options: {
		store: { type: "string", multiple: true },
		events: { type: "string", default: "10000" },
		seed: { type: "string" },
		receivers: { type: "string", default: "4" },
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
	if (names.includes("inbox")) await strikeInbox(Math.ceil(events / 10));
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

async function strikeInbox(events: number): Promise<void> {
	for (const isPooled of [false, true]) {
		console.log(`\ninbox over ${isPooled ? "PgBouncer" : "PostgreSQL"}`);
		const { counts, responses } = await runInboxChaos({ events, isPooled });
		for (const [name, value] of Object.entries({ ...counts, ...responses })) console.log(`${name}: ${value}`);
		if (counts["effects"] !== events || counts["lost"] || counts["doubled"]) process.exitCode = 1;
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
	return (done: number, faults: FaultCounts): void => {
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
