import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { createWebhookRequest } from "messaging-gateway/testing";
import pg from "pg";
import { createInboxTables } from "../support/inbox.ts";
import { WAIT_MS } from "../support/patience.ts";
import { startPgBouncer } from "../support/servers/pgbouncer-server.ts";
import { startPostgres } from "../support/servers/postgres-server.ts";
import { dyingWithParent } from "../support/servers/server-process.ts";
import { INBOX_VARIABLE, type InboxReceiverSettings, STRIKE_HEADER, type Strike } from "./inbox-settings.ts";

const RECEIVER = fileURLToPath(new URL("inbox-receiver.ts", import.meta.url));
const SECRET = "local-webhook-secret";
const KINDS: readonly Strike["kind"][] = ["kill", "stop", "cut", "cut late"];
/** One more than an event has: BEGIN, lock, record, savepoint, effect, check, COMMIT, and one for the binding. */
const STATEMENTS = 8;
/** At once: more than the pools of the receivers and of PgBouncer hold. */
const CONCURRENCY = 16;

/** What a run came to. */
export interface InboxChaosReport {
	readonly counts: Readonly<Record<string, number>>;
	/** Responses by status and code. */
	readonly responses: Readonly<Record<string, number>>;
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
		const command = [process.execPath, "--conditions=@messaging-gateway/source", RECEIVER];
		const [file = process.execPath, ...args] = dyingWithParent("SIGKILL", command);
		const child = spawn(file, args, {
			env: { ...process.env, [INBOX_VARIABLE]: JSON.stringify(this.#settings) },
			stdio: ["pipe", "pipe", "inherit"],
		});
		const [port] = await once(createInterface(child.stdout), "line");
		this.#child = child;
		this.#url = `http://127.0.0.1:${port}/`;
		this.starts++;
	}

	/** Delivers, perhaps with a strike. @returns the response in one line; `none` if there is none. */
	async send(request: Request, strike: Strike | undefined): Promise<string> {
		const headers = new Headers(request.headers);
		if (strike) headers.set(STRIKE_HEADER, JSON.stringify(strike));
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
export async function runInboxChaos(options: {
	events: number;
	isPooled: boolean;
}): Promise<InboxChaosReport> {
	await using stack = new AsyncDisposableStack();
	const postgres = stack.use(await startPostgres());
	const url = options.isPooled
		? stack.use(await startPgBouncer(postgres.url, "transaction")).url
		: postgres.url;
	const observer = stack.adopt(new pg.Pool({ connectionString: postgres.url }), (pool) => pool.end());
	await createInboxTables(observer);
	const receivers = [0, 1].map(() => new StrikingReceiver({ url, secret: SECRET, maxHandlerMs: 1_000 }));
	stack.defer(() => {
		for (const receiver of receivers) receiver.end();
	});
	await Promise.all(receivers.map((receiver) => receiver.start()));
	const responses: Record<string, number> = {};
	let strikes = 0;
	let unfinished = 0;

	async function deliver(at: number): Promise<void> {
		const eventId = `evt_chaos_${at}`;
		const deadline = Date.now() + 4 * WAIT_MS;
		for (let attempt = 0; Date.now() < deadline; attempt++) {
			const text = `a text of ${eventId}`;
			const request = createWebhookRequest("inbound_message", { text }, { eventId });
			const isStruck = attempt === 0 && at % 3 === 0;
			const strike: Strike | undefined = isStruck
				? { kind: KINDS[(at / 3) % KINDS.length] ?? "kill", before: Math.floor(at / 12) % STATEMENTS }
				: undefined;
			if (strike) strikes++;
			// Both receivers work on one event.
			const sent = await Promise.all(
				receivers.map((receiver, worker) =>
					receiver.send(request.clone(), worker === at % 2 ? strike : undefined),
				),
			);
			for (const outcome of sent) responses[outcome] = (responses[outcome] ?? 0) + 1;
			if (sent.includes("200")) return;
			await sleep(30);
		}
		unfinished++;
	}

	let next = 0;
	await Promise.all(
		Array.from({ length: CONCURRENCY }, async () => {
			while (next < options.events) await deliver(next++);
		}),
	);
	// A receiver that was stopped goes on, and repeats find the records.
	for (let at = 0; at < options.events; at += 7) await deliver(at);
	const { rows } = await observer.query(
		`SELECT count(*) FILTER (WHERE n = 0) AS lost, count(*) FILTER (WHERE n > 1) AS doubled, sum(n) AS effects FROM (
			SELECT (SELECT count(*) FROM effects WHERE event_id = 'evt_chaos_' || at) AS n
			FROM generate_series(0, $1::int - 1) AS at
		) AS counted`,
		[options.events],
	);
	const starts = receivers.reduce((sum, receiver) => sum + receiver.starts, 0);
	return {
		responses,
		counts: {
			events: options.events,
			strikes,
			kills: starts - receivers.length,
			unfinished,
			effects: Number(rows[0]?.effects),
			lost: Number(rows[0]?.lost),
			doubled: Number(rows[0]?.doubled),
		},
	};
}
