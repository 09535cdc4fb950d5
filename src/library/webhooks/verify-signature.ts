import type { Profile } from "../catalogue/profile.ts";
import { webhookHeaderNames } from "../catalogue/webhook-headers.ts";
import { WebhookVerificationError } from "../errors.ts";
import { type Clock, systemClock } from "../runtime.ts";
import { constantTimeEqualHex } from "../signing/bytes.ts";
import { DIGEST_BYTES } from "../signing/hash.ts";
import type { HashInput, HmacKey } from "../signing/hashing.ts";
import { rememberedMs } from "../signing/remembered.ts";
import type { SignedFields } from "./events.ts";
import { type DeliveryHeaders, type HeadersInput, requireDeliveryHeaders } from "./headers.ts";
import { type RawBody, viewRawBytes } from "./read-body.ts";
import { resolveWebhookKeys, type WebhookSecret } from "./secret.ts";

/** More than any sender or proxy writes; a header above these limits is rejected before anything is hashed. */
export const MAX_SIGNATURES = 16;
export const MAX_SIGNATURE_HEADER_LENGTH = 4096;

/** Unix time as a delivery must have it: without sign, zero in front, fraction or exponent. */
export const UNIX_SECONDS = /^[1-9]\d{0,11}$/;
/** What Unix time in milliseconds looks like now. */
export const UNIX_MILLISECONDS = /^[1-9]\d{12}$/;

/**
 * Allows the whitespace of HTTP; `trim` would also remove whitespace beyond ASCII. It matches any 64
 * characters: the comparison that follows rejects what is not hex.
 */
const SIGNATURE = /^[ \t]*v1=(.{64})[ \t]*$/;
const SCHEME = "v1=";

/**
 * When a delivery arrived that waited in a log or a queue: a Date, or Unix milliseconds. Its timestamp is judged by
 * this time, and a time in the future counts as now. Record it yourself: a time from the delivery would let a captured
 * one pass at any time.
 */
export type ReceivedAt = Date | number;

/** A delivery as it arrived. */
export interface WebhookDelivery<Body extends RawBody = RawBody> {
	/** The raw body. A body that was parsed and stringified again never matches. */
	body: Body;
	/** The headers. */
	headers: HeadersInput;
	/** When it arrived, if it waited since. */
	receivedAt?: ReceivedAt | undefined;
}

/** How to verify deliveries. */
export interface VerifyWebhookOptions {
	/**
	 * The signing secret of the account dashboard, as a string or as bytes, or several during a rotation. Bytes are the
	 * key. A string is its text, or what `profile.events.secret` says.
	 * @default the environment variable MESSAGING_GATEWAY_WEBHOOK_SECRET
	 */
	secret?: WebhookSecret | undefined;
	/**
	 * How far the timestamp may lie behind your clock, in seconds: 0, which is strict, to 3,600. Exactly this far is
	 * accepted. The same limit holds ahead of your clock, up to 300.
	 * @default 300
	 */
	toleranceSeconds?: number | undefined;
	/** The clock to use: an object with `now`, which returns Unix milliseconds. @default the system clock */
	clock?: Pick<Clock, "now"> | undefined;
	/** Describes how webhooks differ: the vendor's word in the header names and the payload, and other payloads. */
	profile?: Pick<Profile, "vendor" | "events" | "mapper"> | undefined;
}

/** A delivery with a valid signature. Its body isn't parsed yet. */
export interface SignedDelivery<Body extends RawBody = RawBody> {
	/** The event's id. The signature doesn't cover it. */
	eventId: string;
	/** When the delivery was signed, in Unix seconds. */
	timestamp: number;
	/** The raw body, as you passed it. */
	body: Body;
}

/**
 * Checks the signature of a delivery over its raw bytes, and its timestamp. It is synchronous, and parses nothing.
 * @throws WebhookVerificationError with `code` and the `status` to respond with: `missing_header`,
 * `malformed_header`, `timestamp_out_of_tolerance`, `signature_mismatch`, `raw_body_unavailable`,
 * `configuration`.
 * @see Specification, section 6.1
 */
