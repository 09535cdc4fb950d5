import type { InboundMessage, InboundReaction, StatusUpdate } from "../catalogue/events.ts";
import type { VendorProfile } from "../catalogue/profile.ts";
import type { ShapeIssue } from "../errors.ts";
import { type EventPayloads, type FieldProblems, findFieldProblems } from "./event-fields.ts";

/** The fields of every event besides its payload. */
export interface EventFields {
	/**
	 * The event's id, used to deduplicate (specification, section 6.1). We assume that every delivery of an event has
	 * the same id.
	 */
	eventId: string;
	/** Unix time in seconds when this delivery was signed. */
	timestamp: number;
}

/** A contact wrote a message. */
export interface InboundMessageEvent extends EventFields {
	/** The kind of event. */
	kind: "inbound_message";
	/** The message; fields that are not documented are kept. */
	data: InboundMessage;
}

/** A message got a reaction. */
export interface InboundReactionEvent extends EventFields {
	/** The kind of event. */
	kind: "inbound_reaction";
	/** The reaction; fields that are not documented are kept. */
	data: InboundReaction;
}

/** The delivery of a sent message moved on. */
export interface StatusEvent extends EventFields {
	/** The kind of event. */
	kind: "status";
	/** The message and its status; fields that are not documented are kept. */
	data: StatusUpdate;
}

/** The kind of a payload that is not as documented, and the fields that are. */
export type NarrowedPayload =
	| { readonly kind: "inbound_message"; readonly data: Partial<InboundMessage> }
	| { readonly kind: "inbound_reaction"; readonly data: Partial<InboundReaction> }
	| { readonly kind: "status"; readonly data: Partial<StatusUpdate> };

/** A verified event that this version does not know, or whose payload is not as documented. */
export interface UnknownEvent extends EventFields {
	/** The kind of event. */
	kind: "unknown";
	/** `"type"`: the type is new; `"schema"`: the type is known, but the payload does not fit it. */
	reason: "type" | "schema";
	/** The payload's `type`, if it has one. */
	type: string | undefined;
	/** The fields that are not as documented, of which the first 20 are listed; empty for a new type. */
	issues: readonly ShapeIssue[];
	/** How many fields, and items of lists, are not as documented; 0 for a new type. */
	issueCount: number;
	/** For a known type, the fields that are as documented: `narrowed.data` lacks those that `issues` names. */
	narrowed: NarrowedPayload | undefined;
	/** The payload. */
	data: Record<string, unknown>;
}

/** A verified event; `switch` on `kind` narrows `data`. */
export type WebhookEvent = InboundMessageEvent | InboundReactionEvent | StatusEvent | UnknownEvent;

/** Narrows a verified payload. It never throws: a payload that does not fit becomes an {@link UnknownEvent}. */
export function toWebhookEvent(
	{ eventId, timestamp }: EventFields,
	parsed: Record<string, unknown>,
	vendor: VendorProfile | undefined,
): WebhookEvent {
	const field = vendor?.messageNumberField ?? "nativeMessageNumber";
	const isRenamed = field !== "nativeMessageNumber" && Object.hasOwn(parsed, field);
	const data = isRenamed ? { ...parsed, nativeMessageNumber: parsed[field] } : parsed;
	const type = typeof data["type"] === "string" ? data["type"] : undefined;
	const kind = findKind(data);
	const problems = kind && findFieldProblems(kind, data);
	if (kind !== undefined && problems === undefined) {
		const known: unknown = { eventId, timestamp, kind, data };
		// The table, which a test compares with the types, has found nothing.
		return known as WebhookEvent;
	}
	const { issues, issueCount, names } = problems ?? NO_PROBLEMS;
	const about = { eventId, timestamp, kind: "unknown", type, issues, issueCount, data } as const;
	if (kind === undefined) return { ...about, reason: "type", narrowed: undefined };
	const fitting: unknown = Object.fromEntries(Object.entries(data).filter(([name]) => !names.has(name)));
	return { ...about, reason: "schema", narrowed: { kind, data: fitting } as NarrowedPayload };
}

const NO_PROBLEMS: FieldProblems = { issues: [], issueCount: 0, names: new Set() };

function findKind(data: Readonly<Record<string, unknown>>): keyof EventPayloads | undefined {
	const { type, status } = data;
	if (type === "inbound_message" || type === "inbound_reaction") return type;
	// Section 6.4: a status has no `type` and is recognized by the field `status`.
	return !Object.hasOwn(data, "type") && typeof status === "string" ? "status" : undefined;
}
