import { setTimeout as sleep } from "node:timers/promises";
import { createLocalGateway, createWebhookRequest, type LocalGateway } from "messaging-gateway/testing";
import { listen } from "messaging-gateway/testing/node";
import { type PgBossExample, startPgBossExample } from "../../support/pg-boss-example.ts";
import { EXAMPLE_SECRET } from "../../support/prove-example.ts";
import type { StartedProcess } from "../../support/started-process.ts";
import type { ChaosCommand } from "../options.ts";
import { Random } from "../random.ts";
import { type ChaosReport, TRIES } from "../report.ts";
import { retry, until } from "../until.ts";
import { Watch } from "../watch.ts";
import { judgeTurns, type StoredLine } from "./verdict.ts";

/** How many bursts each contact types: the second one after the first has its turn. */
const BURSTS = 2;
const LINES = 3;
const WORKERS = 3;
/** How many turns a worker of the example takes at a time. */
const TURNS_OF_WORKER = 5;
/** So short that the turns of a killed worker run again soon. */
const EXPIRE_SECONDS = 3;
/** Contacts who type at the same time. */
const TYPISTS = 48;
/** The pause between two lines of a burst, longer than a worker waits before it looks for turns. */
const PAUSE_MS = 700;

/** How long a conversation is quiet before its turn. */
const QUIET_SECONDS = 3;

/** The example `turns` while its workers are killed: bursts of lines, each of them delivered twice and out of order. */
export async function playTurns({ conversations, kills, seed }: ChaosCommand): Promise<ChaosReport> {
	const startedAt = performance.now();
	await using example = await startPgBossExample("turns");
	await using local = createLocalGateway({ rules: "off" });
	await using gateway = await listen(local);
	const receiver = await example.start("receiver", [], { QUIET_SECONDS: String(QUIET_SECONDS) });
	const retries = { retryLimit: 100, retryDelay: 0, retryBackoff: false };
	await example.boss.updateQueue("turns", { expireInSeconds: EXPIRE_SECONDS, ...retries });
	await example.boss.updateQueue("replies", { expireInSeconds: EXPIRE_SECONDS, retryLimit: 0 });
	const random = new Random(seed);
	await using workers = new DoomedWorkers(example, { url: gateway.url, local, random });
	await workers.fill();

	let replied = 0;
	using watch = new Watch(() => ({
		"lines with a turn": replied,
		"workers killed": workers.kills,
		replies: local.sent.length,
	}));
	const acknowledgedAt = new Map<string, number>();
	const untilReplied = async (wanted: number): Promise<void> => {
		while (!watch.over.aborted && replied < wanted) {
			await sleep(100);
			replied = await countReplied(example);
		}
	};
	const problems: string[] = [];
	let bursts = 0;
	try {
		while (bursts < BURSTS || (bursts < BURSTS + TRIES && (await countRunsCutOff(example)) === 0)) {
			const burst = bursts++;
			const wanted = bursts * LINES * conversations;
			await Promise.all([
				deliverBursts({ receiver, acknowledgedAt }, burst, conversations),
				workers.killBefore(wanted, Math.ceil(kills / BURSTS)),
				untilReplied(wanted),
			]);
			if (watch.hasStalled) break;
		}
		while (!watch.over.aborted && (await countOpenReplies(example)) > 0) await sleep(100);
		if (watch.hasStalled) {
			const pending = `${bursts * LINES * conversations - replied} lines have no turn, ${await countOpenReplies(example)} turns no reply`;
			problems.push(watch.describeStall(pending));
		}
	} catch (error) {
		problems.push(`the run broke off: ${String(error)}`);
	}
	const lines = await example.query<Omit<StoredLine, "acknowledged_at">>(
		"SELECT event_id, turn, extract(epoch FROM stored_at)::float AS stored_at FROM lines",
	);
	const outcome = {
		conversations,
		bursts,
		linesInBurst: LINES,
		quietSeconds: QUIET_SECONDS,
		lines: lines.map((line) => ({ ...line, acknowledged_at: acknowledgedAt.get(line.event_id) })),
		sent: local.sent.map(({ text }) => text),
		kills: workers.kills,
		runsCutOff: await countRunsCutOff(example),
		repliesHeld: await count(example, "pgboss.job WHERE name = 'replies' AND state IN ('failed', 'created')"),
		problems,
	};
	const { counts, ...judgement } = judgeTurns(outcome);
	const seconds = Math.round((performance.now() - startedAt) / 1_000);
	return { counts: { seed: String(seed), seconds, ...counts }, ...judgement, journal: outcome };
}

