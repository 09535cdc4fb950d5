import { setTimeout as sleep } from "node:timers/promises";
import type { LocalGateway } from "messaging-gateway/testing";
import { startPostgres } from "../support/servers/postgres-server.ts";
import { Courier } from "./courier.ts";
import { FAULT_KINDS, type FaultCounts, type FaultKind, Faults } from "./faults.ts";
import { JournalReader } from "./journal.ts";
import type { ChaosCommand } from "./options.ts";
import { Play } from "./play.ts";
import { Random } from "./random.ts";
import type { StoreAddress } from "./receiver-settings.ts";
import { Receivers } from "./receivers.ts";
import type { ChaosReport } from "./report.ts";
import type { Scene } from "./scene.ts";
import { STORE_SERVERS } from "./stores.ts";
import { createSender, makeEvents } from "./traffic.ts";
import { until } from "./until.ts";
import { judgeEvents } from "./verdict.ts";
import { type Progress, Watch } from "./watch.ts";

/** Faults for 10,000 events; fewer events get fewer of them. */
const FAULTS: FaultCounts = { kill: 30, pause: 10, latePause: 10, cut: 20, restart: 14, hang: 8 };

/** Runs several receivers behind one store, under all faults. */
export async function runChaos(store: StoreAddress["kind"], command: ChaosCommand): Promise<ChaosReport> {
	const { seed } = command;
	await using stack = new AsyncDisposableStack();
	const server = stack.use(await STORE_SERVERS[store]());
	const journalServer = stack.use(await startPostgres({ fsync: false }));
	const journal = stack.use(new JournalReader(journalServer.url));
	await journal.createTables();
	const settings = { seed, store: server.store, journalUrl: journalServer.url };
	const receivers = stack.use(new Receivers(settings));
	await Promise.all(Array.from({ length: command.receivers }, () => receivers.start()));
	const courier = new Courier(receivers, new Random(seed + 1));
	const sender = stack.use(createSender(courier));
	const readProgress: Progress = () => ({ events: courier.acknowledged.size, ...faults.tried });
	const watch = stack.use(new Watch(readProgress));
	const scene = { receivers, courier, journal, server, random: new Random(seed), over: watch.over };
	const faults = new Faults(scene);
	return await run(command, { ...scene, faults, sender, watch });
}

async function run(
	{ seed, events, receivers }: ChaosCommand,
	scene: Scene & { readonly faults: Faults; readonly sender: LocalGateway; readonly watch: Watch },
): Promise<ChaosReport> {
	const { courier, faults, sender, watch, over, journal } = scene;
	const { outages, tried, struck } = faults;
	const scheduled = scaleFaults(events / 10_000, scene.server.restarts.length > 0);
	const play = new Play(scene, faults, { counts: scheduled, events });
	const startedAt = performance.now();
	const problems: string[] = [];
	try {
		const traffic = { play, courier, random: new Random(seed + 2), over };
		const [made] = await Promise.all([makeEvents(sender, traffic), play.run()]);
		await untilDelivered(courier, made, over);
	} catch (error) {
		const pending = sender.deliveries.filter(({ eventId }) => !courier.acknowledged.has(eventId));
		if (!watch.hasStalled) problems.push(`the run broke off: ${String(error)}`);
		// A fault that is not over has not struck, which is no failure.
		else if (pending.length > 0 || play.isOver(0))
			problems.push(
				watch.describeStall(`${pending.length} events not acknowledged, as ${pending[0]?.eventId}`),
			);
	} finally {
		watch[Symbol.dispose]();
	}
	const seconds = Math.round((performance.now() - startedAt) / 1000);
	await endRuns(scene);
	const crashes = scene.receivers.all.filter(({ hasCrashed }) => hasCrashed).length;
	await scene.receivers[Symbol.asyncDispose]();
	const outcome = {
		events: sender.deliveries.map(({ eventId, state }) => ({ eventId, isDelivered: state === "delivered" })),
		...(await journal.read()),
	};
	const counts = {
		seed: String(seed),
		receivers,
		seconds,
		deliveries: courier.deliveries,
		"repeats suppressed": courier.count("repeat"),
		"held off while a run was under way": courier.count("503 in_flight") + courier.count("503 lease_lost"),
		"deliveries without a response": courier.count("none"),
		"503 without the store": courier.count("503 store_unavailable") + outages.rejections,
	};
	problems.push(...outages.problems);
	return {
		...judgeEvents({ counts, outcome, scheduled, tried, struck, crashes, problems }),
		journal: { ...outcome, effects: Object.fromEntries(outcome.effects) },
	};
}

function scaleFaults(scale: number, hasServer: boolean): FaultCounts {
	const counts = FAULT_KINDS.map((kind) => [kind, Math.max(1, Math.round(FAULTS[kind] * scale))]);
	const scaled = Object.fromEntries(counts) as Record<FaultKind, number>;
	return hasServer ? scaled : { ...scaled, restart: 0 };
}

/** Waits for the last event, and for the repeats that follow it. */
async function untilDelivered(courier: Courier, events: number, over: AbortSignal): Promise<void> {
	for (let quiet = 0; quiet < 3; ) {
		quiet = courier.acknowledged.size >= events && courier.inFlight === 0 ? quiet + 1 : 0;
		await sleep(50, undefined, { signal: over });
	}
}

/** Gives handlers that are still under way the time to end. */
async function endRuns({ receivers, journal }: Scene): Promise<void> {
	const workers = receivers.alive.map(({ worker }) => worker);
	const isQuiet = async (): Promise<boolean> =>
		(await journal.count("worker = ANY($1) AND ended IS NULL", [workers])) === 0;
	await until(isQuiet);
}