export function verifySignature<Body extends RawBody>(
	delivery: WebhookDelivery<Body>,
	options: VerifyWebhookOptions = {},
): SignedDelivery<Body> {
	assertArguments("verifySignature", delivery, options);
	const { eventId, timestamp } = checkSignature(delivery, options);
	return { eventId, timestamp, body: delivery.body };
}

/** Rejects arguments in a row, as other packages have them: their secret would be ignored. */
export function assertArguments(name: string, delivery: unknown, options: unknown): void {
	const { headers }: { headers?: unknown } = Object(delivery);
	if (Object(headers) === headers && Object(options) === options) return;
	throw new WebhookVerificationError(
		"configuration",
		`${name} needs the request's body and headers, then options: ${name}({ body, headers }, { secret })`,
	);
}

/** How {@link checkSignature} verifies. */
interface CheckOptions extends VerifyWebhookOptions {
	/** The largest tolerance that is accepted: where deliveries are bound it may be more. */
	readonly maxToleranceSeconds?: number;
}

/**
 * The check of {@link verifySignature}.
 * @param read - the headers, if they were read before.
 */
export function checkSignature(
	{ body, headers, receivedAt }: WebhookDelivery,
	options: CheckOptions,
	read?: DeliveryHeaders,
): SignedFields {
	const keys = resolveWebhookKeys(options.secret, options.profile);
	const { toleranceSeconds = 300, maxToleranceSeconds = MAX_TOLERANCE_SECONDS } = options;
	if (!isTolerance(toleranceSeconds, maxToleranceSeconds)) {
		throw new WebhookVerificationError(
			"configuration",
			`toleranceSeconds must be a number from 0 to ${maxToleranceSeconds}`,
		);
	}
	// First: without it nothing that the headers hold would help.
	const message = toMessage(body);
	const names = webhookHeaderNames(options.profile?.vendor);
	const { eventId, timestamp, signature } = read ?? requireDeliveryHeaders(headers, names);
	if (!isEventId(eventId)) {
		throw malformed(`${names.eventId} must be 1 to 256 visible ASCII characters without a comma`);
	}
	if (!UNIX_SECONDS.test(timestamp)) {
		const hint = UNIX_MILLISECONDS.test(timestamp) ? ": this one is in milliseconds" : "";
		throw malformed(`${names.timestamp} must be Unix time in seconds${hint}`);
	}
	const signatures = readSignatures(signature, names.signature);
	const signedAt = Number(timestamp);
	assertFresh(signedAt, toleranceSeconds, arrivalOf(receivedAt, options.clock));
	// One HMAC for each secret, compared with every signature.
	const matches = (key: HmacKey): boolean => {
		const expected = key.signHex(`${timestamp}.`, message);
		return signatures.some((hex) => constantTimeEqualHex(expected, hex));
	};
	if (signatures.length === 0 || !keys.some(matches)) {
		throw new WebhookVerificationError(
			"signature_mismatch",
			"no signature matches the raw body: check the secret, and that nothing parsed or changed the body before",
		);
	}
	return { eventId, timestamp: signedAt };
}

/** An hour: a captured delivery stays valid for this long. */
export const MAX_TOLERANCE_SECONDS = 3_600;

/** A day, where each delivery is bound to its event id for as long. More is likely a value in milliseconds. */
export const MAX_BOUND_TOLERANCE_SECONDS = 86_400;

/** Only a clock that is wrong signs ahead of ours, and no retry does: more would only prolong a replay. */
const MAX_AHEAD_SECONDS = 300;

export function isTolerance(seconds: unknown, maxSeconds: number): boolean {
	return typeof seconds === "number" && seconds >= 0 && seconds <= maxSeconds;
}

