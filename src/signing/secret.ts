import { utf8 } from "./bytes.ts";
import { createHmacKey, type HmacKey } from "./hash.ts";

/** Keys kept ready; with more secrets than this in turn, keys are only prepared again. */
const MAX_CACHED_KEYS = 64;
const keys = new Map<string, HmacKey>();

/**
 * Describes what makes a secret unusable; `undefined` if it is usable. Whitespace around a secret is a copying mistake
 * that would make every signature wrong, so it is rejected rather than silently trimmed.
 */
export function describeSecretProblem(secret: unknown): string | undefined {
	if (secret === undefined || secret === null) return "is missing";
	if (typeof secret !== "string") return `must be a string, got ${typeof secret}`;
	// A secret with a key was found usable before.
	if (keys.has(secret)) return undefined;
	if (secret.trim() === "") return "is empty";
	if (secret === "undefined" || secret === "null") return `is the string "${secret}": a variable was not set`;
	if (secret !== secret.trim()) return "has whitespace at its start or end: a copying mistake";
	if (!secret.isWellFormed()) return "is not well-formed Unicode";
	return undefined;
}

/** The HMAC key of a usable secret, from a bounded cache. */
export function keyOf(secret: string): HmacKey {
	const cached = keys.get(secret);
	if (cached !== undefined) return cached;
	const key = createHmacKey(utf8(secret));
	if (keys.size >= MAX_CACHED_KEYS) {
		const oldest = keys.keys().next();
		if (!oldest.done) keys.delete(oldest.value);
	}
	keys.set(secret, key);
	return key;
}
