import { setTimeout as sleep } from "node:timers/promises";
import type { LocalGateway } from "messaging-gateway/testing";
import { startPostgres } from "../support/servers/postgres-server.ts";
import { BusyReceivers } from "./busy-receivers.ts";
import { Courier } from "./courier.ts";
import { Faults } from "./faults.ts";
import { JournalReader } from "./journal.ts";
import { readOutcome } from "./outcome.ts";
import { Play } from "./play.ts";
import { Random } from "./random.ts";
import type { StoreAddress } from "./receiver-settings.ts";
import { Receivers } from "./receivers.ts";
import { type ChaosReport, makeReport } from "./report.ts";
import type { Scene } from "./scene.ts";
import { type FaultCounts, scheduleFaults } from "./schedule.ts";
import { STORE_SERVERS } from "./stores.ts";
import { createSender, makeEvents } from "./traffic.ts";
import { until } from "./until.ts";
import { judge } from "./verdict.ts";

/** What kind of run it is. */
export interface ChaosOptions {
	readonly store: StoreAddress["kind"];
	readonly seed: number;
	readonly events: number;
	readonly receivers: number;
	readonly faults: FaultCounts;
	readonly leaseMs: number;
	/** The longest time for all events. */
	readonly limitMs: number;
	/** Called every second. */
	readonly onProgress?: ((done: number, faults: FaultCounts) => void) | undefined;
}

const SECRET = "chaos-webhook-secret";
const STORE_TIMEOUT_MS = 1_000;

/** Runs several receivers behind one store, under all faults. */
export async function runChaos(options: ChaosOptions): Promise<ChaosReport> {
	const { seed, leaseMs } = options;
	await using stack = new AsyncDisposableStack();
	const server = stack.use(await STORE_SERVERS[options.store]());
	const journalServer = stack.use(await startPostgres({ fsync: false }));
	const journal = stack.use(new JournalReader(journalServer.url));
	await journal.createTables();
	const random = new Random(seed);
	const receivers = stack.use(
		new Receivers({
			seed,
			leaseMs,
			store: server.store,
			journalUrl: journalServer.url,
			secret: SECRET,
			storeTimeoutMs: STORE_TIMEOUT_MS,
		}),
	);
	await Promise.all(Array.from({ length: options.receivers }, () => receivers.start()));
	const courier = new Courier(receivers, new Random(seed + 1));
	const sender = stack.use(createSender(courier, SECRET, options.limitMs));
	const over = new AbortController();
	const scene: Scene = {
		receivers,
		courier,
		journal,
		server,
		random,
		leaseMs,
		secret: SECRET,
		over,
		busy: new BusyReceivers({ receivers, journal, random, sender, over: over.signal }),
	};
	return await play(options, scene, sender);
}

async function play(options: ChaosOptions, scene: Scene, sender: LocalGateway): Promise<ChaosReport> {
	const { store, seed, events, limitMs } = options;
	const { courier, receivers, random, server, over } = scene;
	const faults = new Faults(scene);
	const scheduled = { ...options.faults, restart: server.restarts.length > 0 ? options.faults.restart : 0 };
	const schedule = scheduleFaults(scheduled, events, random);
	const plot = new Play(schedule, { ...scene, faults, events });
	const ticker = setInterval(() => options.onProgress?.(courier.acknowledged.size, faults.counts), 1_000);
	const startedAt = performance.now();
	const played = Promise.all([
		makeEvents(sender, { events, plot, courier, random: new Random(seed + 2), over: over.signal }),
		plot.run(),
	]).then(([made]) => isAllDelivered(courier, made, over.signal));
	const problems: string[] = [];
	try {
		const isInTime = await Promise.race([played, sleep(limitMs, false, { ref: false })]);
		if (!isInTime) problems.push(describeDelay(scene, limitMs));
	} catch (error) {
		problems.push(`the run broke off: ${String(error)}`);
	} finally {
		clearInterval(ticker);
		over.abort();
	}
	const seconds = (performance.now() - startedAt) / 1000;
	await endRuns(scene);
	const crashes = receivers.all.filter(({ hasCrashed }) => hasCrashed).length;
	await receivers[Symbol.asyncDispose]();
	const outcome = await readOutcome(scene.journal, sender);
	return makeReport({
		title: { store, seed: String(seed), receivers: options.receivers },
		outcome,
		verdict: judge(outcome),
		courier,
		faults,
		scheduled,
		crashes,
		seconds,
		problems,
	});
}

function describeDelay({ courier, busy }: Scene, limitMs: number): string {
	const awaited = busy.awaited.map((each) => `, and there was not ${each}`);
	return `only ${courier.acknowledged.size} events were done after ${limitMs} ms${awaited.join("")}`;
}

/** Waits for the last event, and for the repeats that follow it. */
async function isAllDelivered(courier: Courier, events: number, over: AbortSignal): Promise<true> {
	for (let quiet = 0; quiet < 3; ) {
		quiet = courier.acknowledged.size >= events && courier.inFlight === 0 ? quiet + 1 : 0;
		await sleep(50, undefined, { signal: over });
	}
	return true;
}

/** Gives handlers that are still under way the time to end. */
async function endRuns({ receivers, journal }: Scene): Promise<void> {
	const workers = receivers.alive.map(({ worker }) => worker);
	const isQuiet = async (): Promise<boolean> =>
		(await journal.count("worker = ANY($1) AND ended IS NULL", [workers])) === 0;
	await until(isQuiet);
}
