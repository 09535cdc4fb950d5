import {
	type SqliteClient,
	sqliteClientSendStore,
	sqliteClientStore,
} from "messaging-gateway/stores/sqlite-client";
import {
	eventStoreCases,
	nonceStoreCases,
	type StoreSubject,
	sendStoreCases,
} from "messaging-gateway/testing";
import { ageRows } from "./sql-records.ts";

/** Much longer than a case takes. */
const LEASE_MS = 3_600_000;
const RETENTION_MS = 10 * LEASE_MS;

const TIME = "SELECT CAST(unixepoch('subsec') * 1000 AS INTEGER) AS time";

/** What holds for a client of SQLite, wherever it runs. */
interface ClientCase {
	readonly name: string;
	/** Rejects if it does not hold. */
	run(client: SqliteClient): Promise<void>;
}

/** The rules of every store, each over a table of its own, and what only a real clock shows. */
export const CLIENT_CASES: readonly ClientCase[] = [
	...[
		...eventStoreCases({ leaseMs: LEASE_MS, retentionMs: RETENTION_MS }),
		...nonceStoreCases({ ttlMs: RETENTION_MS }),
	].map(({ name, run }) => ({ name, run: (client: SqliteClient) => run(() => createSubject(client)) })),
	...sendStoreCases().map(({ name, run }) => ({
		name: `sends: ${name}`,
		run: (client: SqliteClient) => run(() => createSendSubject(client)),
	})),
	{
		name: "a lease ends by the time of the database, which is that of the world",
		async run(client) {
			const { store } = await createSubject(client);
			const claim = () => store.claim("evt_1", { leaseMs: 100, retentionMs: RETENTION_MS });
			const first = await claim();
			if (first.status !== "acquired") throw new Error("it should be free");
			if (Math.abs(first.token - Date.now()) > 60_000) throw new Error(`the time is ${first.token}`);
			while ((await claim()).status !== "acquired") await pause();
		},
	},
	{
		name: "a missing table is named in a sentence",
		async run(client) {
			const error: unknown = await sqliteClientStore(client, { table: "missing" })
				.remember("app:1", LEASE_MS)
				.catch((reason: unknown) => reason);
			if (!String(error).includes("the table missing is missing. Call createTable()")) throw error;
		},
	},
];

function createTableName(): string {
	return `t_${crypto.randomUUID().replaceAll("-", "")}`;
}

async function createSubject(client: SqliteClient) {
	const table = createTableName();
	const store = sqliteClientStore(client, { table });
	await store.createTable();
	const run = async (sql: string): Promise<unknown[]> => [...(await client.query(sql, []))];
	return {
		store,
		async advance(ms: number) {
			await run(`${ageRows(ms, table)} RETURNING key`);
		},
		async loseRecords() {
			const [largest] = await run(`SELECT max(token) AS time FROM ${table}`);
			await run(`DELETE FROM ${table} RETURNING key`);
			// A token starts at the time.
			while (timeOf((await run(TIME))[0]) <= timeOf(largest)) await pause();
		},
	};
}

async function createSendSubject(client: SqliteClient) {
	const store = sqliteClientSendStore(client, { table: createTableName() });
	await store.createTable();
	let passedMs = 0;
	// The clock of the database cannot be moved: its time is shown later.
	const shifted: typeof store = {
		...store,
		async read(key) {
			const { now, row } = await store.read(key);
			return { now: now + passedMs, row };
		},
	};
	const subject: StoreSubject<typeof store> = {
		store: shifted,
		async advance(ms) {
			passedMs += ms;
		},
	};
	return subject;
}

function timeOf(row: unknown): number {
	return typeof row === "object" && row !== null && "time" in row ? Number(row.time) : Number.NaN;
}

/** In a Worker time only passes when something is waited for. */
function pause(): Promise<void> {
	return new Promise((resolve) => setTimeout(resolve, 5));
}
