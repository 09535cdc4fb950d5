import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { MessagingGateway } from "messaging-gateway";
import { createSender } from "messaging-gateway/sends";
import {
	type SqliteClient,
	type SqliteClientOptions,
	sqliteClientSendStore,
	sqliteClientStore,
	sqliteSendTable,
	sqliteTable,
} from "messaging-gateway/stores/sqlite-client";
import { ConfigurationError } from "messaging-gateway/webhooks";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { catchError, catchRejection } from "../support/catch-error.ts";
import { acquire, LEASE_MS } from "../support/claims.ts";
import { createReceiver } from "../support/webhook-receiver.ts";
import { takeTurns, testSentAgain, testSharedStore, watchTokens } from "./support/shared-store-suite.ts";
import { ageRows } from "./support/sql-records.ts";

let folder: string;
let opened: DatabaseSync[];

beforeEach(() => {
	folder = mkdtempSync(join(tmpdir(), "messaging-gateway-sqlite-client-"));
	opened = [];
});

afterEach(() => {
	vi.useRealTimers();
	for (const database of opened) database.close();
	rmSync(folder, { recursive: true });
});

function open(path: string, options: { readOnly?: boolean } = {}): DatabaseSync {
	const database = new DatabaseSync(path, options);
	database.exec("PRAGMA busy_timeout = 0");
	opened.push(database);
	return database;
}

function clientOf(database: DatabaseSync): SqliteClient {
	return { query: (sql, values) => database.prepare(sql).all(...values) };
}

function createFile() {
	const path = join(folder, `${crypto.randomUUID()}.db`);
	return { path, database: open(path) };
}

testSharedStore(async () => {
	const { path, database } = createFile();
	const stores = [database, open(path)].map((each) => sqliteClientStore(clientOf(each)));
	for (const each of stores) await each.createTable();
	const { store, largestToken } = watchTokens(takeTurns(stores));
	const loseRecords = async () => {
		database.exec("DELETE FROM messaging_gateway_records");
		while (Date.now() <= largestToken()); // A token starts at the time.
	};
	return { store, advance: async (ms) => database.exec(ageRows(ms)), loseRecords };
});

test("a migration of one's own does as well", async () => {
	const { database } = createFile();
	database.exec(sqliteTable("events") + sqliteSendTable("notices"));
	const store = sqliteClientStore(clientOf(database), { table: "events" });
	await store.createTable();
	expect(await store.remember("app:1", LEASE_MS)).toBe(true);
	const sends = sqliteClientSendStore(clientOf(database), { table: "notices" });
	await sends.createTable();
	expect(await sends.insert("a", { id: "1", state: "open", data: "{}" })).toBe(true);
});

test("what a client sends again finds its own", async () => {
	const { query } = clientOf(createFile().database);
	const store = sqliteClientStore({
		async query(sql, values) {
			await query(sql, values);
			return query(sql, values);
		},
	});
	await store.createTable();
	await testSentAgain(store);
});

test("no value of a call is part of a statement, and each is numbered", async () => {
	const { database } = createFile();
	const query = vi.fn(clientOf(database).query);
	const [store, sends] = [sqliteClientStore({ query }), sqliteClientSendStore({ query })];
	await store.createTable();
	await sends.createTable();
	query.mockClear();
	const times = { leaseMs: LEASE_MS, retentionMs: LEASE_MS };
	await store.claim("default:evt_1", times, { digest: "a", ttlMs: LEASE_MS });
	await store.claim("default:evt_1", times);
	for (const step of [store.extend, store.complete]) await step("default:evt_1", 1, LEASE_MS);
	await store.release("default:evt_1", 1);
	await store.remember("app:1", LEASE_MS);
	await store.sweep();
	await sends.insert("evt_1", { id: "1", state: "open", data: "{}" });
	await sends.replace("evt_1", 1, { id: "1", state: "open", data: "{}" });
	await sends.list({ state: "open", limit: 1 });
	await sends.find("evt_1");
	await sends.read("evt_1");
	await sends.sweep(1);
	expect(query).toHaveBeenCalled();
	for (const [sql, values] of query.mock.calls) {
		expect(sql).not.toMatch(/\$|evt_1/);
		const numbers = sql.match(/\?\d*/g) ?? [];
		expect(new Set(numbers)).toEqual(new Set(values.map((_, at) => `?${at + 1}`)));
	}
});

test("a file that another process keeps locked is waited for, and no longer than a minute", async () => {
	const { path, database } = createFile();
	const store = sqliteClientStore(clientOf(open(path)));
	await store.createTable();
	vi.useFakeTimers({ toFake: ["Date", "performance", "setTimeout", "clearTimeout"] });
	database.exec("BEGIN IMMEDIATE");
	const inVain = catchRejection(store.remember("app:1", LEASE_MS));
	await vi.advanceTimersByTimeAsync(60_000);
	expect(await inVain).toMatchObject({ message: expect.stringContaining("locked") });
	const late = store.remember("app:1", LEASE_MS);
	await vi.advanceTimersByTimeAsync(30);
	database.exec("COMMIT");
	await vi.advanceTimersByTimeAsync(20);
	expect(await late).toBe(true);
});

