import type { Mistake } from "./explanation.ts";

const SECONDS = /^[1-9]\d{0,11}$/;
const MILLISECONDS = /^[1-9]\d{12}$/;

/** More than any proxy makes of it. */
const MAX_PARTS = 4;

/** The texts that may have been signed as the timestamp, as given first. */
export function readTimestamps(values: readonly string[]): string[] {
	if (values.length === 0) return [];
	const text = values.join(", ");
	const parts = text.split(",", MAX_PARTS).map((part) => part.trim());
	const seconds = parts.filter((part) => MILLISECONDS.test(part)).map((part) => part.slice(0, -3));
	return [...new Set([text, ...parts, ...seconds])].filter((part) => part !== "");
}

/** What alone makes the verification refuse the timestamp header, if anything. */
export function describeTimestamp(text: string, name: string): Mistake | undefined {
	if (SECONDS.test(text)) return undefined;
	if (MILLISECONDS.test(text.trim())) {
		return {
			cause: "timestamp_in_milliseconds",
			message: `${name} is in milliseconds, and it must be in seconds.`,
			fix: "Let the sender write and sign Math.floor(Date.now() / 1000).",
		};
	}
	if (text.includes(",")) {
		return {
			cause: "header_repeated",
			message: `${name} came more than once, joined with a comma.`,
			fix: "Find the proxy that adds the header again, and let it pass only the sender's on.",
		};
	}
	return {
		cause: "header_malformed",
		message: `${name} is not Unix time in seconds.`,
		fix: "Let the sender write whole seconds in decimal digits, and check that no proxy changes the header.",
	};
}

/** The timestamp in seconds, or `undefined` where it is no number. */
export function toSeconds(text: string): number | undefined {
	if (SECONDS.test(text)) return Number(text);
	return MILLISECONDS.test(text) ? Math.floor(Number(text) / 1000) : undefined;
}
