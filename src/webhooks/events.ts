import * as z from "zod/mini";
import { describeIssue } from "../catalogue/check.ts";
import type { VendorProfile } from "../catalogue/profile.ts";
import { openEnum, schemaOf } from "../catalogue/schema.ts";
import {
	MESSAGE_STATUSES,
	type MessageStatus,
	REACTIONS,
	type Reaction,
	type ReceivedAttachment,
	receivedAttachment,
} from "../catalogue/shared.ts";
import type { ShapeIssue } from "../errors.ts";

/** What the three payloads share (specification, sections 6.2 to 6.4). */
export interface EventPayload {
	/** The message's UUID. */
	messageId: string;
	/** The sending number. */
	from: string;
	/** The receiving number. */
	to: string;
	/** Whether we sent the message. */
	outbound: boolean;
	/** The agent's number on the native network, whatever the vendor calls the field. */
	nativeMessageNumber: string;
	/** The numbers in the chat. */
	participants: string[];
	/** The chat's id on the native network. */
	chatGuid: string;
	/** The group's id, or `null` for an individual chat. */
	groupId: string | null;
	/** The message's id on the native network. */
	messageGuid: string;
	/** Unix milliseconds. */
	timestamp_ms: number;
}

/** A message that a contact wrote (specification, section 6.2). */
export interface InboundMessage extends EventPayload {
	type: "inbound_message";
	/** The text. */
	text: string;
	/** What is attached; the shape of an item is not shown in the specification. */
	attachments: ReceivedAttachment[];
	/** The account that the message belongs to. */
	accountId: string;
}

/** A tapback of a contact (specification, section 6.3). */
export interface InboundReaction extends EventPayload {
	type: "inbound_reaction";
	/** `messageGuid` of the message reacted to. */
	originalMessageGuid: string;
	/** Text of the message reacted to. */
	originalText: string;
	/** The reaction; the full list of values is not shown, so unknown ones pass through. */
	reaction: Reaction;
	/** The account that the message belongs to. */
	accountId: string;
}

/** Where the delivery of a sent message stands (specification, section 6.4). */
export interface StatusUpdate extends EventPayload {
	/** The status; unknown values pass through. */
	status: MessageStatus;
	/** The message's text. */
	text: string;
	/** What is attached; the shape of an item is not shown in the specification. */
	attachments: ReceivedAttachment[];
	/** The URL that was given at send time, or `null`. */
	status_callback: string | null;
	/** Why it failed, or `null`; the type of a value is not shown in the specification. */
	error: string | Record<string, unknown> | null;
}

const payload = {
	messageId: z.string(),
	from: z.string(),
	to: z.string(),
	outbound: z.boolean(),
	nativeMessageNumber: z.string(),
	participants: z.array(z.string()),
	chatGuid: z.string(),
	groupId: z.nullable(z.string()),
	messageGuid: z.string(),
	timestamp_ms: z.number(),
};

const inboundMessage = schemaOf<InboundMessage>()(
	z.looseObject({
		...payload,
		type: z.literal("inbound_message"),
		text: z.string(),
		attachments: z.array(receivedAttachment),
		accountId: z.string(),
	}),
);

const inboundReaction = schemaOf<InboundReaction>()(
	z.looseObject({
		...payload,
		type: z.literal("inbound_reaction"),
		originalMessageGuid: z.string(),
		originalText: z.string(),
		reaction: openEnum(REACTIONS),
		accountId: z.string(),
	}),
);

const statusUpdate = schemaOf<StatusUpdate>()(
	z.looseObject({
		...payload,
		status: openEnum(MESSAGE_STATUSES),
		text: z.string(),
		attachments: z.array(receivedAttachment),
		status_callback: z.nullable(z.string()),
		error: z.nullable(
			z.union([z.string(), z.record(z.string(), z.unknown())], "must be a string, an object or null"),
		),
	}),
);

/** What every event carries beside its payload. */
export interface EventFields {
	/** The event's unique id: the same over all deliveries of the event. */
	eventId: string;
	/** Unix time in seconds when this delivery was signed. */
	timestamp: number;
}

/** A contact wrote a message. */
export interface InboundMessageEvent extends EventFields {
	kind: "inbound_message";
	data: InboundMessage;
}

/** A contact reacted to a message. */
export interface InboundReactionEvent extends EventFields {
	kind: "inbound_reaction";
	data: InboundReaction;
}

/** The delivery of a sent message moved on. */
export interface StatusEvent extends EventFields {
	kind: "status";
	data: StatusUpdate;
}

/** A verified event that this version does not know, or whose payload is not as documented. */
export interface UnknownEvent extends EventFields {
	kind: "unknown";
	/** `"type"`: the type is new; `"schema"`: the type is known, but the payload does not fit it. */
	reason: "type" | "schema";
	/** The payload's `type`, where it has one. */
	type: string | undefined;
	/** Where the payload differs from its schema; empty for a new type. */
	issues: readonly ShapeIssue[];
	data: Record<string, unknown>;
}

/** A verified event; `switch` on `kind` narrows `data`. */
export type WebhookEvent = InboundMessageEvent | InboundReactionEvent | StatusEvent | UnknownEvent;

/** Narrows a verified payload. It never throws: what does not fit becomes an {@link UnknownEvent}. */
export function toWebhookEvent(
	fields: EventFields,
	parsed: Record<string, unknown>,
	vendor: VendorProfile | undefined,
): WebhookEvent {
	const data = withNeutralField(parsed, vendor?.messageNumberField);
	const type = typeof data["type"] === "string" ? data["type"] : undefined;
	const unknown = (reason: UnknownEvent["reason"], issues: readonly ShapeIssue[] = []): UnknownEvent => ({
		...fields,
		kind: "unknown",
		reason,
		type,
		issues,
		data,
	});
	if (type === "inbound_message") {
		const issues = findIssues(inboundMessage, data);
		return fits<InboundMessage>(data, issues) ? { ...fields, kind: type, data } : unknown("schema", issues);
	}
	if (type === "inbound_reaction") {
		const issues = findIssues(inboundReaction, data);
		return fits<InboundReaction>(data, issues) ? { ...fields, kind: type, data } : unknown("schema", issues);
	}
	// Section 6.4: a status has no `type` and is recognized by the field `status`.
	if (!Object.hasOwn(data, "type") && typeof data["status"] === "string") {
		const issues = findIssues(statusUpdate, data);
		return fits<StatusUpdate>(data, issues) ? { ...fields, kind: "status", data } : unknown("schema", issues);
	}
	return unknown("type");
}

function findIssues(schema: z.ZodMiniType, data: unknown): readonly ShapeIssue[] {
	const result = schema.safeParse(data);
	return result.success ? [] : result.error.issues.map(describeIssue);
}

/** The parsed payload itself is handed on, not the schema's copy, so that nothing of it is lost. */
function fits<Data>(_data: unknown, issues: readonly ShapeIssue[]): _data is Data {
	return issues.length === 0;
}

function withNeutralField(
	data: Record<string, unknown>,
	field = "nativeMessageNumber",
): Record<string, unknown> {
	if (field === "nativeMessageNumber" || !Object.hasOwn(data, field)) return data;
	return { ...data, nativeMessageNumber: data[field] };
}
