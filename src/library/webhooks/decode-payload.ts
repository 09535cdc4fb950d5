import { NEEDS_MAPPER } from "../catalogue/needs-mapper.ts";
import type { Profile } from "../catalogue/profile.ts";
import { ConfigurationError, WebhookVerificationError } from "../errors.ts";
import { isJsonObject } from "../is-object.ts";
import { decodeUtf8 } from "../signing/bytes.ts";
import type { Payload } from "./event-fields.ts";
import type { RawBody } from "./read-body.ts";

/**
 * The JSON object in a raw body.
 * @throws WebhookVerificationError `invalid_json`, or `several_events` for an array.
 */
export function parseBody(body: RawBody): Payload {
	let parsed: unknown;
	try {
		// Some libraries write a byte order mark, which a parser may ignore (RFC 8259, section 8.1).
		parsed = JSON.parse(readText(body).replace(/^\uFEFF/, ""));
	} catch (error) {
		// The parser's own message quotes the payload; ours is about the host.
		if (error instanceof ConfigurationError) throw error;
	}
	if (isJsonObject(parsed)) return parsed;
	const [code, problem] = Array.isArray(parsed)
		? ([
				"several_events",
				`is an array of ${parsed.length} events, which have one event id together`,
			] as const)
		: (["invalid_json", "isn't a JSON object"] as const);
	throw new WebhookVerificationError(code, `the signature is right, but the body ${problem}`);
}

/** A raw body as text. @throws TypeError if its bytes are not UTF-8. */
export function readText(body: RawBody): string {
	// A string is signed as UTF-8, which has no lone surrogates.
	return typeof body === "string" ? body.toWellFormed() : decodeUtf8(body);
}

/** The part of a profile that says how payloads differ. */
type EventProfile = Pick<Profile, "events" | "mapper">;

/**
 * What turns a payload into the documented form, if the profile has it.
 * @throws WebhookVerificationError `configuration` for a map that nothing can read.
 */
export function decoderOf({
	events,
	mapper,
}: EventProfile = {}): NonNullable<Profile["events"]>["decode"] | undefined {
	const { decode, map } = events ?? {};
	if (map === undefined) return decode;
	if (mapper !== undefined) return (payload) => mapper.decodeEvent(map, payload);
	throw new WebhookVerificationError("configuration", `profile.events.map ${NEEDS_MAPPER}`);
}

/**
 * A payload in the documented form.
 * @throws WebhookVerificationError `decode_failed` if the profile's decoder throws, or returns no object.
 */
export function decodePayload(received: Payload, body: RawBody, profile: EventProfile | undefined): Payload {
	const events = profile?.events;
	// Each event comes through here: without a map nothing more is called.
	const decode = events?.map === undefined ? events?.decode : decoderOf(profile);
	if (decode === undefined) return received;
	let decoded: unknown;
	try {
		// A decoder may change what it gets.
		decoded = decode(parseBody(body));
		// An event has fields of its own: JSON drops what an instance inherits, and a kept object may change.
		if (isJsonObject(decoded) && typeof decoded["then"] !== "function") return { ...decoded };
	} catch (error) {
		throw decodeFailed("threw. Fix the decoder: its error is the cause", {
			cause: error,
		});
	}
	// A promise that rejects must not end the process.
	Promise.resolve(decoded).catch(() => undefined);
	throw decodeFailed("must return an object, and no promise");
}

function decodeFailed(problem: string, options?: ErrorOptions): WebhookVerificationError {
	return new WebhookVerificationError("decode_failed", `profile.events.decode ${problem}`, options);
}
