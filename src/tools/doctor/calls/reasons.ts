import { isJsonObject } from "../../../library/is-object.ts";
import type { ProbeResponse } from "./probe-response.ts";

/** The reason that a rejection names. */
export type RejectionReason = "timestamp" | "nonce" | "header" | "app_id" | "signature";

const PATTERNS: readonly (readonly [RejectionReason, RegExp])[] = [
	[
		"header",
		/\b(authorization|x-app-id|x-timestamp|x-nonce)\b.{0,40}\b(missing|required|absent|not (found|present|set))\b/i,
	],
	["nonce", /nonce|replay/i],
	["timestamp", /timestamp|clock|skew/i],
	["app_id", /\bapp.?(id|key)\b|unknown.?app|client.?id/i],
	["signature", /signature|hmac/i],
];

/** The reason that a rejection names, if it names exactly one: codes first, then the message. */
export function readReason(read: ProbeResponse): RejectionReason | undefined {
	if (isAboutTimestamp(read)) return "timestamp";
	const { code, message, details } = read.error ?? {};
	const reason = isJsonObject(details) ? details["reason"] : undefined;
	const own = findReason([code, reason]);
	// A code for every rejection says less than a message that names one reason.
	return own === undefined || own === "signature" ? (findReason([message]) ?? own) : own;
}

/** Whether the code, the reason or a field of an error names the timestamp: what a client reads of it. */
export function isAboutTimestamp({ error }: ProbeResponse): boolean {
	const { code, details } = error ?? {};
	const given: unknown[] = Array.isArray(details)
		? details.map(({ field, issue }) => `${field} ${issue}`)
		: [isJsonObject(details) && details["reason"]];
	return [code, ...given].some((reason) => typeof reason === "string" && /timestamp/i.test(reason));
}

function findReason(values: readonly unknown[]): RejectionReason | undefined {
	const text = values.filter((value) => typeof value === "string").join(" ");
	const named = PATTERNS.filter(([, pattern]) => pattern.test(text)).map(([reason]) => reason);
	// A missing header may match others too. A message that lists several reasons names none.
	return named[0] === "header" || named.length === 1 ? named[0] : undefined;
}
