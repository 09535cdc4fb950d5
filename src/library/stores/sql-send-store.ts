import type { SendRow, StoredSend, StoredSendState, SweepableSendStore } from "./send-store.ts";
import type { RunSql, SqlDialect, SqlRow } from "./sql-store.ts";
import { assertTableName } from "./sql-store.ts";

/** The statements of the table: one row for each send. */
export function sendTableStatements(table: string, { key }: SqlDialect): string[] {
	assertTableName(table);
	const name = table.split(".").at(-1);
	return [
		`CREATE TABLE IF NOT EXISTS ${table} (
	key ${key},
	id text NOT NULL,
	version bigint NOT NULL,
	state text NOT NULL,
	data text NOT NULL,
	changed_at bigint NOT NULL
)`,
		`CREATE UNIQUE INDEX IF NOT EXISTS ${name}_id ON ${table} (id)`,
		`CREATE INDEX IF NOT EXISTS ${name}_state ON ${table} (state, key)`,
	];
}

const STATES: readonly unknown[] = ["open", "unresolved", "accepted", "given_up"] satisfies StoredSendState[];

/** The store's methods, each as one statement, which is atomic. */
export function createSqlSendStore(run: RunSql, table: string, dialect: SqlDialect): SweepableSendStore {
	const { now } = dialect;
	assertTableName(table);
	const columns = "key, id, version, state, data";
	const statements = {
		// A row without a key if there is none: the time comes with it.
		read: `SELECT ${now} AS now, ${columns} FROM (SELECT 1) AS one LEFT JOIN ${table} ON key = $1`,
		insert: `
INSERT INTO ${table} (key, id, version, state, data, changed_at) VALUES ($1, $2, 1, $3, $4, ${now})
ON CONFLICT (key) DO NOTHING RETURNING key`,
		replace: `
UPDATE ${table} SET version = version + 1, state = $3, data = $4, changed_at = ${now}
WHERE key = $1 AND version = $2 RETURNING key`,
		find: `SELECT key FROM ${table} WHERE id = $1`,
		list: `
SELECT ${columns} FROM ${table} WHERE state = $1 AND key > $2 ORDER BY key LIMIT $3`,
		now: `SELECT ${now} AS now`,
		sweep: `
DELETE FROM ${table} WHERE state IN ('accepted', 'given_up') AND changed_at <= ${now} - $1 RETURNING key`,
	};

	async function readTime(): Promise<number> {
		const [row] = await run(statements.now, []);
		return Number(row?.["now"]);
	}

	return {
		async read(key) {
			const [row] = await run(statements.read, [key]);
			return { now: Number(row?.["now"]), row: row?.["key"] == null ? undefined : toStored(row) };
		},
		async insert(key, { id, state, data }: SendRow) {
			return (await run(statements.insert, [key, id, state, data])).length > 0;
		},
		async replace(key, version, { state, data }) {
			return (await run(statements.replace, [key, version, state, data])).length > 0;
		},
		async find(id) {
			const [row] = await run(statements.find, [id]);
			return row === undefined ? undefined : String(row["key"]);
		},
		async list({ state, after = "", limit }) {
			// The time comes first: a lease that is over by it is over for every row.
			const time = await readTime();
			const rows = await run(statements.list, [state, after, limit]);
			return { now: time, rows: rows.map(toStored) };
		},
		async sweep(olderThanMs) {
			return (await run(statements.sweep, [Math.ceil(olderThanMs)])).length;
		},
	};
}

function toStored({ key, id, version, state, data }: SqlRow): StoredSend {
	const found = { key, id, version: Number(version), state, data };
	if (isStored(found)) return found;
	throw new Error("the row is none of a send: use a client that doesn't rename columns");
}

function isStored(row: { readonly [Name in keyof StoredSend]: unknown }): row is StoredSend {
	const { key, id, state, data } = row;
	return [key, id, data].every((value) => typeof value === "string") && STATES.includes(state);
}
