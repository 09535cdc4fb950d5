import { isJsonObject } from "../../catalogue/check.ts";
import { shownGatewayCode } from "../../errors.ts";
import { namesTimestamp, type ReadResponse } from "../answer.ts";
import type { DiagnosisFinding } from "./diagnosis.ts";
import type { Responded } from "./probe.ts";

/** What a refusal says that it is for. */
export type RefusalReason = "timestamp" | "nonce" | "header" | "app_id";

const WORDS: readonly (readonly [RefusalReason, RegExp])[] = [
	[
		"header",
		/\b(authorization|x-app-id|x-timestamp|x-nonce)\b.{0,40}\b(missing|required|absent|not (found|present|set))\b/i,
	],
	["nonce", /nonce|replay/i],
	["timestamp", /timestamp|clock|skew/i],
	["app_id", /\bapp.?(id|key)\b|unknown.?app|client.?id/i],
];

/** The reason that a refusal gives, where it gives one and no other: codes first, then the sentence. */
export function readReason(read: ReadResponse): RefusalReason | undefined {
	if (namesTimestamp(read)) return "timestamp";
	const { code, message, details } = read.error ?? {};
	const reason = isJsonObject(details) ? details["reason"] : undefined;
	return findReason([code, reason]) ?? findReason([message]);
}

function findReason(texts: readonly unknown[]): RefusalReason | undefined {
	const said = texts.filter((text) => typeof text === "string").join(" ");
	const named = WORDS.filter(([, words]) => words.test(said)).map(([reason]) => reason);
	// A missing header is named as well, and a sentence that lists all that could be wrong says nothing.
	return named[0] === "header" || named.length === 1 ? named[0] : undefined;
}

/** What of a refusal may be shown, as a sentence to add: its own words may repeat what was sent. */
export function quote({ read }: Responded): string {
	if (read.error === undefined) return " The refusal has no error envelope.";
	const code = shownGatewayCode(read.error.code);
	const said = code === undefined ? "" : ` The gateway's code is ${code}.`;
	return `${said} gatewayMessage, of the error of any signed call, has its own words.`;
}

/** Every signed call is refused, and nothing tells why. */
export function describeRefusals(
	ending: Responded,
	{ forms, isClockKnown }: { forms: number; isClockKnown: boolean },
): DiagnosisFinding {
	const { status } = ending.read;
	const right = status === 403 ? ", or the app may not read mappings" : "";
	const tried =
		forms > 1 ? `, whichever of ${forms} signing forms it has` : " in the one form that could be tried";
	const clock = isClockKnown ? "" : ", or our clock is off, which no answer shows";
	return {
		cause: "credentials_or_dialect",
		certainty: "likely",
		isBlocking: true,
		message: `Every signed call is answered ${status}${tried}: the app id or the secret is wrong, or the gateway signs in another form${clock}${right}. These cannot be told apart.${quote(ending)}`,
		fix: "Copy the app id and the App Secret again from the account that belongs to this baseUrl; the webhook secret is another one. If they are right, ask for the gateway's string to sign for one request, and compare it with stringToSign of signRequest.",
	};
}

/** Every signed call is refused, and the gateway says that it is for the app id. */
export function describeUnknownApp(ending: Responded): DiagnosisFinding {
	return {
		cause: "app_id_unknown",
		certainty: "likely",
		isBlocking: true,
		message: `Signed calls are refused, and the gateway names the app id.${quote(ending)}`,
		fix: "Copy the app id again from the account that belongs to this baseUrl; look for one of another environment, and for the id and the secret having changed places.",
	};
}

/** The gateway misses a header that was sent. */
export function describeDroppedHeader(ending: Responded): DiagnosisFinding {
	return {
		cause: "header_dropped",
		certainty: "likely",
		isBlocking: true,
		message: `The gateway misses a header that was sent.${quote(ending)}`,
		fix: "Find what stands in between, and let it pass Authorization, X-App-Id, X-Timestamp and X-Nonce on as they are.",
	};
}

/** A nonce that was never used before is refused. */
export function describeNonce(ending: Responded): DiagnosisFinding {
	return {
		cause: "nonce_rejected",
		certainty: "likely",
		isBlocking: true,
		message: `The gateway refuses a nonce that was never used before.${quote(ending)}`,
		fix: "Look for what sends each request twice, such as a proxy that repeats or mirrors them.",
	};
}

/** The timestamp is refused, and no other one can be had. */
export function describeTimestamp(ending: Responded, isClockKnown: boolean): DiagnosisFinding {
	return {
		cause: "timestamp_rejected",
		certainty: "likely",
		isBlocking: true,
		message: `The gateway refuses the timestamp, ${isClockKnown ? "though it is that of its own answers" : "and no answer shows its clock"}.${quote(ending)}`,
		fix: isClockKnown
			? "Ask who runs the gateway to compare its clock with that of the proxy in front of it, which may be what writes Date."
			: "Set this machine's clock by NTP; in a browser, let the gateway expose Date, so that the client can correct it.",
	};
}

/** The user's own nonces repeat. */
export const NONCE_REPEATED: DiagnosisFinding = {
	cause: "nonce_repeated",
	certainty: "certain",
	isBlocking: true,
	message:
		"createNonce, or the signer, returned the same nonce for two requests: the gateway refuses the second one.",
	fix: "Return a new random UUID from each call, or leave createNonce out.",
};
