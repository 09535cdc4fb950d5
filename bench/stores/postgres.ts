import { mock } from "node:test";
import { type PostgresClient, postgresStore } from "messaging-gateway/stores/postgres";
import { Pool } from "pg";
import manifest from "../../package.json" with { type: "json" };
import { startPostgres } from "../../test/support/servers/postgres-server.ts";
import type { AtEnd } from "../cases.ts";
import type { OpenSubject, Sizes, Subject } from "./subject.ts";

/** As many as a pool of `pg` opens by default. */
const CONNECTIONS = 10;

const STORE_TABLE = "messaging_gateway_records";
const RAW_TABLE = "raw_records";

/** Statements written by hand: one row for each key, no index except that of the key, and no server time. */
const CREATE = `CREATE TABLE IF NOT EXISTS ${RAW_TABLE} (
	key text COLLATE "C" PRIMARY KEY,
	value text NOT NULL,
	expires_at bigint NOT NULL
)`;

/** What claims, completes and binds by hand. */
export const UPSERT = `INSERT INTO ${RAW_TABLE} (key, value, expires_at) VALUES ($1, $2, $3)
ON CONFLICT (key) DO UPDATE SET value = excluded.value, expires_at = excluded.expires_at`;

/** The store on a server with its default settings, or with commits that are acknowledged before they are on disk. */
export function openPostgres(synchronousCommit: "on" | "off"): OpenSubject {
	return async (atEnd) => {
		const pool = await startPool(atEnd, synchronousCommit);
		return createSubject(pool, (text, values) => pool.query(text, values));
	};
}

/** The store with statements that are parsed and planned once for each connection, as docs/scaling.md shows. */
export const openPrepared: OpenSubject = async (atEnd) => {
	const pool = await startPool(atEnd, "on");
	const names = new Map<string, string>();
	return createSubject(pool, (text, values) => {
		const name = names.get(text) ?? `store-${names.size}`;
		names.set(text, name);
		return pool.query({ name, text, values });
	});
};

async function startPool(atEnd: AtEnd, synchronousCommit: "on" | "off"): Promise<Pool> {
	const server = await startPostgres();
	atEnd(() => server[Symbol.asyncDispose]());
	const options = `-c synchronous_commit=${synchronousCommit}`;
	const pool = new Pool({ connectionString: server.url, max: CONNECTIONS, options });
	pool.on("error", () => undefined);
	atEnd(() => pool.end());
	return pool;
}

async function createSubject(pool: Pool, query: PostgresClient["query"]): Promise<Subject> {
	const client = { query };
	const store = postgresStore(client);
	await store.createTable();
	await pool.query(CREATE);
	const show = async (setting: string) => Object.values((await pool.query(`SHOW ${setting}`)).rows[0])[0];
	const version = String(await show("server_version")).split(" ")[0];
	return {
		server: `PostgreSQL ${version}, fsync ${await show("fsync")}, synchronous_commit ${await show("synchronous_commit")}`,
		client: `pg ${manifest.devDependencies.pg}, ${CONNECTIONS} connections`,
		creator: "postgresStore",
		store,
		raw: {
			name: "upsert",
			write: (key, value, _condition, lifeMs) => query(UPSERT, [key, value, Date.now() + lifeMs]),
		},
		async reset() {
			await pool.query(`TRUNCATE ${STORE_TABLE}, ${RAW_TABLE}`);
		},
		async measureSizes() {
			const asWritten = await readSizes(pool);
			// A completed claim leaves a dead row behind: their share of the table shows once it is rewritten.
			await pool.query(`VACUUM ${STORE_TABLE}`);
			const vacuumed = await readSizes(pool);
			await pool.query(`VACUUM FULL ${STORE_TABLE}`);
			const rewritten = await readSizes(pool);
			return {
				...asWritten,
				"after VACUUM": vacuumed["total"] ?? 0,
				"after VACUUM FULL": rewritten["total"] ?? 0,
			};
		},
		async countUpdates() {
			// Each connection reports what it has counted once it is idle.
			const flush = () => pool.query("SELECT pg_stat_force_next_flush(), pg_sleep(0.1)");
			await Promise.all(Array.from({ length: CONNECTIONS }, flush));
			const { rows } = await pool.query<Record<"all" | "hot", string>>(
				`SELECT n_tup_upd AS all, n_tup_hot_upd AS hot FROM pg_stat_user_tables WHERE relname = '${STORE_TABLE}'`,
			);
			return { all: Number(rows[0]?.all), heapOnly: Number(rows[0]?.hot) };
		},
		spyOnClient: () => [mock.method(client, "query")],
	};
}

async function readSizes(pool: Pool): Promise<Sizes> {
	const sizes = { total: "pg_total_relation_size", table: "pg_table_size", indexes: "pg_indexes_size" };
	const columns = Object.entries(sizes).map(([part, size]) => `${size}('${STORE_TABLE}') AS ${part}`);
	const { rows } = await pool.query<Record<string, string>>(`SELECT ${columns.join(", ")}`);
	return Object.fromEntries(Object.entries(rows[0] ?? {}).map(([part, bytes]) => [part, Number(bytes)]));
}
