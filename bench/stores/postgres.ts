import { mock } from "node:test";
import { type PostgresClient, postgresStore } from "messaging-gateway/stores/postgres";
import { Pool } from "pg";
import { startPostgres } from "../../test/support/servers/postgres-server.ts";
import type { OpenSubject } from "./subject.ts";

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

/**
 * The store on a server with its default settings; with statements that are parsed and planned once for each
 * connection, as docs/stores.md shows; or with commits that are acknowledged before they are on disk.
 */
export function openPostgres(difference?: "prepared" | "async commit"): OpenSubject {
	return async (atEnd) => {
		const server = await startPostgres();
		atEnd(() => server[Symbol.asyncDispose]());
		const commit = difference === "async commit" ? "off" : "on";
		const options = `-c synchronous_commit=${commit}`;
		const pool = new Pool({ connectionString: server.url, max: CONNECTIONS, options });
		pool.on("error", () => undefined);
		atEnd(() => pool.end());
		const { rows } = await pool.query("SHOW server_version");
		const [version] = String(rows[0]?.server_version).split(" ");

		const names = new Map<string, string>();
		const client: PostgresClient = {
			query(text, values) {
				if (difference !== "prepared") return pool.query(text, values);
				const name = names.get(text) ?? `store-${names.size}`;
				names.set(text, name);
				return pool.query({ name, text, values });
			},
		};
		const store = postgresStore(client);
		await store.createTable();
		await pool.query(CREATE);

		async function readSize(kind: "total_relation" | "indexes"): Promise<number> {
			const result = await pool.query(`SELECT pg_${kind}_size('${STORE_TABLE}') AS bytes`);
			return Number(result.rows[0]?.bytes);
		}
		return {
			kind: "PostgreSQL",
			name: `PostgreSQL ${version}, synchronous_commit ${commit}${difference === "prepared" ? ", prepared" : ""}`,
			store,
			write: (key, value, _condition, lifeMs) => client.query(UPSERT, [key, value, Date.now() + lifeMs]),
			reset: () => pool.query(`TRUNCATE ${STORE_TABLE}, ${RAW_TABLE}`),
			async measureSizes() {
				const [total, indexes] = [await readSize("total_relation"), await readSize("indexes")];
				// A completed claim leaves a dead row behind: their share of the table shows once it is rewritten.
				await pool.query(`VACUUM FULL ${STORE_TABLE}`);
				const rewritten = await readSize("total_relation");
				return {
					"PostgreSQL: disk": total,
					"– of which indexes": indexes,
					"– after `VACUUM FULL`": rewritten,
				};
			},
			async countUpdates() {
				// Each connection reports what it has counted once it is idle.
				const flush = () => pool.query("SELECT pg_stat_force_next_flush(), pg_sleep(0.1)");
				await Promise.all(Array.from({ length: CONNECTIONS }, flush));
				const counts = await pool.query<Record<"all" | "hot", string>>(
					`SELECT n_tup_upd AS all, n_tup_hot_upd AS hot FROM pg_stat_user_tables WHERE relname = '${STORE_TABLE}'`,
				);
				return { all: Number(counts.rows[0]?.all), heapOnly: Number(counts.rows[0]?.hot) };
			},
			spyOnClient: () => [mock.method(client, "query")],
		};
	};
}
