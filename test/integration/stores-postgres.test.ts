import {
	type PostgresClient,
	postgresInbox,
	postgresSendStore,
	postgresSendTable,
	postgresStore,
	postgresTable,
} from "messaging-gateway/stores/postgres";
import { createWebhookRequest } from "messaging-gateway/testing";
import { ConfigurationError, createWebhookHandler } from "messaging-gateway/webhooks";
import { Pool } from "pg";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { catchError } from "../support/catch-error.ts";
import { acquire, LEASE_MS, RETENTION_MS } from "../support/claims.ts";
import { share } from "../support/shared/shared.ts";
import { takeTurns, testSentAgain, testSharedStore, watchTokens } from "./support/shared-store-suite.ts";
import { startSilentProxy } from "./support/silent-proxy.ts";
import { ageRows } from "./support/sql-records.ts";

let url: string;
let pools: [Pool, Pool];
let tables = 0;

beforeAll(async () => {
	({ url } = await share("postgres"));
	const createPool = () => new Pool({ connectionString: url }).on("error", () => undefined);
	pools = [createPool(), createPool()];
});

afterAll(async () => {
	for (const pool of pools) await pool.end();
});

/** A new table, used over two pools. */
async function createStores() {
	const table = `records_${tables++}`;
	const stores = pools.map((pool) => postgresStore(pool, { table }));
	await stores[0]?.createTable();
	const advance = async (ms: number) => {
		await pools[0].query(ageRows(ms, table));
	};
	const { store, largestToken } = watchTokens(takeTurns(stores));
	const readTime = "SELECT floor(extract(epoch FROM clock_timestamp()) * 1000) AS now";
	const loseRecords = async () => {
		await pools[0].query(`TRUNCATE ${table}`);
		// A token starts at the time.
		while (Number((await pools[0].query(readTime)).rows[0]?.now) <= largestToken());
	};
	return { table, store, advance, loseRecords };
}

testSharedStore(createStores);

test("createTable may run in many processes at once, and again", async () => {
	const stores = Array.from({ length: 8 }, (_, at) =>
		postgresStore(pools[at % 2 === 0 ? 0 : 1], { table: "many" }),
	);
	await Promise.all(stores.map((store) => store.createTable()));
	await Promise.all(stores.map((store) => store.createTable()));
	expect((await acquire(takeTurns(stores))).attempt).toBe(1);
});

describe("createTable where the table is there", () => {
	/** Each of the tables of this package, with what creates it in a migration. */
	const TABLES = [
		["of postgresStore", (client: Pool, table: string) => postgresStore(client, { table }), postgresTable],
		["of postgresInbox", (client: Pool, table: string) => postgresInbox(client, { table }), postgresTable],
		["of sends", (client: Pool, table: string) => postgresSendStore(client, { table }), postgresSendTable],
	] as const;

	test.each(TABLES)(
		"%s needs no right to create: a user may have none",
		async (_name, open, toStatements) => {
			const name = `owned_${tables++}`;
			const [admin] = pools;
			// Roles are those of the whole server, which other runs may share.
			const user = `${name}_${process.pid}`;
			await admin.query(
				`CREATE SCHEMA ${name}; CREATE ROLE ${user}; GRANT USAGE ON SCHEMA ${name} TO ${user}`,
			);
			onTestFinished(async () => void (await admin.query(`DROP OWNED BY ${user}; DROP ROLE ${user}`)));
			await using pool = openPool(`-c role=${user}`);
			const table = `${name}.records`;
			await expect(open(pool, table).createTable()).rejects.toThrow(
				`the database's user may not create the table ${table}: call createTable() as one with CREATE on its schema`,
			);
			await admin.query(toStatements(table));
			await open(pool, table).createTable();
		},
	);

	test("another schema's table of that name is not ours, and a missing index is created", async () => {
		const table = `owned_${tables++}`;
		const [admin] = pools;
		await admin.query(`CREATE SCHEMA ${table}_app; ${postgresTable(`public.${table}`)}`);
		await using pool = openPool(`-c search_path=${table}_app,public`);
		await postgresStore(pool, { table }).createTable();
		const indexes = "SELECT count(*)::int AS indexes FROM pg_indexes WHERE schemaname = $1";
		const [created] = (await admin.query(indexes, [`${table}_app`])).rows;
		expect(created.indexes).toBeGreaterThan(1);
		const [{ name }] = (
			await admin.query(
				"SELECT indexname AS name FROM pg_indexes WHERE schemaname = $1 AND indexname NOT LIKE '%pkey'",
				[`${table}_app`],
			)
		).rows;
		await admin.query(`DROP INDEX ${table}_app.${name}`);
		await postgresStore(pool, { table }).createTable();
		expect((await admin.query(indexes, [`${table}_app`])).rows).toEqual([created]);
	});

	test.each(TABLES)("%s needs no primary", async (_name, open, toStatements) => {
		const table = `owned_${tables++}`;
		await pools[0].query(toStatements(table));
		await using pool = openPool("-c default_transaction_read_only=on");
		await open(pool, table).createTable();
	});

	test.each(TABLES)("%s waits for a migration that creates it", async (_name, open, toStatements) => {
		const table = `owned_${tables++}`;
		const migration = await pools[0].connect();
		await migration.query(`BEGIN; ${toStatements(table)}`);
		const creating = open(pools[1], table).createTable();
		const waiting = "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE $1";
		await expect.poll(async () => (await pools[0].query(waiting, [`%'${table}'%`])).rowCount).toBe(1);
		await migration.query("COMMIT");
		migration.release();
		await creating;
		await pools[0].query(`SELECT FROM ${table}`);
	});

	/** A pool whose sessions have these options, and which ends with its scope. */
	function openPool(options: string): Pool & AsyncDisposable {
		const pool = new Pool({ connectionString: url, options });
		return Object.assign(pool, { [Symbol.asyncDispose]: () => pool.end() });
	}
});

