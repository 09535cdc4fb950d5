import { assertAll, assertArgument } from "../assert-argument.ts";
import { assertBoolean, assertKnownKeys } from "../check-options.ts";
import { isJsonObject } from "../is-object.ts";
import { StoreError } from "../store-calls/store-error.ts";
import { findInChain } from "./find-in-chain.ts";
import { REPLACED_STORE_OPTIONS } from "./replaced-options.ts";
import { creating, describeMissing, type RunSql, type SqlRow } from "./sql-store.ts";
import { whenFree } from "./when-free.ts";

/** The part of a client of SQLite that the store uses. */
export interface SqliteClient {
	/**
	 * Runs one statement with the values of `?1`, `?2`, and so on, and returns its rows as objects. It must run in the
	 * primary, never in a replica, and commit by itself, never in your own transaction.
	 */
	query(sql: string, values: (string | number)[]): Promise<readonly unknown[]> | readonly unknown[];
}

/** The options of `sqliteClientStore` and `sqliteClientSendStore`. */
export interface SqliteClientOptions {
	/** The name of the table. @default "messaging_gateway_records", and "messaging_gateway_sends" for sends */
	table?: string | undefined;
	/** Whether to create a missing table when a statement needs it, so you await nothing at start. @default false */
	createIfMissing?: boolean | undefined;
}

const SQLITE_CLIENT_OPTIONS: readonly (keyof SqliteClientOptions)[] = ["table", "createIfMissing"];

/** A table. */
interface ClientTable {
	readonly name: string;
	/** The statements that create it. */
	readonly statements: readonly string[];
	/** The exported function that returns these statements. */
	readonly writtenBy: "sqliteTable" | "sqliteSendTable";
}

/** Checks what a store is made of. @throws ConfigurationError with all that is wrong. */
export function assertClientArguments(
	store: "sqliteClientStore" | "sqliteClientSendStore",
	client: unknown,
	options: unknown,
	checkTable: () => void,
): void {
	const example = "{ query: async (sql, values) => rows }";
	assertAll([
		() => assertArgument(store, "an object with a function query", example, client, ["query"]),
		() => assertKnownKeys(`${store} options`, options, SQLITE_CLIENT_OPTIONS, REPLACED_STORE_OPTIONS),
		checkTable,
		() => assertBoolean("createIfMissing", Object(options).createIfMissing),
	]);
}

/** Reaches a table through a client. */
export function openClient(
	client: SqliteClient,
	table: ClientTable,
	{ createIfMissing }: SqliteClientOptions,
): { run: RunSql; createTable(): Promise<void> } {
	const run: RunSql = async (statement, values) => {
		// D1 counts `$2` by where it first appears, and `?2` by its number.
		const sql = statement.replaceAll("$", "?");
		try {
			return await whenFree(async () => toRows(await client.query(sql, values)));
		} catch (cause) {
			const problem = findProblem(cause, table);
			throw problem === undefined ? cause : new StoreError(problem, { cause });
		}
	};

	async function createTable(): Promise<void> {
		for (const statement of table.statements) await run(statement, []);
	}

	return { run: createIfMissing ? creating(run, isTableMissing, createTable) : run, createTable };
}

function toRows(found: unknown): SqlRow[] {
	if (Array.isArray(found) && found.every(isJsonObject)) return found;
	throw new StoreError("query must resolve to the rows, an array of objects by the names of their columns");
}

function isTableMissing(error: unknown): boolean {
	return /no such table/.test(String(findInChain(error, "message")));
}

/** What an error of SQLite means, and what to do about it. All its clients pass its messages on. */
function findProblem(error: unknown, { name, writtenBy }: ClientTable): string | undefined {
	const message = String(findInChain(error, "message"));
	const says = (pattern: RegExp): boolean => pattern.test(message);
	if (isTableMissing(error)) return describeMissing(name, writtenBy);
	if (says(/no such function|constraint failed: \w+\.(expires|changed)_at/))
		return "SQLite is older than 3.42, and has no time in milliseconds: use a newer one";
	if (says(/no such column|has no column|ON CONFLICT clause|constraint failed/))
		return `the table ${name} has other columns: name another one in the option table, which createTable() creates`;
	if (says(/readonly/))
		return "the database is read-only: query must reach the primary, through a connection that may write";
	if (error instanceof TypeError && says(/\b(undefined|null)\b/))
		return "query found no database: bind one by the name that query uses";
	return undefined;
}
