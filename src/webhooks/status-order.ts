import { MESSAGE_STATUSES, type MessageStatus, NEXT_STATUSES } from "../catalogue/shared.ts";
import { assertPositiveInteger } from "../check-options.ts";

/**
 * How a status relates to another one: `"forward"` if it may come later, `"backward"` if it should have come before,
 * `"repeat"` if it is the same, `"unordered"` if their order is not known.
 */
export type StatusChange = "forward" | "repeat" | "backward" | "unordered";

/**
 * Compares the status of a message with one that arrives. Updates come late and out of order; a `"backward"` one is
 * outdated. An unknown status is unordered to every other. The order is assumed: the specification only states that a
 * status progresses (section 3).
 *
 * @example
 * ```ts
 * compareStatus("sent", "read"); // "forward"
 * compareStatus("read", "delivered"); // "backward"
 * ```
 */
export function compareStatus(current: MessageStatus, arriving: MessageStatus): StatusChange {
	if (current === arriving) return "repeat";
	if (canReach(current, arriving)) return "forward";
	return canReach(arriving, current) ? "backward" : "unordered";
}

function canReach(from: string, to: string): boolean {
	// The statuses have no cycle, so this ends.
	const next = Object.hasOwn(NEXT_STATUSES, from) ? (NEXT_STATUSES[from] ?? []) : [];
	return next.includes(to) || next.some((status) => canReach(status, to));
}

/** What a tracker returns for an update. */
export interface TrackedStatus {
	/** The status that the message has now. */
	readonly status: MessageStatus;
	/** How the update relates to the previous status; the first one of a message is `"forward"`. */
	readonly change: StatusChange;
}

/** Keeps the furthest status of each message. */
export interface StatusTracker {
	/** Records an update. An unordered one replaces the status, since it may be newer; a backward one does not. */
	update(messageId: string, status: MessageStatus): TrackedStatus;
	/** The status of a message, or `undefined` if none was seen. */
	get(messageId: string): MessageStatus | undefined;
}

/**
 * Makes a tracker that keeps the furthest status of each message, in memory and bounded.
 * @param options - `maxMessages`: how many messages are kept; those updated longest ago are forgotten. Default 10,000.
 * @throws ConfigurationError if `maxMessages` is not an integer of at least 1.
 */
export function createStatusTracker(options: { maxMessages?: number } = {}): StatusTracker {
	const { maxMessages = 10_000 } = options;
	assertPositiveInteger("maxMessages", maxMessages);
	const progress = new Map<string, Progress>();

	return {
		update(messageId, arriving) {
			const current = progress.get(messageId);
			const change = current === undefined ? "forward" : compareProgress(current, arriving);
			const isNews = change === "forward" || change === "unordered";
			const status = current === undefined || isNews ? arriving : current.status;
			const isOrdered = KNOWN_STATUSES.has(status);
			// Deleted first: the message becomes the youngest.
			progress.delete(messageId);
			progress.set(messageId, { status, ordered: isOrdered ? status : current?.ordered });
			const oldest = progress.keys().next();
			if (progress.size > maxMessages && !oldest.done) progress.delete(oldest.value);
			return { status, change };
		},
		get: (messageId) => progress.get(messageId)?.status,
	};
}

const KNOWN_STATUSES: ReadonlySet<string> = /* @__PURE__ */ new Set(MESSAGE_STATUSES);

interface Progress {
	readonly status: MessageStatus;
	/** The last known status: after an unknown one, the message must not fall back behind it. */
	readonly ordered: MessageStatus | undefined;
}

function compareProgress({ status, ordered }: Progress, arriving: MessageStatus): StatusChange {
	const change = compareStatus(status, arriving);
	if (change !== "unordered" || ordered === undefined) return change;
	const earlier = compareStatus(ordered, arriving);
	return earlier === "forward" ? change : earlier;
}
