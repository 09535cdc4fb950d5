import { setTimeout as sleep } from "node:timers/promises";
import { createLocalGateway, createWebhookRequest, type LocalGateway } from "messaging-gateway/testing";
import { listen } from "messaging-gateway/testing/node";
import { type PgBossExample, startPgBossExample } from "../../support/pg-boss-example.ts";
import { EXAMPLE_SECRET } from "../../support/prove-example.ts";
import type { StartedProcess } from "../../support/started-process.ts";
import { retry, until } from "../until.ts";
import { judgeTurns, type StoredLine, type TurnsVerdict } from "./verdict.ts";

/** How many bursts each contact types: the second one after the first has its turn. */
const BURSTS = 2;
const LINES = 3;
const WORKERS = 3;
/** How many turns a worker of the example takes at a time. */
const TURNS_OF_WORKER = 5;
/** Contacts who type at the same time. */
const TYPISTS = 48;
/** The pause between two lines of a burst, longer than a worker waits before it looks for turns. */
const PAUSE_MS = 700;

/** What a run is made of. */
export interface TurnsPlay {
	readonly conversations: number;
	/** How often a worker is killed, spread over the run. */
	readonly kills: number;
	/** How long a conversation is quiet before its turn. */
	readonly quietSeconds: number;
	readonly onProgress?: (line: string) => void;
}

/** The example `turns` while its workers are killed: bursts of lines, each of them delivered twice and out of order. */
export async function playTurns(play: TurnsPlay): Promise<TurnsVerdict> {
	await using example = await startPgBossExample("turns");
	await using local = createLocalGateway({ rules: "off" });
	await using gateway = await listen(local);
	const receiver = await example.start("receiver", [], { QUIET_SECONDS: String(play.quietSeconds) });
	// So short that the turns of a killed worker run again soon.
	await example.boss.updateQueue("turns", {
		expireInSeconds: 3,
		retryLimit: 100,
		retryDelay: 0,
		retryBackoff: false,
	});
	await example.boss.updateQueue("replies", { expireInSeconds: 3, retryLimit: 0 });
	await using workers = new DoomedWorkers(example, gateway.url, local);
	await workers.fill();

	const killsPerBurst = Math.ceil(play.kills / BURSTS);
	for (let burst = 0; burst < BURSTS; burst++) {
		const wanted = (burst + 1) * LINES * play.conversations;
		const delivered = deliverBursts(receiver, burst, play.conversations);
		const killed = workers.killBefore(wanted, killsPerBurst, play.onProgress);
		await Promise.all([delivered, killed]);
		if (!(await until(async () => (await countReplied(example)) === wanted)))
			throw new Error(`${wanted - (await countReplied(example))} lines have no turn`);
	}
	await until(async () => (await countOpenReplies(example)) === 0);
	const lines = await example.query<StoredLine>(
		"SELECT event_id, turn, extract(epoch FROM stored_at)::float AS stored_at FROM lines",
	);
	const [retries] = await example.query<{ runs: number }>(
		"SELECT coalesce(sum(retry_count), 0)::int AS runs FROM pgboss.job WHERE name = 'turns'",
	);
	const [held] = await example.query<{ count: number }>(
		"SELECT count(*)::int AS count FROM pgboss.job WHERE name = 'replies' AND state IN ('failed', 'created')",
	);
	return judgeTurns({
		conversations: play.conversations,
		bursts: BURSTS,
		linesInBurst: LINES,
		// Less than the quiet time: a line is stored a moment before it moves the turn.
		longPauseSeconds: play.quietSeconds / 2,
		lines,
		sent: local.sent.map(({ text }) => text),
		kills: workers.kills,
		runsCutOff: retries?.runs ?? 0,
		repliesHeld: held?.count ?? 0,
	});
}

/** Delivers a burst of every conversation: the last line first, and each of them twice. */
async function deliverBursts(receiver: StartedProcess, burst: number, conversations: number): Promise<void> {
	let next = 0;
	const send = async (): Promise<void> => {
		while (next < conversations) {
			const conversation = next++;
			for (let at = LINES - 1; at >= 0; at--) {
				const deliver = () => deliverLine(receiver, conversation, burst * LINES + at);
				await Promise.all([deliver(), deliver()]);
				if (at > 0) await sleep(PAUSE_MS);
			}
		}
	};
	await Promise.all(Array.from({ length: TYPISTS }, send));
}

async function deliverLine(receiver: StartedProcess, conversation: number, at: number): Promise<void> {
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
	});
}

async function countReplied(example: PgBossExample): Promise<number> {
	const [row] = await example.query<{ count: number }>(
		"SELECT count(*)::int AS count FROM lines WHERE turn IS NOT NULL",
	);
	return row?.count ?? 0;
}

/** The replies that are still to be sent; those behind one that a person must decide on are not. */
async function countOpenReplies(example: PgBossExample): Promise<number> {
	const [row] = await example.query<{ count: number }>(
		`SELECT count(*)::int AS count FROM pgboss.job AS reply
		WHERE name = 'replies' AND state < 'completed' AND NOT EXISTS (
			SELECT FROM pgboss.job AS held
			WHERE held.name = 'replies' AND held.state = 'failed' AND held.singleton_key = reply.singleton_key
		)`,
	);
	return row?.count ?? 0;
}

/** Workers of which one after the other is killed, and replaced. */
class DoomedWorkers implements AsyncDisposable {
	kills = 0;
	readonly #example: PgBossExample;
	readonly #environment: NodeJS.Dict<string>;
	#running: StartedProcess[] = [];

	constructor(example: PgBossExample, url: string, local: LocalGateway) {
		this.#example = example;
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
	async killBefore(wanted: number, kills: number, onProgress: TurnsPlay["onProgress"]): Promise<void> {
		const from = await countReplied(this.#example);
		for (let at = 0; at < kills; at++) {
			const share = from + ((wanted - from) * at) / kills;
			await until(async () => {
				const done = await countReplied(this.#example);
				return done === wanted || (done >= share && (await this.#allTakeTurns()));
			});
			const [oldest, ...others] = this.#running;
			await oldest?.[Symbol.asyncDispose]();
			this.#running = others;
			this.kills++;
			onProgress?.(
				`${await countReplied(this.#example)} of ${wanted} lines have a turn; ${this.kills} killed`,
			);
			await this.fill();
		}
	}

	/** Whether there are more turns under way than all workers but one can take. */
	async #allTakeTurns(): Promise<boolean> {
		const active = await this.#example.query(
			"SELECT FROM pgboss.job WHERE name = 'turns' AND state = 'active'",
		);
		return active.length > (WORKERS - 1) * TURNS_OF_WORKER;
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await Promise.all(this.#running.map((worker) => worker.stop()));
	}
}
