import type { ChildProcess } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { createWebhookRequest } from "messaging-gateway/testing";
import pg from "pg";
import { createInboxTables } from "../support/inbox.ts";
import { WAIT_MS } from "../support/patience.ts";
import { startPgBouncer } from "../support/servers/pgbouncer-server.ts";
import { startPostgres } from "../support/servers/postgres-server.ts";
import { startChild } from "./child.ts";
import { drawMisdeed, randomOf, scheduleStrikes } from "./inbox-schedule.ts";
import {
	INBOX_VARIABLE,
	type InboxBreak,
	type InboxReceiverSettings,
	ORDERS_HEADER,
	type Orders,
} from "./inbox-settings.ts";
import { type InboxJournal, judgeInbox } from "./inbox-verdict.ts";
import { Random } from "./random.ts";
import type { ChaosReport } from "./report.ts";

const RECEIVER = new URL("inbox-receiver.ts", import.meta.url);
const SECRET = "local-webhook-secret";
/** The connections of each receiver's pool. With one, a handler that asks the pool waits for itself. */
const CONNECTIONS = [4, 1];
/** At once: more than the pools of the receivers and of PgBouncer hold. */
const CONCURRENCY = 16;

/** What is run, and how. */
export interface InboxChaosOptions {
	readonly events: number;
	/** Decides all random choices. */
	readonly seed: number;
	/** Whether the receivers reach PostgreSQL through PgBouncer. */
	readonly isPooled: boolean;
	/** A mistake that the verdict must find. */
	readonly break?: InboxBreak | undefined;
	/** Called about once a second. */
	readonly onProgress?: ((done: number, strikes: Readonly<Record<string, number>>) => void) | undefined;
}

/** A receiver's process, which is started again once it is dead. */
class StrikingReceiver {
	readonly #settings: InboxReceiverSettings;
	#child: ChildProcess | undefined;
	#url = "";
	#restarting: Promise<void> | undefined;
	starts = 0;

	constructor(settings: InboxReceiverSettings) {
		this.#settings = settings;
	}

	async start(): Promise<void> {
		const child = await startChild(RECEIVER, INBOX_VARIABLE, this.#settings);
		this.#child = child.process;
		this.#url = `http://127.0.0.1:${child.firstLine}/`;
		this.starts++;
	}

	/** Delivers, with orders. @returns the response in one line; `none` if there is none. */
	async send(request: Request, orders: Orders): Promise<string> {
		const headers = new Headers(request.headers);
		headers.set(ORDERS_HEADER, JSON.stringify(orders));
		try {
			const body = await request.text();
			const signal = AbortSignal.timeout(3_000);
			const response = await fetch(this.#url, { method: "POST", headers, body, signal });
			return `${response.status} ${await response.text()}`.trim();
		} catch {
			await this.#revive();
			return "none";
		}
	}

	/** Continues it if it has stopped, and starts it again if it is dead. */
	async #revive(): Promise<void> {
		this.#child?.kill("SIGCONT");
		await sleep(20);
		if (this.#child?.signalCode === null && this.#child.exitCode === null) return;
		this.#restarting ??= this.start().finally(() => {
			this.#restarting = undefined;
		});
		await this.#restarting;
	}

	end(): void {
		this.#child?.kill("SIGKILL");
	}
}

/**
 * Delivers events to two receivers at once, and repeats each until it is acknowledged, while they are struck before each
 * statement in turn. A handler does not check whether its event has been processed: rows of effects count.
 */