test("a table in a schema, made by a migration, does as well", async () => {
	await pools[0].query("CREATE SCHEMA app");
	await pools[0].query(postgresTable("app.webhook_records"));
	const store = postgresStore(pools[0], { table: "app.webhook_records" });
	await store.createTable();
	const { token } = await acquire(store);
	expect(await store.complete("default:evt_1", token, RETENTION_MS)).toBe(true);
	const { rows } = await pools[0].query("SELECT key, state, token, attempt FROM app.webhook_records");
	expect(rows).toEqual([{ key: "event:default:evt_1", state: "done", token: String(token), attempt: 1 }]);
});

test("a finished event leaves the indexed end of its row alone, so that no index is written", async () => {
	const { table, store } = await createStores();
	const readEnds = async () =>
		(
			await pools[0].query(`SELECT state, expires_at FROM ${table} WHERE key = 'event:default:evt_1'`)
		).rows.map(({ state, expires_at }) => [state, Number(expires_at)]);
	let whileHeld: unknown[][] = [];
	const webhooks = createWebhookHandler({
		secret: "local-webhook-secret",
		store,
		on: {
			inbound_message: async () => {
				whileHeld = await readEnds();
			},
			unknown: () => undefined,
		},
	});
	const request = createWebhookRequest("inbound_message", {}, { eventId: "evt_1" });
	expect((await webhooks.fetch(request)).status).toBe(200);
	expect(whileHeld).toEqual([["held", expect.any(Number)]]);
	expect(await readEnds()).toEqual([["done", whileHeld[0]?.[1]]]);
});

test("a delivery costs two statements, a repeat of what is done one, and one in flight two", async () => {
	const { table } = await createStores();
	const texts: string[] = [];
	const store = postgresStore(
		{
			query(text, values) {
				texts.push(text);
				return pools[0].query(text, values);
			},
		},
		{ table },
	);
	const statuses: number[] = [];
	const webhooks = createWebhookHandler({
		secret: "local-webhook-secret",
		store,
		on: {
			async inbound_message() {
				const count = texts.length;
				statuses.push((await deliver()).status, texts.length - count);
			},
			unknown: () => undefined,
		},
	});
	const deliver = () => webhooks.fetch(createWebhookRequest("inbound_message", {}, { eventId: "evt_1" }));
	expect((await deliver()).status).toBe(200);
	expect([statuses, texts.length]).toEqual([[503, 2], 4]);
	expect((await deliver()).status).toBe(200);
	expect(texts.length).toBe(5);
});

test("what a client sends again finds its own", async () => {
	const { table } = await createStores();
	const sendTwice: PostgresClient = {
		async query(text, values) {
			await pools[0].query(text, values);
			return pools[1].query(text, values);
		},
	};
	await testSentAgain(postgresStore(sendTwice, { table }));
});

test("an event that was held for longer is kept for its whole retention from its end", async () => {
	const { table, store } = await createStores();
	const { token } = await acquire(store);
	const readEnd = async () =>
		Number((await pools[0].query(`SELECT expires_at FROM ${table}`)).rows[0]?.expires_at);
	const claimed = await readEnd();
	expect(await store.complete("default:evt_1", token, 2 * RETENTION_MS)).toBe(true);
	expect((await readEnd()) - claimed).toBeGreaterThanOrEqual(RETENTION_MS);
});

