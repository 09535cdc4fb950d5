/** A process that receives webhooks in transactions and stops or kills itself where it is told to. It prints its port. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { postgresInbox } from "messaging-gateway/stores/postgres";
import { createWebhookHandler } from "messaging-gateway/webhooks";
import { toNode } from "messaging-gateway/webhooks/node";
import type pg from "pg";
import { WatchedPool } from "../support/inbox.ts";
import { INBOX_VARIABLE, type InboxReceiverSettings, STRIKE_HEADER, type Strike } from "./inbox-settings.ts";

process.stdin.on("close", () => process.exit()).resume();

const settings = JSON.parse(process.env[INBOX_VARIABLE] ?? "") as InboxReceiverSettings;
const pool = new WatchedPool(settings.url, { max: 4, application_name: "inbox-receiver" });
/** The strike that is due, and how many statements come before it. */
let due: { strike: Strike; left: number } | undefined;

function strike(kind: Strike["kind"], client: pg.PoolClient): void {
	if (kind === "kill") process.kill(process.pid, "SIGKILL");
	if (kind === "stop") process.kill(process.pid, "SIGSTOP");
	if (kind === "cut") Reflect.get(Object(client), "connection").stream.destroy();
	// The statement is sent, and its response is lost.
	if (kind === "cut late") setImmediate(() => Reflect.get(Object(client), "connection").stream.destroy());
}

pool.beforeEach = (text, client) => {
	if (due === undefined || due.left-- > 0) return text;
	const { kind } = due.strike;
	due = undefined;
	strike(kind, client);
	return text;
};

const webhooks = createWebhookHandler({
	secret: settings.secret,
	inbox: postgresInbox(pool),
	maxHandlerMs: settings.maxHandlerMs,
	storeTimeoutMs: 1_000,
	on: {
		// Without a fencing check: each run adds a row.
		inbound_message: async ({ eventId }, { transaction }) => {
			await transaction.query("INSERT INTO effects VALUES ($1)", [eventId]);
			const fault = Math.random();
			if (fault < 0.05) throw new Error("it fails, as it should");
			if (fault < 0.1) await transaction.query("SELECT 1 / 0").catch(() => undefined);
			if (fault < 0.13) await transaction.query("COMMIT");
		},
		unknown: () => undefined,
	},
});
const handle = toNode(webhooks);
const server = createServer((request, response) => {
	const header = request.headers[STRIKE_HEADER];
	if (typeof header === "string") {
		const given = JSON.parse(header) as Strike;
		due = { strike: given, left: given.before };
	}
	handle(request, response);
});
server.listen(0, "127.0.0.1");
await once(server, "listening");
console.log((server.address() as AddressInfo).port);
