import type { ChildProcess } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { createWebhookRequest } from "messaging-gateway/testing";
import pg from "pg";
import { createInboxTables } from "../support/inbox.ts";
import { startPgBouncer } from "../support/servers/pgbouncer-server.ts";
import { startPostgres } from "../support/servers/postgres-server.ts";
import { startChild } from "./child.ts";
import { ALL_STRIKES, drawMisdeed, randomOf, scheduleStrikes } from "./inbox-schedule.ts";
import {
	INBOX_VARIABLE,
	type InboxReceiverSettings,
	nameOfStrike,
	ORDERS_HEADER,
	type Orders,
	type Strike,
} from "./inbox-settings.ts";
import { judgeInbox } from "./inbox-verdict.ts";
import type { ChaosCommand } from "./options.ts";
import { Random } from "./random.ts";
import { type ChaosReport, TRIES } from "./report.ts";
import { Watch } from "./watch.ts";

const RECEIVER = new URL("inbox-receiver.ts", import.meta.url);
/** The connections of each receiver's pool. With one, a handler that asks the pool waits for itself. */
const CONNECTIONS = [4, 1];
/** At once: more than the pools of the receivers and of PgBouncer hold. */
const CONCURRENCY = 16;

/** A receiver's process, which is started again once it is dead. */
class StrikingReceiver {
	readonly #settings: InboxReceiverSettings;
	readonly #onStrike: (name: string) => void;
	#child: ChildProcess | undefined;
	#url = "";
	#restarting: Promise<void> | undefined;
	starts = 0;

	constructor(settings: InboxReceiverSettings, onStrike: (name: string) => void) {
		this.#settings = settings;
		this.#onStrike = onStrike;
	}

	async start(): Promise<void> {
		const child = await startChild(RECEIVER, INBOX_VARIABLE, this.#settings);
		child.lines.on("line", this.#onStrike);
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
export async function runInboxChaos(isPooled: boolean, command: ChaosCommand): Promise<ChaosReport> {
	await using stack = new AsyncDisposableStack();
	const postgres = stack.use(await startPostgres());
	const url = isPooled ? stack.use(await startPgBouncer(postgres.url, "transaction")).url : postgres.url;
	const observer = stack.adopt(new pg.Pool({ connectionString: postgres.url }), (pool) => pool.end());
	await createInboxTables(observer);
	const { events, seed } = command;
	const strikes: Record<string, number> = {};
	const responses: Record<string, number> = {};
	const acknowledged = new Set<string>();
	const settings = { url, break: command.break };
	const receivers = CONNECTIONS.map(
		(connections) => new StrikingReceiver({ ...settings, connections }, (name) => add(strikes, name)),
	);
	stack.defer(() => {
		for (const receiver of receivers) receiver.end();
	});
	await Promise.all(receivers.map((receiver) => receiver.start()));
	const watch = stack.use(new Watch(() => ({ events: acknowledged.size, strikes: sum(strikes) })));
	const { over } = watch;
	const startedAt = performance.now();

	/** Delivers an event until it is acknowledged: to both receivers at once, so that both work on it. */
	async function deliver(at: number, strike?: Strike): Promise<void> {
		const eventId = idOf(at);
		const random = randomOf(seed, at);
		const target = random.pick(receivers);
		for (let attempt = 0; !over.aborted; attempt++) {
			const request = createWebhookRequest("inbound_message", { text: `a text of ${eventId}` }, { eventId });
			const sent = await Promise.all(
				receivers.map((receiver) =>
					receiver.send(request.clone(), {
						strike: attempt === 0 && receiver === target ? strike : undefined,
						misdeed: drawMisdeed(random),
					}),
				),
			);
			for (const outcome of sent) add(responses, outcome);
			if (sent.includes("200")) {
				acknowledged.add(eventId);
				return;
			}
			await sleep(30);
		}
	}

	let delivered = 0;
	async function deliverTo(end: number, strikeOf: (at: number) => Strike | undefined): Promise<void> {
		const deliverOthers = async (): Promise<void> => {
			while (delivered < end) {
				const at = delivered++;
				await deliver(at, strikeOf(at));
			}
		};
		await Promise.all(Array.from({ length: CONCURRENCY }, deliverOthers));
	}

	const schedule = scheduleStrikes(events, new Random(seed));
	await deliverTo(events, (at) => schedule.get(at));
	for (let tries = 0; tries < TRIES && !over.aborted; tries++) {
		const missing = ALL_STRIKES.filter((strike) => !strikes[nameOfStrike(strike)]);
		const first = delivered;
		await deliverTo(first + missing.length, (at) => missing[at - first]);
	}
	// A receiver that was stopped goes on, and repeats find the records.
	for (let at = 0; at < delivered; at += 7) await deliver(at);
	const counts = {
		seed: String(seed),
		seconds: Math.round((performance.now() - startedAt) / 1_000),
		"receivers started again": receivers.reduce((sum, receiver) => sum + receiver.starts - 1, 0),
		...Object.fromEntries(Object.entries(responses).map(([name, count]) => [`response: ${name}`, count])),
	};
	const ids = Array.from({ length: delivered }, (_, at) => idOf(at));
	const pending = ids.filter((eventId) => !acknowledged.has(eventId));
	const journal = {
		events: ids.map((eventId) => ({ eventId, isAcknowledged: acknowledged.has(eventId) })),
		...(await readTables(observer)),
	};
	const problems = watch.hasStalled
		? [watch.describeStall(`${pending.length} events are not acknowledged`)]
		: [];
	return { ...judgeInbox({ counts, strikes, problems, ...journal }), journal };
}

function idOf(at: number): string {
	return `evt_chaos_${at}`;
}

function add(counts: Record<string, number>, name: string): void {
	counts[name] = (counts[name] ?? 0) + 1;
}

function sum(counts: Readonly<Record<string, number>>): number {
	return Object.values(counts).reduce((all, count) => all + count, 0);
}

async function readTables(pool: pg.Pool): Promise<{ effects: string[]; records: string[] }> {
	const effects = await pool.query("SELECT event_id AS id FROM effects");
	const records = await pool.query(
		"SELECT substr(key, length('event:default:') + 1) AS id FROM messaging_gateway_records WHERE key LIKE 'event:default:%'",
	);
	const idsOf = ({ rows }: pg.QueryResult): string[] => rows.map(({ id }) => id);
	return { effects: idsOf(effects), records: idsOf(records) };
}
