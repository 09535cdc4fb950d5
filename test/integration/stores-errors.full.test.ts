import { Redis } from "ioredis";
import { MessagingGateway } from "messaging-gateway";
import { createSender } from "messaging-gateway/sends";
import {
	type PostgresClient,
	postgresInbox,
	postgresSendStore,
	postgresStore,
} from "messaging-gateway/stores/postgres";
import { fromIoredis, fromNodeRedis, redisStore } from "messaging-gateway/stores/redis";
import { createWebhookRequest } from "messaging-gateway/testing";
import { createWebhookHandler, type EventStore } from "messaging-gateway/webhooks";
import pg from "pg";
import { createClient } from "redis";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { catchRejection } from "../support/catch-error.ts";
import { type PostgresServer, startPostgres } from "../support/servers/postgres-server.ts";
import { startRedis } from "../support/servers/redis-server.ts";
import { share } from "../support/shared/shared.ts";

const EVENTS = 400;
const AT_ONCE = 40;
/** Claims of some events meet the ends of others. */
const HANDLER_MS = 5;

let url: string;
let admin: pg.Pool;

beforeAll(async () => {
	({ url } = await share("postgres"));
	admin = new pg.Pool({ connectionString: url, max: 2 });
});

afterAll(() => admin.end());

function openPool(connectionString: string, config: pg.PoolConfig = {}): pg.Pool {
	const pool = new pg.Pool({ connectionString, ...config }).on("error", () => undefined);
	onTestFinished(() => pool.end());
	return pool;
}

/** A receiver, and how it responds. */
function createReceiver(records: { store: EventStore } | { inbox: ReturnType<typeof postgresInbox> }) {
	const handle = vi.fn(() => new Promise((resolve) => setTimeout(resolve, HANDLER_MS)));
	const hints: string[] = [];
	const settings = {
		secret: "local-webhook-secret",
		on: { status: handle, unknown: () => undefined },
		onError: (_error: unknown, { hint }: { hint: string }) => void hints.push(hint),
	};
	const webhooks =
		"store" in records
			? createWebhookHandler({ ...settings, store: records.store })
			: createWebhookHandler({ ...settings, inbox: records.inbox });
	const deliver = async (eventId: string) =>
		(await webhooks.fetch(createWebhookRequest("status", { messageId: eventId }, { eventId }))).status;
	return { handle, hints, deliver };
}

