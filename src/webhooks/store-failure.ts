import { readFailure } from "../client/safe-cause.ts";

/** Enough for a sentence and its advice. */
const MAX_LENGTH = 300;

/**
 * Describes a store's failure in the store's own words, which name the cause best, e.g. a missing table. A store has no
 * payload, signature or webhook secret that it could repeat; credentials in a URL are left out.
 */
export function describeStoreFailure(error: unknown): string {
	const { message }: { message?: unknown } = Object(error);
	const [line = ""] = typeof message === "string" ? message.trim().split("\n", 1) : [];
	// Node's error for a name with several addresses has no message.
	const { code, name } = readFailure(error);
	return `the store failed: ${line.slice(0, MAX_LENGTH).replace(/\/\/[^\s/@]*@/g, "//…@") || code || name}`;
}
