import { findInChain } from "./find-in-chain.ts";

/** The code of a database's or a system's error, also of one that a library has wrapped. */
export function findCode(error: unknown): string | undefined {
	const code = findInChain(error, "code");
	return typeof code === "string" && /^[A-Z0-9_]{1,40}$/.test(code) ? code : undefined;
}

/** Whether a statement names a table that does not exist (undefined_table). */
export function isTableMissing(error: unknown): boolean {
	return findCode(error) === "42P01";
}

/** Whether the database rejected a statement in favour of another: serialization_failure, deadlock_detected. */
export function isSerializationFailure(error: unknown): boolean {
	return ["40001", "40P01"].includes(findCode(error) ?? "");
}

/** What to do about a database, or a client, that takes no writes of ours. */
export function describeRejection(error: unknown, table: string): string | undefined {
	switch (findCode(error)) {
		case "25006":
			return "the database is read-only: connect to the primary, for example with target_session_attrs=read-write";
		case "42501":
			return /row-level security/.test(messageOf(error))
				? `row-level security rejects the rows of ${table}: turn it off for this table, or add a policy for the database's user`
				: `the database's user may not write to ${table}: grant it SELECT, INSERT, UPDATE and DELETE, and USAGE on its schema`;
		case "42703":
			// Of a trigger's statement nothing is known.
			return /^column \S+ does not exist$|^column \S+ of relation /.test(messageOf(error)) &&
				namesNoOther(error, table)
				? `the table ${table} lacks a column: it was created for something else, so name another one with \`table\``
				: undefined;
		default:
			return describePool(messageOf(error));
	}
}

/** `pg` gives the errors of its Pool no code. */
function describePool(message: string): string | undefined {
	if (/^Cannot use a pool after calling end\b/.test(message))
		return "the Pool was ended: end it once the server has stopped and its requests are done";
	if (/^timeout exceeded when trying to connect/.test(message))
		return "its Pool gave no connection in time: give the store a Pool of its own, since handlers may hold those of a shared one, and check that the server is up";
	return undefined;
}

function namesNoOther(error: unknown, table: string): boolean {
	const [, relation] = / of relation "([^"]*)"/.exec(messageOf(error)) ?? [];
	return relation === undefined || table.endsWith(relation);
}

function messageOf(error: unknown): string {
	return String(findInChain(error, "message"));
}
