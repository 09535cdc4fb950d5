/** Enough for a sentence and its advice. */
const MAX_LENGTH = 300;

/**
 * Describes a store's failure in the store's own words, which name the cause best, e.g. a missing table. A store has no
 * payload, signature or webhook secret that it could repeat; credentials in a URL are left out.
 */
export function describeStoreFailure(error: unknown): string {
	const { message, code }: { message?: unknown; code?: unknown } = Object(error);
	// Node's error for a name with several addresses has no message.
	const isSentence = (part: unknown): part is string => typeof part === "string" && part.trim() !== "";
	const [line = ""] = ([message, code].find(isSentence) ?? "it gave no reason").trim().split("\n", 1);
	return `the store failed: ${line.slice(0, MAX_LENGTH).replace(/\/\/[^\s/@]*@/g, "//…@")}`;
}
