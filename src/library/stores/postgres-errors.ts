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