describe("names of statements", () => {
	/** A pool of one connection, and the statements that its server knows by a name of ours. */
	function openPool() {
		const pool = new Pool({ connectionString: url, max: 1 });
		onTestFinished(() => pool.end());
		const listTexts = async () => {
			const { rows } = await pool.query(
				"SELECT statement FROM pg_prepared_statements WHERE name LIKE 'messaging_gateway_%'",
			);
			return rows.map(({ statement }) => String(statement));
		};
		return { pool, listTexts };
	}

	async function createTable() {
		const table = `records_${tables++}`;
		await postgresStore(pools[0], { table }).createTable();
		return table;
	}

	test("are there with a Pool of pg: each statement is prepared once, and each table has its own", async () => {
		const { pool, listTexts } = openPool();
		const names = [await createTable(), await createTable()];
		for (const table of names) {
			const store = postgresStore(pool, { table });
			const { token } = await acquire(store);
			expect(await store.extend("default:evt_1", token, LEASE_MS)).toBe(true);
			expect(await store.extend("default:evt_1", token, LEASE_MS)).toBe(true);
		}
		const texts = await listTexts();
		expect(names.map((table) => texts.filter((text) => text.includes(`${table} `)).length)).toEqual([2, 2]);
	});

	test("are absent where query is somebody else's, which may know strings alone", async () => {
		class OwnPool extends Pool {}
		const { pool } = openPool();
		const table = await createTable();
		const seen: unknown[] = [];
		const watch = (text: string, values: (string | number)[]) => {
			seen.push(typeof text);
			return pool.query(text, values);
		};
		const own = new OwnPool();
		Object.assign(own, { query: watch });
		for (const client of [{ query: watch }, own]) {
			const store = postgresStore(client, { table });
			const { token } = await acquire(store);
			await store.release("default:evt_1", token);
		}
		expect(seen).toEqual(["string", "string", "string", "string"]);
	});

	test("are given up when a server does not know them, as behind a pooler that changes servers", async () => {
		const { pool, listTexts } = openPool();
		const store = postgresStore(pool, { table: await createTable() });
		const { token } = await acquire(store);
		await store.release("default:evt_1", token);
		await pool.query("DEALLOCATE ALL");
		expect((await acquire(store)).attempt).toBe(2);
		expect(await store.remember("app:1", LEASE_MS)).toBe(true);
		expect(await listTexts()).toEqual([]);
	});
});

test("without its table a store reports how to create it", async () => {
	const store = postgresStore(pools[0], { table: "nowhere" });
	await expect(acquire(store)).rejects.toThrow(
		"the table nowhere is missing. Call createTable() once, run the SQL of postgresTable(), or pass createIfMissing: true",
	);
});

describe("createIfMissing", () => {
	test("creates the table for whoever finds it missing, once for many claims at a time", async () => {
		const options = { table: `records_${tables++}`, createIfMissing: true };
		const stores = Array.from({ length: 8 }, (_, at) => postgresStore(pools[at % 2 === 0 ? 0 : 1], options));
		const claims = await Promise.all(
			stores.map((store) => store.claim("default:evt_1", { leaseMs: LEASE_MS, retentionMs: RETENTION_MS })),
		);
		expect(claims.map(({ status }) => status).toSorted()).toEqual([
			"acquired",
			...Array.from({ length: 7 }, () => "in_flight"),
		]);
	});

	test("asks for nothing where the table is there", async () => {
		const query = vi.fn<PostgresClient["query"]>((...given) => pools[0].query(...given));
		await acquire(postgresStore({ query }, { table: (await createStores()).table, createIfMissing: true }));
		expect(query.mock.calls.filter(([text]) => text.includes("CREATE"))).toEqual([]);
	});

	test("reports a user who may not create it, and tries again at the next delivery", async () => {
		const [admin] = pools;
		const schema = `records_${tables++}`;
		const table = `${schema}.records`;
		const user = `${schema}_${process.pid}`;
		await admin.query(
			`CREATE SCHEMA ${schema}; CREATE ROLE ${user}; GRANT USAGE ON SCHEMA ${schema} TO ${user}`,
		);
		onTestFinished(async () => void (await admin.query(`DROP OWNED BY ${user}; DROP ROLE ${user}`)));
		const pool = new Pool({ connectionString: url, options: `-c role=${user}` });
		onTestFinished(() => pool.end());
		const secret = "webhook-secret";
		const hints: string[] = [];
		const webhooks = createWebhookHandler({
			secret,
			store: postgresStore(pool, { table, createIfMissing: true }),
			on: { unknown: () => undefined },
			onError: (_error, { hint }) => hints.push(hint),
		});
		const deliver = async () => (await webhooks.fetch(createWebhookRequest("status", {}, { secret }))).status;
		const problem = `the database's user may not create the table ${table}`;
		await expect(webhooks.ready()).rejects.toThrow(problem);
		expect([await deliver(), await deliver()]).toEqual([503, 503]);
		const hint = expect.stringContaining(problem);
		expect(hints).toEqual([hint, hint]);
		await admin.query(`GRANT CREATE ON SCHEMA ${schema} TO ${user}`);
		await webhooks.ready();
		expect(await deliver()).toBe(200);
	});

	test("creates the table of sends, and none within a transaction of yours", async () => {
		const store = postgresSendStore(pools[0], { table: `sends_${tables++}`, createIfMissing: true });
		const row = { id: "1", state: "open", data: "{}" } as const;
		await expect(store.inTransaction(pools[0]).insert("a", row)).rejects.toThrow("Call createTable()");
		expect(await store.insert("a", row)).toBe(true);
	});
});