describe("a database whose default is serializable", () => {
	// One of its own, whose commits take their time: the shared one is too quick for many rejections.
	let server: PostgresServer;

	beforeAll(async () => {
		server = await startPostgres();
		const operator = new pg.Client({ connectionString: server.url });
		await operator.connect();
		await operator.query("ALTER DATABASE postgres SET default_transaction_isolation = 'serializable'");
		await operator.end();
		const pool = new pg.Pool({ connectionString: server.url });
		await postgresStore(pool).createTable();
		await postgresSendStore(pool).createTable();
		await pool.end();
	});

	afterAll(() => server[Symbol.asyncDispose]());

	/** Delivers different events, so many at a time. @returns how many got each status. */
	async function deliverAll(deliver: (eventId: string) => Promise<number>): Promise<Record<number, number>> {
		const prefix = crypto.randomUUID();
		const counts: Record<number, number> = {};
		let next = 0;
		async function work(): Promise<void> {
			while (next < EVENTS) {
				const status = await deliver(`${prefix}_${next++}`);
				counts[status] = (counts[status] ?? 0) + 1;
			}
		}
		await Promise.all(Array.from({ length: AT_ONCE }, work));
		return counts;
	}

	test("processes 400 different events, 40 at a time, each once: its rejections are tried again", async () => {
		const pool = openPool(server.url, { max: AT_ONCE });
		let rejected = 0;
		const counted: PostgresClient = {
			query: (text, values) =>
				pool.query(text, values).catch((error: unknown) => {
					if (Reflect.get(Object(error), "code") === "40001") rejected++;
					throw error;
				}),
		};
		const { handle, hints, deliver } = createReceiver({ store: postgresStore(counted) });
		expect([await deliverAll(deliver), hints]).toEqual([{ 200: EVENTS }, []]);
		expect(handle).toHaveBeenCalledTimes(EVENTS);
		// About twice as many as there are events.
		expect(rejected).toBeGreaterThan(0);
	});

	test("does so with the statements of a Pool, which have names, and in an inbox", async () => {
		for (const records of [
			{ store: postgresStore(openPool(server.url, { max: 20 })) },
			{ inbox: postgresInbox(openPool(server.url, { max: AT_ONCE })) },
		]) {
			const { handle, hints, deliver } = createReceiver(records);
			expect([await deliverAll(deliver), hints]).toEqual([{ 200: EVENTS }, []]);
			expect(handle).toHaveBeenCalledTimes(EVENTS);
		}
	});

	test("rejects a send's intent within the application's transaction, which sees the 40001 and begins again", async () => {
		const pool = openPool(server.url);
		const gateway = new MessagingGateway({
			baseUrl: "https://gateway.example",
			appId: "app-1",
			appSecret: "secret",
		});
		const store = postgresSendStore(pool);
		const sender = createSender({ gateway, store, digestSecret: "a secret" });
		const client = await pool.connect();
		onTestFinished(() => client.release());
		const texts: string[] = [];
		const watched: PostgresClient = {
			query(text, values) {
				texts.push(text);
				return client.query(text, values);
			},
		};
		const key = `order-${crypto.randomUUID()}`;
		const prepare = () =>
			sender.prepare(key, { to: "+15551234567", text: "Once" }, { store: store.inTransaction(watched) });

		await client.query("BEGIN");
		// Its snapshot is older than the other one's intent.
		await client.query("SELECT count(*) FROM messaging_gateway_sends");
		await sender.prepare(key, { to: "+15551234567", text: "Once" });
		const error = await catchRejection(prepare());
		expect(error).toMatchObject({ code: "store_failed", cause: { code: "40001" } });
		expect(texts.map((text) => text.trim().split(" ")[0])).toEqual(["SELECT", "INSERT"]);
		await expect(client.query("SELECT 1")).rejects.toMatchObject({ code: "25P02" });
		await client.query("ROLLBACK");

		await client.query("BEGIN");
		await prepare();
		await client.query("COMMIT");
		expect(await store.read(key)).toMatchObject({ row: { version: 1 } });
	});
});

/** Appends the comment of a trace to each statement, as instrumentations do; the comment is another one each time. */
class TracedClient extends pg.Client {
	constructor(config?: pg.ClientConfig) {
		super(config);
		const query = this.query.bind(this) as (...given: unknown[]) => unknown;
		const traced = (first: unknown, ...rest: unknown[]) => {
			const comment = `/*traceparent='00-${crypto.randomUUID()}-01'*/`;
			const withComment =
				typeof first === "string"
					? `${first} ${comment}`
					: Object.assign(Object.create(Object.getPrototypeOf(first)), first, {
							text: `${Reflect.get(Object(first), "text")} ${comment}`,
						});
			return query(withComment, ...rest);
		};
		Object.assign(this, { query: traced });
	}
}

test("behind an instrumentation that appends comments to statements every delivery is processed", async () => {
	const pool = openPool(url, { max: 2, Client: TracedClient });
	const store = postgresStore(pool, { table: "traced" });
	await store.createTable();
	const { handle, hints, deliver } = createReceiver({ store });
	const statuses: number[] = [];
	for (let at = 0; at < 20; at++) statuses.push(await deliver(`evt_${at}`));
	expect([statuses, hints]).toEqual([Array(20).fill(200), []]);
	expect(handle).toHaveBeenCalledTimes(20);
});

