import type { OpenEnum } from "./schema.ts";

/**
 * The known delivery statuses, each before those that may follow it. The order and `queued` are assumed, and your
 * gateway may have more statuses.
 * @see Specification, section 3
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

/** A delivery status. Unknown values pass through. */
export type MessageStatus = OpenEnum<(typeof MESSAGE_STATUSES)[number]>;

/**
 * The known tapbacks. The specification names only `love`, the others are assumed.
 * @see Specification, section 6.3
 */
export const REACTIONS = ["love", "like", "dislike", "laugh", "emphasize", "question"] as const;

/** A tapback or an emoji. Unknown values pass through. */
export type Reaction = OpenEnum<(typeof REACTIONS)[number]>;

/** An attachment of a message or event. The specification doesn't show its shape. */
export type ReceivedAttachment = Record<string, unknown>;
