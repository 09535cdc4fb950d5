import type * as z from "zod/mini";
import { describeIssue, OWN_MESSAGES } from "../catalogue/check.ts";
import {
	type InboundMessage,
	type InboundReaction,
	inboundMessage,
	inboundReaction,
	type StatusUpdate,
	statusUpdate,
} from "../catalogue/events.ts";
import type { VendorProfile } from "../catalogue/profile.ts";
import type { ShapeIssue } from "../errors.ts";

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
	/** The fields that are not as documented; empty for a new type. */
	issues: readonly ShapeIssue[];
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
	const unknown = { eventId, timestamp, kind: "unknown", type, data } as const;
	if (type === "inbound_message") {
		const issues = findIssues(inboundMessage, data);
		if (fits<InboundMessage>(data, issues)) return { eventId, timestamp, kind: type, data };
		const narrowed: NarrowedPayload = { kind: type, data: pickFitting<InboundMessage>(data, issues) };
		return { ...unknown, reason: "schema", issues, narrowed };
	}
	if (type === "inbound_reaction") {
		const issues = findIssues(inboundReaction, data);
		if (fits<InboundReaction>(data, issues)) return { eventId, timestamp, kind: type, data };
		const narrowed: NarrowedPayload = { kind: type, data: pickFitting<InboundReaction>(data, issues) };
		return { ...unknown, reason: "schema", issues, narrowed };
	}
	// Section 6.4: a status has no `type` and is recognized by the field `status`.
	if (!Object.hasOwn(data, "type") && typeof data["status"] === "string") {
		const issues = findIssues(statusUpdate, data);
		if (fits<StatusUpdate>(data, issues)) return { eventId, timestamp, kind: "status", data };
		const narrowed: NarrowedPayload = { kind: "status", data: pickFitting<StatusUpdate>(data, issues) };
		return { ...unknown, reason: "schema", issues, narrowed };
	}
	return { ...unknown, reason: "type", issues: [], narrowed: undefined };
}

function findIssues(schema: z.ZodMiniType, data: unknown): readonly ShapeIssue[] {
	const result = schema.safeParse(data, OWN_MESSAGES);
	return result.success ? [] : result.error.issues.map((issue) => describeIssue(schema, issue));
}

/** Passes on the parsed payload itself, not the schema's copy, which may lack fields. */
function fits<Data>(_data: unknown, issues: readonly ShapeIssue[]): _data is Data {
	return issues.length === 0;
}

/** A copy without the fields that the issues name. */
function pickFitting<Data>(data: Record<string, unknown>, issues: readonly ShapeIssue[]): Partial<Data> {
	const unfit = new Set(issues.map(({ path }) => path.split(".", 1)[0]));
	const fitting: unknown = Object.fromEntries(Object.entries(data).filter(([name]) => !unfit.has(name)));
	// Every field that does not fit its schema has an issue, so the remaining documented fields fit.
	return fitting as Partial<Data>;
}