/**
 * How long a delivery is bound to its event id, in milliseconds: for as long as any process can accept a copy. The last
 * second of the tolerance counts in full.
 */
export function bindingMs(toleranceSeconds: number): number {
	return rememberedMs((toleranceSeconds + 1) * 1000, Math.min(toleranceSeconds, MAX_AHEAD_SECONDS) * 1000);
}

/** Whether a timestamp that lies this far ahead of our clock, or behind it if negative, is accepted. */
export function isFresh(driftSeconds: number, toleranceSeconds: number): boolean {
	return driftSeconds >= -toleranceSeconds && driftSeconds <= Math.min(toleranceSeconds, MAX_AHEAD_SECONDS);
}

/** Whether a value can be an event's id. It has no comma, because proxies join duplicate headers with it. */
export function isEventId(value: string): boolean {
	return /^[\x21-\x2b\x2d-\x7e]{1,256}$/.test(value);
}

/** The hex of the header's `v1` signatures, without those of another length, which cannot match. */
function readSignatures(value: string, name: string): string[] {
	// What nearly every delivery has: one signature, and no whitespace.
	if (value.length === SCHEME.length + 2 * DIGEST_BYTES && value.startsWith(SCHEME))
		return [value.slice(SCHEME.length)];
	const entries = value.split(",", MAX_SIGNATURES + 1);
	if (value.length > MAX_SIGNATURE_HEADER_LENGTH || entries.length > MAX_SIGNATURES) {
		throw malformed(`${name} holds more than ${MAX_SIGNATURES} signatures`);
	}
	const signatures: string[] = [];
	for (const entry of entries) {
		const hex = SIGNATURE.exec(entry)?.[1];
		if (hex !== undefined) signatures.push(hex);
	}
	return signatures;
}

function toMessage(body: unknown): HashInput {
	if (typeof body === "string") return body;
	const bytes = viewRawBytes(body);
	if (bytes !== undefined) return bytes;
	throw new WebhookVerificationError(
		"raw_body_unavailable",
		`body must be the raw string or bytes, but is ${body == null ? body : typeof body === "object" ? "an object" : `a ${typeof body}`}. ` +
			"Read it before anything parses it: re-serialized JSON has a different signature",
	);
}

/** When a delivery arrived, in Unix milliseconds. */
export function arrivalOf(
	receivedAt: ReceivedAt | undefined,
	clock: Pick<Clock, "now"> = systemClock,
): number {
	const now = clock.now();
	if (receivedAt === undefined) return now;
	// Untyped code may pass anything.
	const time = typeof receivedAt === "number" ? receivedAt : receivedAt?.getTime?.();
	// From 2001 to 2286: seconds and microseconds lie outside.
	if (time >= 1e12 && time < 1e13) return Math.min(time, now);
	throw new WebhookVerificationError("configuration", "receivedAt must be a Date or Unix milliseconds");
}

function assertFresh(timestamp: number, toleranceSeconds: number, arrivedAt: number): void {
	const driftSeconds = timestamp - Math.floor(arrivedAt / 1000);
	if (isFresh(driftSeconds, toleranceSeconds)) return;
	const isBehind = driftSeconds < 0;
	const acceptedSeconds = isBehind ? toleranceSeconds : Math.min(toleranceSeconds, MAX_AHEAD_SECONDS);
	throw new WebhookVerificationError(
		"timestamp_out_of_tolerance",
		`signed ${Math.abs(driftSeconds)} s ${isBehind ? "before" : "after"} it arrived; the limit is ${acceptedSeconds} s. ` +
			`${isBehind ? "It's a replay, it was late, or a clock is wrong. Correct the clock, or raise toleranceSeconds for late deliveries" : "Correct the clock that is wrong: this machine's, or the gateway's"}`,
	);
}

function malformed(message: string): WebhookVerificationError {
	return new WebhookVerificationError("malformed_header", message);
}