/** What a burst is delivered with. */
interface Delivery {
	readonly receiver: StartedProcess;
	/** When each line was acknowledged first, in seconds. */
	readonly acknowledgedAt: Map<string, number>;
}

/** Delivers a burst of every conversation: the last line first, and each of them twice. */
async function deliverBursts(delivery: Delivery, burst: number, conversations: number): Promise<void> {
	let next = 0;
	const send = async (): Promise<void> => {
		while (next < conversations) {
			const conversation = next++;
			for (let at = LINES - 1; at >= 0; at--) {
				const deliver = () => deliverLine(delivery, conversation, burst * LINES + at);
				await Promise.all([deliver(), deliver()]);
				if (at > 0) await sleep(PAUSE_MS);
			}
		}
	};
	await Promise.all(Array.from({ length: TYPISTS }, send));
}

async function deliverLine(
	{ receiver, acknowledgedAt }: Delivery,
	conversation: number,
	at: number,
): Promise<void> {
	const eventId = `evt_${conversation}_${at}`;
	await retry(async () => {
		const request = createWebhookRequest(
			"inbound_message",
			{
				text: eventId,
				from: `+1555${String(conversation).padStart(7, "0")}`,
				timestamp_ms: 1_700_000_000_000 + at,
			},
			{ eventId, secret: EXAMPLE_SECRET, url: `${receiver.url}/webhooks` },
		);
		const { status } = await fetch(request);
		if (status !== 200) throw new Error(`${eventId} got ${status}`);
		if (!acknowledgedAt.has(eventId)) acknowledgedAt.set(eventId, Date.now() / 1_000);
	});
}

async function count(example: PgBossExample, rows: string): Promise<number> {
	const [row] = await example.query<{ count: number }>(`SELECT count(*)::int AS count FROM ${rows}`);
	return row?.count ?? 0;
}

function countReplied(example: PgBossExample): Promise<number> {
	return count(example, "lines WHERE turn IS NOT NULL");
}

async function countRunsCutOff(example: PgBossExample): Promise<number> {
	const [retries] = await example.query<{ runs: number }>(
		"SELECT coalesce(sum(retry_count), 0)::int AS runs FROM pgboss.job WHERE name = 'turns'",
	);
	return retries?.runs ?? 0;
}

/** The replies that are still to be sent; those behind one that a person must decide on are not. */
function countOpenReplies(example: PgBossExample): Promise<number> {
	return count(
		example,
		`pgboss.job AS reply
		WHERE name = 'replies' AND state < 'completed' AND NOT EXISTS (
			SELECT FROM pgboss.job AS held
			WHERE held.name = 'replies' AND held.state = 'failed' AND held.singleton_key = reply.singleton_key
		)`,
	);
}

/** Workers of which one after the other is killed, and replaced. */
class DoomedWorkers implements AsyncDisposable {
	kills = 0;
	readonly #example: PgBossExample;
	readonly #random: Random;
	readonly #environment: NodeJS.Dict<string>;
	#running: StartedProcess[] = [];

	constructor(
		example: PgBossExample,
		{ url, local, random }: { url: string; local: LocalGateway; random: Random },
	) {
		this.#example = example;
		this.#random = random;
		this.#environment = {
			MESSAGING_GATEWAY_BASE_URL: url,
			MESSAGING_GATEWAY_APP_ID: local.appId,
			MESSAGING_GATEWAY_APP_SECRET: local.appSecret,
			THINKING_MS: "400",
		};
	}

	async fill(): Promise<void> {
		while (this.#running.length < WORKERS) {
			this.#running.push(await this.#example.start("worker", [], this.#environment));
		}
	}

	/** Kills as many workers before so many lines have a turn, each after a further share of them, and in the middle of a turn. */
	async killBefore(wanted: number, kills: number): Promise<void> {
		const from = await countReplied(this.#example);
		for (let at = 0; at < kills; at++) {
			const share = from + ((wanted - from) * at) / kills;
			await until(async () => {
				const done = await countReplied(this.#example);
				return done === wanted || (done >= share && (await this.#allTakeTurns()));
			});
			const [doomed, ...others] = this.#random.shuffle(this.#running);
			await doomed?.[Symbol.asyncDispose]();
			this.#running = others;
			this.kills++;
			await this.fill();
		}
	}

	/** Whether there are more turns under way than all workers but one can take. */
	async #allTakeTurns(): Promise<boolean> {
		const active = await count(this.#example, "pgboss.job WHERE name = 'turns' AND state = 'active'");
		return active > (WORKERS - 1) * TURNS_OF_WORKER;
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await Promise.all(this.#running.map((worker) => worker.stop()));
	}
}
