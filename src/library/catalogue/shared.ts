import type { OpenEnum } from "./schema.ts";

/**
 * The known delivery statuses, each before those that may follow it. The order and `queued` are assumed; a gateway may
 * have more statuses.
 * @see specification, section 3
 */
export const MESSAGE_STATUSES = ["queued", "sent", "SMS_FALLBACK", "delivered", "read", "failed"] as const;

/**
 * Which status may follow which. The specification states that a status progresses (section 3); the order is ours.
 */
export const NEXT_STATUSES: Readonly<Record<string, readonly string[]>> = {
	queued: ["sent", "failed", "SMS_FALLBACK"],
	sent: ["delivered", "failed", "SMS_FALLBACK"],
	SMS_FALLBACK: ["delivered", "failed"],
	delivered: ["read"],
};

/** A delivery status. The complete set is not shown, so unknown values pass through. */
export type MessageStatus = OpenEnum<(typeof MESSAGE_STATUSES)[number]>;

/** Tapbacks. The specification names only `love` (section 6.3); the others are ours. */
export const REACTIONS = ["love", "like", "dislike", "laugh", "emphasize", "question"] as const;

/** A tapback: one of the known ones, or an emoji; unknown values pass through. */
export type Reaction = OpenEnum<(typeof REACTIONS)[number]>;

/** An attachment of a message or event. The shape of an item is not shown in the specification. */
export type ReceivedAttachment = Record<string, unknown>;
