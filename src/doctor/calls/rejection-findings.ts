import { isJsonObject } from "../../catalogue/check.ts";
import { namesTimestamp, type ReadResponse } from "../../client/response.ts";
import { shownGatewayCode } from "../../errors.ts";
import type { DiagnosisFinding } from "./diagnosis.ts";
import type { Responded } from "./probe.ts";

/** The reason that a rejection names. */
export type RejectionReason = "timestamp" | "nonce" | "header" | "app_id";

const PATTERNS: readonly (readonly [RejectionReason, RegExp])[] = [
	[
		"header",
		/\b(authorization|x-app-id|x-timestamp|x-nonce)\b.{0,40}\b(missing|required|absent|not (found|present|set))\b/i,
	],
	["nonce", /nonce|replay/i],
	["timestamp", /timestamp|clock|skew/i],
	["app_id", /\bapp.?(id|key)\b|unknown.?app|client.?id/i],
];

/** The reason that a rejection names, if it names exactly one: codes first, then the message. */
export function readReason(read: ReadResponse): RejectionReason | undefined {
	if (namesTimestamp(read)) return "timestamp";
	const { code, message, details } = read.error ?? {};
	const reason = isJsonObject(details) ? details["reason"] : undefined;
	return findReason([code, reason]) ?? findReason([message]);
}

function findReason(values: readonly unknown[]): RejectionReason | undefined {
	const text = values.filter((value) => typeof value === "string").join(" ");
	const named = PATTERNS.filter(([, pattern]) => pattern.test(text)).map(([reason]) => reason);
	// A missing header may match others too. A message that lists several reasons names none.
	return named[0] === "header" || named.length === 1 ? named[0] : undefined;
}

/** What may be shown of a rejection, as sentences to append: its own message may quote what was sent. */
export function quote({ read }: Responded): string {
	if (read.error === undefined) return " The response has no error envelope.";
	const code = shownGatewayCode(read.error.code);
	const codeSentence = code === undefined ? "" : ` The gateway's code is ${code}.`;
	return `${codeSentence} Its message is gatewayMessage of the error of any signed call.`;
}

/** Every signed call is rejected, for an unknown reason. */
export function describeRejections(
	ending: Responded,
	{ forms, isClockKnown }: { forms: number; isClockKnown: boolean },
): DiagnosisFinding {
	const { status } = ending.read;
	const permission = status === 403 ? ", or the app may not read mappings" : "";
	const tried =
		forms > 1 ? `, in each of ${forms} signing forms` : " in the only signing form that could be tried";
	const clock = isClockKnown ? "" : ", or our clock is off, which no response shows";
	return {
		cause: "credentials_or_dialect",
		certainty: "likely",
		isBlocking: true,
		message: `Every signed call got ${status}${tried}: the app id or the secret is wrong, or the gateway uses another signing form${clock}${permission}. The responses do not show which.${quote(ending)}`,
		fix: "Copy the app id and the App Secret again from the account that belongs to this baseUrl; the webhook secret is a different one. If they are correct, ask for the gateway's string to sign for one request, and compare it with stringToSign of signRequest.",
	};
}

/** Every signed call is rejected, and the gateway names the app id as the reason. */
export function describeUnknownApp(ending: Responded): DiagnosisFinding {
	return {
		cause: "app_id_unknown",
		certainty: "likely",
		isBlocking: true,
		message: `Signed calls are rejected, and the gateway names the app id as the reason.${quote(ending)}`,
		fix: "Copy the app id again from the account that belongs to this baseUrl; check that it is not from another environment, and that the id and the secret are not swapped.",
	};
}

/** The gateway reports that a header is missing, though it was sent. */
export function describeDroppedHeader(ending: Responded): DiagnosisFinding {
	return {
		cause: "header_dropped",
		certainty: "likely",
		isBlocking: true,
		message: `The gateway reports that a header is missing, though it was sent.${quote(ending)}`,
		fix: "Find the proxy in between, and let it forward Authorization, X-App-Id, X-Timestamp and X-Nonce unchanged.",
	};
}

/** A nonce that was never used before is rejected. */
export function describeNonce(ending: Responded): DiagnosisFinding {
	return {
		cause: "nonce_rejected",
		certainty: "likely",
		isBlocking: true,
		message: `The gateway rejects a nonce that was never used before.${quote(ending)}`,
		fix: "Look for something that sends each request twice, such as a proxy that retries or mirrors requests.",
	};
}

/** The timestamp is rejected, and no better one is known. */
export function describeTimestamp(ending: Responded, isClockKnown: boolean): DiagnosisFinding {
	return {
		cause: "timestamp_rejected",
		certainty: "likely",
		isBlocking: true,
		message: `The gateway rejects the timestamp, ${isClockKnown ? "though it agrees with the time in its responses" : "and no response shows its clock"}.${quote(ending)}`,
		fix: isClockKnown
			? "Ask the gateway's operator to compare its clock with that of the proxy in front of it, which may set Date."
			: "Set this machine's clock by NTP; in a browser, let the gateway expose Date, by which the client corrects its clock.",
	};
}

/** The user's `createNonce` or signer repeats a nonce. */
export const NONCE_REPEATED: DiagnosisFinding = {
	cause: "nonce_repeated",
	certainty: "certain",
	isBlocking: true,
	message:
		"createNonce, or the signer, returned the same nonce for two requests: the gateway rejects the second one.",
	fix: "Return a new random UUID from each call, or leave createNonce out.",
};