/** What a user may get wrong, and the fix that the error names. */
const MISTAKES: readonly [name: string, create: () => SqliteClient, fix: string][] = [
	[
		"no table",
		() => clientOf(createFile().database),
		"the table messaging_gateway_records is missing. Call createTable() once, run the SQL of sqliteTable()",
	],
	[
		"a table of something else",
		() => {
			const { database } = createFile();
			database.exec("CREATE TABLE messaging_gateway_records (key text PRIMARY KEY, value text)");
			return clientOf(database);
		},
		"the table messaging_gateway_records has other columns: name another one in the option table, which createTable() creates",
	],
	[
		"a table whose keys are not unique",
		() => {
			const { database } = createFile();
			database.exec(sqliteTable().replace("text PRIMARY KEY", "text"));
			return clientOf(database);
		},
		"the table messaging_gateway_records has other columns: name another one in the option table, which createTable() creates",
	],
	[
		"a replica",
		() => {
			const { path, database } = createFile();
			database.exec(sqliteTable());
			return clientOf(open(path, { readOnly: true }));
		},
		"the database is read-only: query must reach the primary, through a connection that may write",
	],
	[
		"no binding",
		() => {
			const environment: { DB?: DatabaseSync } = {};
			return { query: (sql, values) => (environment.DB as DatabaseSync).prepare(sql).all(...values) };
		},
		"query found no database: bind one by the name that query uses",
	],
	[
		"a result in place of its rows",
		() => ({ query: async () => ({ results: [] }) as unknown as unknown[] }),
		"query must resolve to the rows, an array of objects by the names of their columns",
	],
	[
		"rows without names",
		() => ({ query: async () => [["evt_1", 1, 1]] }),
		"query must resolve to the rows, an array of objects by the names of their columns",
	],
	[
		"an old SQLite",
		() => {
			const { database } = createFile();
			database.exec(sqliteTable());
			database.function("unixepoch", { varargs: true }, () => null);
			return clientOf(database);
		},
		"SQLite is older than 3.42, and has no time in milliseconds: use a newer one",
	],
];

describe.each(MISTAKES)("with %s", (_name, create, fix) => {
	test("no event is lost, and the report names the fix", async () => {
		const handle = vi.fn();
		const { respond, reported } = createReceiver({
			store: sqliteClientStore(create()),
			on: { inbound_message: handle },
		});
		expect(await respond({ eventId: "evt_1" })).toBe("503 store_unavailable, again in 5 s");
		expect(reported()).toEqual([expect.stringContaining(fix)]);
		expect(handle).not.toHaveBeenCalled();
	});
});

test("createIfMissing creates the tables of events and of sends at the first use", async () => {
	const client = clientOf(createFile().database);
	const store = sqliteClientStore(client, { createIfMissing: true });
	expect(await acquire(store)).toMatchObject({ attempt: 1 });
	const sends = sqliteClientSendStore(client, { createIfMissing: true });
	expect(await sends.insert("a", { id: "1", state: "open", data: "{}" })).toBe(true);
});

test("without its table of sends nothing is sent, and the error names the fix", async () => {
	const fetch = vi.fn();
	const gateway = new MessagingGateway({
		baseUrl: "https://gateway.example",
		appId: "app-1",
		appSecret: "secret",
		fetch,
	});
	const store = sqliteClientSendStore(clientOf(createFile().database));
	const sender = createSender({ gateway, store, digestSecret: "a secret" });
	const error = await catchRejection(sender.send("key", { to: "+15551234567", text: "Once" }));
	expect(error).toMatchObject({ code: "store_failed" });
	expect(String(error)).toContain(
		"the table messaging_gateway_sends is missing. Call createTable() once, run the SQL of sqliteSendTable()",
	);
	expect(fetch).not.toHaveBeenCalled();
});

test.each([
	[{ query: () => [] }, { timeoutMs: 50 }, '"timeoutMs" of sqliteClient'],
	[{ query: () => [] }, { tables: "events" }, 'Unknown option "tables" of sqliteClient'],
	[{ query: () => [] }, { table: "main.events" }, "table must be a name without a schema in front"],
	[{ query: () => [] }, { table: "Events" }, "table must be a name of 1 to 40"],
])("%o with %j is a configuration error", (client, options, message) => {
	for (const create of [sqliteClientStore, sqliteClientSendStore]) {
		const error = catchError(() => create(client as SqliteClient, options as SqliteClientOptions));
		expect(error).toBeInstanceOf(ConfigurationError);
		expect(error).toHaveProperty("message", expect.stringContaining(message));
	}
});