describe("a database that takes no writes is 503, and the hint names the fix", () => {
	test("of a user without rights", async () => {
		await postgresStore(admin, { table: "locked" }).createTable();
		await admin.query("CREATE ROLE reader LOGIN");
		await admin.query("GRANT SELECT ON locked TO reader");
		const asReader = new URL(url);
		asReader.username = "reader";
		const { hints, deliver } = createReceiver({
			store: postgresStore(openPool(asReader.href), { table: "locked" }),
		});
		expect(await deliver("evt_1")).toBe(503);
		expect(hints).toEqual([
			expect.stringContaining("the database's user may not write to locked: grant it SELECT, INSERT"),
		]);
		await admin.query("GRANT INSERT, UPDATE, DELETE ON locked TO reader");
		expect(await deliver("evt_1")).toBe(200);
	});

	test("of a user who may not use the schema", async () => {
		await admin.query("CREATE SCHEMA closed; CREATE ROLE outsider LOGIN");
		await postgresStore(admin, { table: "closed.records" }).createTable();
		const asOutsider = new URL(url);
		asOutsider.username = "outsider";
		const { hints, deliver } = createReceiver({
			store: postgresStore(openPool(asOutsider.href), { table: "closed.records" }),
		});
		expect(await deliver("evt_1")).toBe(503);
		expect(hints).toEqual([
			expect.stringContaining("the database's user may not write to closed.records: grant it SELECT, INSERT"),
		]);
	});

	test("with a table of something else under the name", async () => {
		await admin.query("CREATE TABLE foreign_records (key text PRIMARY KEY, note text)");
		const store = postgresStore(openPool(url), { table: "foreign_records", createIfMissing: true });
		const { hints, deliver } = createReceiver({ store });
		expect(await deliver("evt_1")).toBe(503);
		expect(hints).toEqual([expect.stringContaining("the table foreign_records lacks a column")]);
	});

	test("whose pool's only connection a handler holds", async () => {
		const pool = openPool(url, { max: 1, connectionTimeoutMillis: 200 });
		const store = postgresStore(pool, { table: "held" });
		await store.createTable();
		const { hints, deliver } = createReceiver({ store });
		const held = await pool.connect();
		expect(await deliver("evt_1")).toBe(503);
		expect(hints).toEqual([
			expect.stringContaining("its Pool gave no connection in time: give the store a Pool of its own"),
		]);
		held.release();
		expect(await deliver("evt_1")).toBe(200);
	});

	test("that is read-only", async () => {
		await postgresStore(admin, { table: "standby" }).createTable();
		const pool = openPool(url, { options: "-c default_transaction_read_only=on" });
		const { hints, deliver } = createReceiver({ store: postgresStore(pool, { table: "standby" }) });
		expect(await deliver("evt_1")).toBe(503);
		expect(hints).toEqual([
			expect.stringContaining("the database is read-only: connect to the primary, for example with"),
		]);
	});
});

describe("a Redis", () => {
	test.each(["redis", "ioredis"])("that became a replica is 503 with a sentence, over %s", async (name) => {
		await using server = await startRedis();
		const operator = new Redis(server.url);
		const ofIoredis = new Redis(server.url);
		const ofNodeRedis = createClient({ url: server.url }).on("error", () => undefined);
		await ofNodeRedis.connect();
		onTestFinished(() => {
			for (const client of [operator, ofIoredis]) client.disconnect();
			ofNodeRedis.destroy();
		});
		const store = redisStore(name === "redis" ? fromNodeRedis(ofNodeRedis) : fromIoredis(ofIoredis));
		const { hints, deliver } = createReceiver({ store });
		expect(await deliver("evt_1")).toBe(200);
		await operator.replicaof("127.0.0.1", 1);
		expect(await deliver("evt_2")).toBe(503);
		expect(hints).toEqual([
			expect.stringContaining("Redis is a replica, which takes no writes: connect to the primary"),
		]);
		await operator.replicaof("NO", "ONE");
		expect(await deliver("evt_2")).toBe(200);
	});

	test("without memory is 503 with a sentence", async () => {
		await using server = await startRedis();
		const client = new Redis(server.url);
		onTestFinished(() => client.disconnect());
		const { hints, deliver } = createReceiver({ store: redisStore(fromIoredis(client)) });
		expect(await deliver("evt_1")).toBe(200);
		await client.config("SET", "maxmemory", "1mb");
		expect(await deliver("evt_2")).toBe(503);
		expect(hints).toEqual([expect.stringContaining("Redis is out of memory: raise maxmemory")]);
	});
});
