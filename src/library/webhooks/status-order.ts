import { type MessageStatus, NEXT_STATUSES } from "../catalogue/shared.ts";

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