test("a connection that is dead without a sign is given up after the pool's query_timeout", async () => {
	await using proxy = await startSilentProxy((await share("postgres")).url);
	const pool = new Pool({ connectionString: proxy.url, max: 1, query_timeout: 50 });
	pool.on("error", () => undefined);
	const store = postgresStore(pool);
	(await pool.connect()).release();
	proxy.silence();
	await expect(acquire(store)).rejects.toThrow("Query read timeout");
	await expect.poll(() => pool.query("SELECT 1").then(({ rowCount }) => rowCount, String)).toBe(1);
	await pool.end();
});

test("rows that are over are removed after one write in 50, by chance, and what lives stays", async () => {
	const random = vi.spyOn(Math, "random").mockReturnValue(1 / 50);
	onTestFinished(() => random.mockRestore());
	const { table, store, advance } = await createStores();
	const keys = async () =>
		(await pools[0].query<{ key: string }>(`SELECT key FROM ${table} ORDER BY key`)).rows.map(
			({ key }) => key,
		);
	await acquire(store, "held");
	for (let at = 0; at < 30; at++) await store.remember(`early ${at}`, LEASE_MS / 2);
	await advance(LEASE_MS / 2);
	for (let at = 0; at < 60; at++) await store.remember(`late ${at}`, RETENTION_MS);
	expect((await keys()).length).toBe(91);
	// The first write of a process, which may end after it.
	random.mockReturnValueOnce(1 / 50 - Number.EPSILON);
	await postgresStore(pools[0], { table }).remember("last", RETENTION_MS);
	await expect.poll(async () => (await keys()).filter((key) => key.includes("early"))).toEqual([]);
	expect((await keys()).length).toBe(62);
	expect(await keys()).toContain("event:held");
});

test("one sweep removes 500 rows at most, and two at once do not wait for each other", async () => {
	const { table } = await createStores();
	await pools[0].query(
		`INSERT INTO ${table} (key, state, expires_at) SELECT 'old ' || at, 'seen', 1 FROM generate_series(1, 1200) AS at`,
	);
	const [first, second] = pools.map((pool) => postgresStore(pool, { table }));
	const removed = await Promise.all([first?.sweep(), second?.sweep()]);
	expect(removed).toEqual([500, 500]);
	expect([await first?.sweep(), await first?.sweep()]).toEqual([200, 0]);
});

test("a sweep that fails does not fail what was written", async () => {
	const { table } = await createStores();
	const client: PostgresClient = {
		query: (sql, values) =>
			/DELETE/.test(sql) ? Promise.reject(new Error("no")) : pools[0].query(sql, values),
	};
	const random = vi.spyOn(Math, "random").mockReturnValue(0);
	onTestFinished(() => random.mockRestore());
	const store = postgresStore(client, { table });
	expect(await store.remember("nonce", LEASE_MS)).toBe(true);
});

test.each(["", "Records", "a.b.c", "a b", "a;drop table b", 'a"', "a'", "1a", "x".repeat(41)])(
	"the table %j is a configuration error",
	(table) => {
		expect(catchError(() => postgresStore(pools[0], { table }))).toBeInstanceOf(ConfigurationError);
		expect(catchError(() => postgresTable(table))).toBeInstanceOf(ConfigurationError);
	},
);

test.each([
	[{ timeoutMs: 50 }, '"timeoutMs" of postgresStore: set storeTimeoutMs of the handler'],
	[{ namedStatements: false }, '"namedStatements" of postgresStore: a Pool of pg gets named statements'],
	[{ tableName: "a" }, '"tableName" of postgresStore: remove it, or use table'],
])("%j is a configuration error", (options, message) => {
	const error = catchError(() => postgresStore(pools[0], options as object));
	expect(error).toBeInstanceOf(ConfigurationError);
	expect(error).toHaveProperty("message", expect.stringContaining(message));
});
