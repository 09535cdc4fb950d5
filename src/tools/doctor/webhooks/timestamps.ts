import { UNIX_MILLISECONDS, UNIX_SECONDS } from "../../../library/webhooks/verify-signature.ts";
import type { Mistake } from "./explanation.ts";

/** More than any proxy joins. */
const MAX_PARTS = 4;

/** The strings that may have been signed as the timestamp, the given one first. */
export function readTimestamps(values: readonly string[]): string[] {
	if (values.length === 0) return [];
	const given = values.join(", ");
	const parts = given.split(",", MAX_PARTS).map((part) => part.trim());
	const seconds = parts.filter((part) => UNIX_MILLISECONDS.test(part)).map((part) => part.slice(0, -3));
	return [...new Set([given, ...parts, ...seconds])].filter((part) => part !== "");
}

/** The fault for which the verification rejects the timestamp header, if there is one. */
export function describeTimestamp(timestamp: string, name: string): Mistake | undefined {
	if (UNIX_SECONDS.test(timestamp)) return undefined;
	if (UNIX_MILLISECONDS.test(timestamp.trim())) {
		return {
			cause: "timestamp_in_milliseconds",
			message: `${name} is in milliseconds, and it must be in seconds.`,
			fix: "Let the sender write and sign Math.floor(Date.now() / 1000).",
		};
	}
	if (timestamp.includes(",")) {
		return {
			cause: "header_repeated",
			message: `${name} came more than once, joined with a comma.`,
			fix: "Find the proxy that adds the header again, and let it pass only the sender's on.",
		};
	}
	return {
		cause: "header_malformed",
		message: `${name} isn't Unix time in seconds.`,
		fix: "Let the sender write whole seconds in decimal digits, and check that no proxy changes the header.",
	};
}

/** The timestamp in seconds, or `undefined` if it is not a number. */
export function toSeconds(timestamp: string): number | undefined {
	if (UNIX_SECONDS.test(timestamp)) return Number(timestamp);
	return UNIX_MILLISECONDS.test(timestamp) ? Math.floor(Number(timestamp) / 1000) : undefined;
}
