import type { InboundMessage, InboundReaction, StatusUpdate } from "../catalogue/events.ts";
import type { Profile, VendorProfile } from "../catalogue/profile.ts";
import type { ShapeIssue } from "../errors.ts";
import { checkPayload, type FieldProblems } from "./check-payload.ts";
import { decodePayload, parseBody } from "./decode-payload.ts";
import type { EventPayloads, Payload } from "./event-fields.ts";
import type { RawBody } from "./read-body.ts";

/** The fields of a delivery besides its payload. */
export interface SignedFields {
	/**
	 * The event's id, which deduplicates. Every delivery of an event has the same id (assumed).
	 * @see Specification, section 6.1
	 */
	eventId: string;
	/** When this delivery was signed, in Unix seconds. */
	timestamp: number;
}

/** The fields of every event besides its payload. */
export interface EventFields extends SignedFields {
	/**
	 * The names of the fields that were filled, since they certainly mean nothing. These are absent ones, a `null`
	 * where none is due, and a fraction of a millisecond. It is `[]` if the payload came as documented.
	 */
	filled: readonly string[];
}

/** A contact wrote a message. */
export interface InboundMessageEvent extends EventFields {
	/** The kind of event. */
	kind: "inbound_message";
	/** The message. Fields that aren't documented are kept. */
	data: InboundMessage;
}

/** A message got a reaction. */
export interface InboundReactionEvent extends EventFields {
	/** The kind of event. */
	kind: "inbound_reaction";
	/** The reaction. Fields that aren't documented are kept. */
	data: InboundReaction;
}

/** The delivery status of a sent message changed. */
export interface StatusEvent extends EventFields {
	/** The kind of event. */
	kind: "status";
	/** The message and its status. Fields that aren't documented are kept. */
	data: StatusUpdate;
}

/** The kind of a payload that isn't as documented, and the fields that are. */
export type NarrowedPayload =
	| { readonly kind: "inbound_message"; readonly data: Partial<InboundMessage> }
	| { readonly kind: "inbound_reaction"; readonly data: Partial<InboundReaction> }
	| { readonly kind: "status"; readonly data: Partial<StatusUpdate> };

/** A verified event that this version doesn't know, or that isn't as documented. */
export interface UnknownEvent extends EventFields {
	/** The kind of event. */
	kind: "unknown";
	/**
	 * Why the event is unknown. `"type"`: its type is new. `"schema"`: the type is known, but the payload doesn't fit
	 * it.
	 */
	reason: "type" | "schema";
	/** The payload's `type`, if it has one. */
	type: string | undefined;
	/** The first 20 fields that aren't as documented. It is empty for a new type. */
	issues: readonly ShapeIssue[];
	/** How many fields, and items of lists, aren't as documented. It is 0 for a new type. */
	issueCount: number;
	/**
	 * The fields of a known type that are as documented or were filled. `narrowed.data` lacks the fields that `issues`
	 * names.
	 */
	narrowed: NarrowedPayload | undefined;
	/** The payload as it arrived. Nothing is filled, and `profile.events` has decoded nothing. */
	data: Record<string, unknown>;
}

/** A verified event. `switch` on `kind` to narrow `data`. */
export type WebhookEvent = InboundMessageEvent | InboundReactionEvent | StatusEvent | UnknownEvent;

/** An event, and the payload that was received: before a decoder, and before anything was filled. */
export interface ReadEvent {
	readonly event: WebhookEvent;
	readonly received: Payload;
}

/**
 * Reads the event of a verified delivery: the profile's decoder, then the kind, then what is certainly nothing. A payload
 * that is not as documented becomes an {@link UnknownEvent}.
 * @throws WebhookVerificationError `invalid_json`, `several_events` or `decode_failed`.
 */
export function readEvent(
	signed: SignedFields,
	body: RawBody,
	profile: Pick<Profile, "vendor" | "events" | "mapper"> | undefined,
): ReadEvent {
	const { eventId, timestamp } = signed;
	const received = parseBody(body);
	const payload = renameNumber(decodePayload(received, body, profile), profile?.vendor);
	const kind = findKind(payload);
	const { data, filled, problems } = checkPayload(kind, payload);
	const about = { eventId, timestamp, filled };
	if (kind !== undefined && problems === undefined) {
		const known: unknown = { ...about, kind, data };
		// The table, which a test compares with the types, has found nothing.
		return { event: known as WebhookEvent, received };
	}
	const { issues, issueCount, names } = problems ?? noProblems();
	const fitting: unknown = Object.fromEntries(Object.entries(data).filter(([name]) => !names.has(name)));
	const event: UnknownEvent = {
		...about,
		kind: "unknown",
		reason: kind === undefined ? "type" : "schema",
		type: typeof payload["type"] === "string" ? payload["type"] : undefined,
		issues,
		issueCount,
		narrowed: kind && ({ kind, data: fitting } as NarrowedPayload),
		data: received,
	};
	return { event, received };
}

/** New for each event: what a handler adds to a list must not be in the next one. */
function noProblems(): FieldProblems {
	return { issues: [], issueCount: 0, names: new Set() };
}

function renameNumber(payload: Payload, vendor: VendorProfile | undefined): Payload {
	const field = vendor?.messageNumberField;
	if (field === undefined || !Object.hasOwn(payload, field)) return payload;
	return { ...payload, nativeMessageNumber: payload[field] };
}

function findKind({ type, status }: Payload): keyof EventPayloads | undefined {
	if (type === "inbound_message" || type === "inbound_reaction") return type;
	// Section 6.4: a status has no `type` and is recognized by the field `status`. Some serializers write one.
	return (type == null || type === "status") && typeof status === "string" ? "status" : undefined;
}