export async function runInboxChaos(options: InboxChaosOptions): Promise<ChaosReport> {
	await using stack = new AsyncDisposableStack();
	const postgres = stack.use(await startPostgres());
	const url = options.isPooled
		? stack.use(await startPgBouncer(postgres.url, "transaction")).url
		: postgres.url;
	const observer = stack.adopt(new pg.Pool({ connectionString: postgres.url }), (pool) => pool.end());
	await createInboxTables(observer);
	const receivers = CONNECTIONS.map(
		(connections) =>
			new StrikingReceiver({
				url,
				secret: SECRET,
				maxHandlerMs: 1_000,
				connections,
				break: options.break,
			}),
	);
	stack.defer(() => {
		for (const receiver of receivers) receiver.end();
	});
	await Promise.all(receivers.map((receiver) => receiver.start()));
	const startedAt = performance.now();
	const schedule = scheduleStrikes(options.events, new Random(options.seed));
	const strikes: Record<string, number> = {};
	const responses: Record<string, number> = {};
	const acknowledged = new Set<string>();
	const idOf = (at: number): string => `evt_chaos_${at}`;

	async function deliver(at: number, { isStruck }: { isStruck: boolean }): Promise<void> {
		const eventId = idOf(at);
		const random = randomOf(options.seed, at);
		const deadline = Date.now() + 4 * WAIT_MS;
		const strike = isStruck ? schedule.get(at) : undefined;
		if (strike) strikes[strike.kind] = (strikes[strike.kind] ?? 0) + 1;
		const target = random.pick(receivers);
		for (let attempt = 0; Date.now() < deadline; attempt++) {
			const text = `a text of ${eventId}`;
			const request = createWebhookRequest("inbound_message", { text }, { eventId });
			// Both receivers work on one event.
			const sent = await Promise.all(
				receivers.map((receiver) =>
					receiver.send(request.clone(), {
						strike: attempt === 0 && receiver === target ? strike : undefined,
						misdeed: drawMisdeed(random),
					}),
				),
			);
			for (const outcome of sent) responses[outcome] = (responses[outcome] ?? 0) + 1;
			if (sent.includes("200")) {
				acknowledged.add(eventId);
				return;
			}
			await sleep(30);
		}
	}

	let next = 0;
	const ticker = setInterval(() => options.onProgress?.(acknowledged.size, strikes), 1_000);
	stack.defer(() => clearInterval(ticker));
	await Promise.all(
		Array.from({ length: CONCURRENCY }, async () => {
			while (next < options.events) await deliver(next++, { isStruck: true });
		}),
	);
	// A receiver that was stopped goes on, and repeats find the records.
	for (let at = 0; at < options.events; at += 7) await deliver(at, { isStruck: false });
	return makeReport(options, {
		strikes,
		responses,
		kills: receivers.reduce((sum, receiver) => sum + receiver.starts - 1, 0),
		seconds: Math.round((performance.now() - startedAt) / 1_000),
		journal: await readJournal(
			observer,
			Array.from({ length: options.events }, (_, at) => ({
				eventId: idOf(at),
				isAcknowledged: acknowledged.has(idOf(at)),
			})),
		),
	});
}

async function readJournal(pool: pg.Pool, events: InboxJournal["events"]): Promise<InboxJournal> {
	const effects = await pool.query("SELECT event_id AS id FROM effects");
	const records = await pool.query(
		"SELECT substr(key, length('event:default:') + 1) AS id FROM messaging_gateway_records WHERE key LIKE 'event:default:%'",
	);
	const idsOf = ({ rows }: pg.QueryResult): string[] => rows.map(({ id }) => id);
	return { events, effects: idsOf(effects), records: idsOf(records) };
}

/** Counts everything, and lists the failures. */
function makeReport(
	{ events, seed }: InboxChaosOptions,
	run: {
		readonly strikes: Readonly<Record<string, number>>;
		readonly responses: Readonly<Record<string, number>>;
		readonly kills: number;
		readonly seconds: number;
		readonly journal: InboxJournal;
	},
): ChaosReport {
	const verdict = judgeInbox(run.journal);
	const failures = Object.entries(verdict).flatMap(([name, ids]) =>
		ids.length > 0 ? [`${ids.length} ${name}: ${ids.slice(0, 3).join(", ")}`] : [],
	);
	const prefix = (name: string, counts: Readonly<Record<string, number>>) =>
		Object.fromEntries(Object.entries(counts).map(([key, count]) => [`${name} ${key}`, count]));
	return {
		failures,
		counts: {
			seed: String(seed),
			seconds: run.seconds,
			events,
			...prefix("strike:", run.strikes),
			kills: run.kills,
			...prefix("response:", run.responses),
			effects: run.journal.effects.length,
			lost: verdict.lost.length,
			doubled: verdict.doubled.length,
			torn: verdict.torn.length,
		},
	};
}
