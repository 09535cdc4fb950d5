import { type PostgresClient, postgresStore } from "messaging-gateway/stores/postgres";
import { Pool } from "pg";
import { startPostgres } from "../../../test/support/servers/postgres-server.ts";
import type { AtEnd } from "../../at-end.ts";
import { CallCounter, type RawSteps, type Sizes, type Subject } from "../subject.ts";
import { BINDING_MS, RETENTION_MS } from "../times.ts";
import { withVersion } from "../versions.ts";

/** As many as a pool of `pg` opens by default. */
const CONNECTIONS = 10;

const STORE_TABLE = "messaging_gateway_records";
const RAW_TABLE = "raw_records";

/** Statements written by hand: one row for each key, no index except that of the key, and no server time. */
const RAW_TABLE_STATEMENT = `CREATE TABLE IF NOT EXISTS ${RAW_TABLE} (
	key text COLLATE "C" PRIMARY KEY,
	value text NOT NULL,
	expires_at bigint NOT NULL
)`;

const UPSERT = `INSERT INTO ${RAW_TABLE} (key, value, expires_at) VALUES ($1, $2, $3)
ON CONFLICT (key) DO UPDATE SET value = excluded.value, expires_at = excluded.expires_at`;

/** The store on a server with its default settings: as it is, and with statements that the server prepares once. */
export async function openPostgres(atEnd: AtEnd): Promise<Subject[]> {
	const pool = await startPool(atEnd, "on");
	return [
		await createSubject("postgres", pool, (text, values) => pool.query(text, values)),
		await createSubject("postgres, prepared", pool, prepareOnce(pool)),
	];
}

/** The store with commits that are acknowledged before they are on disk. */
export async function openPostgresAsync(atEnd: AtEnd): Promise<Subject[]> {
	const pool = await startPool(atEnd, "off");
	return [await createSubject("postgres, async commit", pool, (text, values) => pool.query(text, values))];
}

async function startPool(atEnd: AtEnd, synchronousCommit: "on" | "off"): Promise<Pool> {
	const server = await startPostgres();
	atEnd(() => server[Symbol.asyncDispose]());
	const pool = new Pool({
		connectionString: server.url,
		max: CONNECTIONS,
		options: `-c synchronous_commit=${synchronousCommit}`,
	});
	pool.on("error", () => undefined);
	atEnd(() => pool.end());
	return pool;
}

/** A statement that has a name is parsed and planned once for each connection, as docs/scaling.md shows. */
function prepareOnce(pool: Pool): PostgresClient["query"] {
	const names = new Map<string, string>();
	return (text, values) => {
		const name = names.get(text) ?? `store-${names.size}`;
		names.set(text, name);
		return pool.query({ name, text, values });
	};
}

async function createSubject(name: string, pool: Pool, query: PostgresClient["query"]): Promise<Subject> {
	const counter = new CallCounter();
	const store = postgresStore({
		query(text, values) {
			counter.note();
			return query(text, values);
		},
	});
	await store.createTable();
	await pool.query(RAW_TABLE_STATEMENT);
	const upsert = (key: string, value: string, lifeMs: number) =>
		query(UPSERT, [key, value, Date.now() + lifeMs]);
	const raw: RawSteps = {
		claim: (key) => upsert(key, "held", RETENTION_MS),
		complete: (key) => upsert(key, "done", RETENTION_MS),
		bind: (digest, eventId) => upsert(digest, eventId, BINDING_MS),
	};
	return {
		name,
		server: await describeServer(pool),
		client: `${withVersion("pg")}, ${CONNECTIONS} connections`,
		store,
		raw,
		async reset() {
			await pool.query(`TRUNCATE ${STORE_TABLE}, ${RAW_TABLE}`);
		},
		measureSizes: () => measureSizes(pool),
		measureHeapOnlyPercent: () => measureHeapOnlyPercent(pool),
		countCalls: counter.countCalls,
	};
}

async function measureHeapOnlyPercent(pool: Pool): Promise<number> {
	// Each connection reports what it has counted once it is idle.
	const flush = () => pool.query("SELECT pg_stat_force_next_flush(), pg_sleep(0.1)");
	await Promise.all(Array.from({ length: CONNECTIONS }, flush));
	const { rows } = await pool.query<Record<"n_tup_upd" | "n_tup_hot_upd", string>>(
		`SELECT n_tup_upd, n_tup_hot_upd FROM pg_stat_user_tables WHERE relname = '${STORE_TABLE}'`,
	);
	const percent = (Number(rows[0]?.n_tup_hot_upd) / Number(rows[0]?.n_tup_upd)) * 100;
	return Number(percent.toPrecision(3));
}

async function describeServer(pool: Pool): Promise<string> {
	const show = async (setting: string) => Object.values((await pool.query(`SHOW ${setting}`)).rows[0])[0];
	const version = String(await show("server_version")).split(" ")[0];
	return `PostgreSQL ${version}, fsync ${await show("fsync")}, synchronous_commit ${await show("synchronous_commit")}`;
}

/** A completed claim leaves a dead row behind: their share of the table shows once it is rewritten. */
async function measureSizes(pool: Pool): Promise<Sizes> {
	const asWritten = await readSizes(pool);
	await pool.query(`VACUUM ${STORE_TABLE}`);
	const vacuumed = await readSizes(pool);
	await pool.query(`VACUUM FULL ${STORE_TABLE}`);
	const rewritten = await readSizes(pool);
	return { ...asWritten, "after VACUUM": vacuumed.total, "after VACUUM FULL": rewritten.total };
}

async function readSizes(pool: Pool): Promise<Sizes> {
	const sizes = ["pg_table_size", "pg_indexes_size", "pg_total_relation_size"];
	const { rows } = await pool.query<Record<string, string>>(
		`SELECT ${sizes.map((name) => `${name}('${STORE_TABLE}')`).join(", ")}`,
	);
	const [row = {}] = rows;
	return {
		total: Number(row["pg_total_relation_size"]),
		table: Number(row["pg_table_size"]),
		indexes: Number(row["pg_indexes_size"]),
	};
}
