/** A process that receives webhooks in transactions and stops or kills itself where it is told to. It prints its port. */
import { AsyncLocalStorage } from "node:async_hooks";
import { once } from "node:events";
import { writeSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { postgresInbox } from "messaging-gateway/stores/postgres";
import { createWebhookHandler } from "messaging-gateway/webhooks";
import { toNode } from "messaging-gateway/webhooks/node";
import pg from "pg";
import { WatchedPool } from "../support/inbox.ts";
import {
	INBOX_VARIABLE,
	type InboxReceiverSettings,
	type Misdeed,
	nameOfStrike,
	ORDERS_HEADER,
	type Orders,
	STATEMENTS,
	type Strike,
} from "./inbox-settings.ts";

process.stdin.on("close", () => process.exit()).resume();

const settings = JSON.parse(process.env[INBOX_VARIABLE] ?? "") as InboxReceiverSettings;
const max = settings.connections;
const pool = new WatchedPool(settings.url, { max, application_name: "inbox-receiver" });
/** For a handler that is broken on purpose: it writes past its transaction. */
const aside = new pg.Pool({ connectionString: settings.url, max: 4 });
aside.on("error", () => undefined);
const STORE_TIMEOUT_MS = 1_000;
/** What a handler is to do, where its delivery says so. */
const misdeeds = new AsyncLocalStorage<Misdeed | undefined>();
/** In the order in which they came; each waits for its statement. */
const due: Strike[] = [];

function strike(struck: Strike, client: pg.PoolClient): void {
	const { kind } = struck;
	// At once: the process may end right after it.
	writeSync(process.stdout.fd, `${nameOfStrike(struck)}\n`);
	const cut = (): void => Reflect.get(Object(client), "connection").stream.destroy();
	if (kind === "kill") process.kill(process.pid, "SIGKILL");
	if (kind === "stop") process.kill(process.pid, "SIGSTOP");
	if (kind === "cut") cut();
	// The statement is sent, and its response is lost.
	if (kind === "cut late") setImmediate(cut);
	if (kind === "full pool") void takePool();
}

/** Takes every connection of the pool, for longer than the inbox waits for one. */
async function takePool(): Promise<void> {
	const taken = await Promise.all(Array.from({ length: max }, () => pool.connect().catch(() => undefined)));
	for (const client of taken) client?.on("error", () => undefined);
	await sleep(1.5 * STORE_TIMEOUT_MS);
	for (const client of taken) client?.release(true);
}

pool.beforeEach = (text, client) => {
	const at = due.findIndex(({ before }) => text.includes(STATEMENTS[before]));
	const [struck] = at < 0 ? [] : due.splice(at, 1);
	if (struck !== undefined) strike(struck, client);
	if (settings.break === "blind")
		return text.replace("WHERE record.expires_at", "WHERE true OR record.expires_at");
	return text;
};

/** Writes the effect, without a fencing check: each run adds a row. */
async function write(eventId: string, transaction: pg.ClientBase): Promise<void> {
	const insert = "INSERT INTO effects VALUES ($1)";
	if (settings.break === "apart") await aside.query(insert, [eventId]);
	else if (settings.break === "later") {
		void sleep(200)
			.then(() => aside.query(insert, [eventId]))
			.catch(() => undefined);
	} else await transaction.query(insert, [eventId]);
}

const webhooks = createWebhookHandler({
	secret: "local-webhook-secret",
	inbox: postgresInbox(pool),
	maxHandlerMs: 1_000,
	storeTimeoutMs: STORE_TIMEOUT_MS,
	onError: () => undefined,
	on: {
		inbound_message: async ({ eventId }, { transaction }) => {
			const misdeed = misdeeds.getStore();
			const run = async (statement: string) => await transaction.query(statement);
			// If it were sent, the record would be committed before the effect.
			if (misdeed === "commit") await run("COMMIT").catch(() => undefined);
			await write(eventId, transaction);
			if (misdeed === "fail") throw new Error("it fails, as it should");
			if (misdeed === "swallow") await run("SELECT 1 / 0").catch(() => undefined);
			if (misdeed === "hidden commit") await run("SELECT 1; COMMIT");
			// If all connections are taken, it waits for itself.
			if (misdeed === "ask the pool") await pool.query("SELECT 1");
		},
		unknown: () => undefined,
	},
});
const handle = toNode(webhooks);
const server = createServer((request, response) => {
	const header = request.headers[ORDERS_HEADER];
	const orders = JSON.parse(typeof header === "string" ? header : "{}") as Orders;
	if (orders.strike !== undefined) due.push(orders.strike);
	misdeeds.run(orders.misdeed, () => handle(request, response));
});
server.listen(0, "127.0.0.1");
await once(server, "listening");
console.log((server.address() as AddressInfo).port);
