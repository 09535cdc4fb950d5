import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { MessagingGateway } from "messaging-gateway";
import { createSender, listSends, type SendStore, type SweepableSendStore } from "messaging-gateway/sends";
import { postgresSendStore, postgresSendTable } from "messaging-gateway/stores/postgres";
import { sqliteSendStore } from "messaging-gateway/stores/sqlite";
import { sqliteClientSendStore } from "messaging-gateway/stores/sqlite-client";
import { createLocalGateway, sendStoreCases } from "messaging-gateway/testing";
import { Pool } from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { catchRejection } from "../support/catch-error.ts";
import { collect } from "../support/collect.ts";
import { share } from "../support/shared/shared.ts";

let pools: [Pool, Pool];
let folder: string;
const opened: Disposable[] = [];
let tables = 0;

beforeAll(async () => {
	const { url } = await share("postgres");
	const createPool = () => new Pool({ connectionString: url }).on("error", () => undefined);
	pools = [createPool(), createPool()];
	folder = mkdtempSync(join(tmpdir(), "messaging-gateway-sends-"));
});

afterAll(async () => {
	for (const pool of pools) await pool.end();
	for (const store of opened) store[Symbol.dispose]();
	rmSync(folder, { recursive: true });
});

async function createPostgres() {
	const table = `sends_${tables++}`;
	const stores = pools.map((pool) => postgresSendStore(pool, { table }));
	await Promise.all(stores.map((store) => store.createTable()));
	return { table, stores };
}

async function createSqlite() {
	const path = join(folder, `${crypto.randomUUID()}.db`);
	const stores = [sqliteSendStore({ path }), sqliteSendStore({ path })];
	opened.push(...stores);
	return { path, stores };
}

async function createSqliteClient() {
	const path = join(folder, `${crypto.randomUUID()}.db`);
	const stores = [1, 2].map(() => {
		const database = new DatabaseSync(path);
		opened.push({ [Symbol.dispose]: () => database.close() });
		return sqliteClientSendStore({ query: (sql, values) => database.prepare(sql).all(...values) });
	});
	for (const store of stores) await store.createTable();
	return { path, stores };
}

/** One store whose calls two processes take in turn. */
function takeTurns(stores: readonly SweepableSendStore[]): SweepableSendStore {
	let turn = 0;
	const next = (): SweepableSendStore => {
		const store = stores[turn++ % stores.length];
		if (store === undefined) throw new Error("there is no store");
		return store;
	};
	return {
		read: (key) => next().read(key),
		insert: (...given) => next().insert(...given),
		replace: (...given) => next().replace(...given),
		find: (id) => next().find(id),
		list: (options) => next().list(options),
		sweep: (olderThanMs) => next().sweep(olderThanMs),
	};
}

