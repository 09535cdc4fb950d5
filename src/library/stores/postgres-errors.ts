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
			return `the database's user may not write to ${table}: grant it SELECT, INSERT, UPDATE and DELETE`;
		default:
			return isPoolEnded(error)
				? "the Pool was ended: end it once the server has stopped and its requests are done"
				: undefined;
	}
}

/** `pg` gives this no code. */
function isPoolEnded(error: unknown): boolean {
	return /^Cannot use a pool after calling end\b/.test(String(findInChain(error, "message")));
}