describe.each([
	["PostgreSQL", createPostgres],
	["SQLite", createSqlite],
	["SQLite through a client", createSqliteClient],
] as const)("%s", (name, create) => {
	const createStore = async (): Promise<SweepableSendStore> => takeTurns((await create()).stores);

	test.each(sendStoreCases())("$name", async ({ run }) => {
		await run(async () => {
			const store = await createStore();
			let passedMs = 0;
			// The server's clock cannot be moved: its time is shown later.
			const shifted: SendStore = {
				...store,
				read: async (key) => {
					const { now, row } = await store.read(key);
					return { now: now + passedMs, row };
				},
			};
			return {
				store: shifted,
				advance: async (ms: number) => {
					passedMs += ms;
				},
			};
		});
	});

	test("a time is that of the server, in milliseconds", async () => {
		const store = await createStore();
		const { now } = await store.read("a");
		expect(Math.abs(now - Date.now())).toBeLessThan(60_000);
		expect(Number.isInteger(now)).toBe(true);
		expect(Math.abs((await store.list({ state: "open", limit: 1 })).now - now)).toBeLessThan(60_000);
	});

	test("a sweep removes what is finished and old enough, and nothing else", async () => {
		const store = await createStore();
		for (const state of ["open", "unresolved", "accepted", "given_up"] as const)
			await store.insert(state, { id: state, state, data: "{}" });
		expect(await store.sweep(60_000)).toBe(0);
		expect(await store.sweep(0)).toBe(2);
		expect([(await store.read("open")).row?.key, (await store.read("accepted")).row]).toEqual([
			"open",
			undefined,
		]);
	});

	test("a text with U+0000, which PostgreSQL rejects in a text of its own, is sent as it is", async () => {
		await using local = createLocalGateway({ rules: "off" });
		const gateway = new MessagingGateway(local.clientOptions);
		const sender = createSender({ gateway, store: await createStore(), digestSecret: "a secret" });
		const input = { to: "+15551234567", text: "a\0b" };
		for (const _time of [1, 2]) expect(await sender.send("nul", input)).toMatchObject({ status: "accepted" });
		expect(local.sent.map(({ text }) => text)).toEqual(["a\0b"]);
	});

	test("eight senders over it make one send", async () => {
		await using local = createLocalGateway({ rules: "off" });
		const { stores } = await create();
		const gateway = new MessagingGateway(local.clientOptions);
		const senders = Array.from({ length: 8 }, (_, at) => {
			const store = stores[at % 2];
			if (store === undefined) throw new Error("there is no store");
			return createSender({ gateway, store, digestSecret: "a secret" });
		});
		const input = { to: "+15551234567", text: "Once" };
		const results = await Promise.allSettled(senders.map((sender) => sender.send("key", input)));
		expect(local.sent).toHaveLength(1);
		const rejected = results.filter((result) => result.status === "rejected");
		for (const { reason } of rejected) expect(reason).toMatchObject({ code: "send_in_progress" });
		expect(await senders[3]?.send("key", input)).toMatchObject({ status: "accepted" });
		expect(name).not.toBe("");
	});
});

describe("PostgreSQL", () => {
	test("an intent in the application's own transaction is there if it commits, and else not", async () => {
		await using local = createLocalGateway();
		const { stores } = await createPostgres();
		const [store] = stores;
		if (store === undefined) throw new Error("there is no store");
		const sender = createSender({
			gateway: new MessagingGateway(local.clientOptions),
			store,
			digestSecret: "a secret",
			keepInput: true,
		});
		const input = { to: "+15551234567", text: "Once" };
		const client = await pools[0].connect();
		const open = async () =>
			(await collect(listSends(store, { status: "open" }))).map(({ key, input }) => [key, input]);
		try {
			for (const end of ["ROLLBACK", "COMMIT"]) {
				await client.query("BEGIN");
				await sender.prepare("key", input, { store: store.inTransaction(client) });
				await sender.prepare("key", input, { store: store.inTransaction(client) });
				expect(await open()).toEqual([]);
				await client.query(end);
			}
		} finally {
			client.release();
		}
		expect(await open()).toEqual([["key", input]]);
		expect(await catchRejection(sender.send("key", { ...input, text: "Twice" }))).toMatchObject({
			code: "key_reused",
		});
		expect(await sender.send("key", input)).toMatchObject({ status: "accepted" });
		expect(local.sent).toHaveLength(1);
	});

	test("a migration of its own does as well, in a schema", async () => {
		await pools[0].query("CREATE SCHEMA outbox");
		await pools[0].query(postgresSendTable("outbox.sends"));
		const store = postgresSendStore(pools[0], { table: "outbox.sends" });
		await store.createTable();
		expect(await store.insert("a", { id: "1", state: "open", data: "{}" })).toBe(true);
	});

	test("without its table it reports how to create it", async () => {
		await expect(postgresSendStore(pools[0], { table: "nowhere" }).read("a")).rejects.toThrow(
			"the table nowhere is missing. Call createTable() once, run the SQL of postgresSendTable(), or pass createIfMissing: true",
		);
	});
});

test("SQLite: the file may be that of the events' store, and a commit reaches the disk", async () => {
	const { path } = await createSqlite();
	const { sqliteStore } = await import("messaging-gateway/stores/sqlite");
	using events = sqliteStore({ path });
	expect(await events.remember("nonce", 1_000)).toBe(true);
	using database = new DatabaseSync(path);
	expect(database.prepare("PRAGMA journal_mode").get()).toEqual({ journal_mode: "wal" });
});
