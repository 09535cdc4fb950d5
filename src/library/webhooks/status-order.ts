import { MESSAGE_STATUSES, type MessageStatus, NEXT_STATUSES } from "../catalogue/shared.ts";

/**
 * Sorts statuses in the order of `MESSAGE_STATUSES`, which is assumed. Other statuses come last, as they were. To tell
 * whether a status that arrives is out of date, use `isOutdatedStatus`.
 *
 * @example
 * ```ts
 * ["read", "sent", "delivered"].sort(compareStatus); // ["sent", "delivered", "read"]
 * ```
 * @returns below 0 if `first` comes before `second`, above 0 if after it, and 0 if neither.
 */
export function compareStatus(first: MessageStatus, second: MessageStatus): number {
	return positionOf(first) - positionOf(second);
}

const ORDER: readonly string[] = MESSAGE_STATUSES;

function positionOf(status: string): number {
	const at = ORDER.indexOf(status);
	return at < 0 ? ORDER.length : at;
}

/**
 * Checks whether a status that arrives should have come before the one that you have. Updates come late and out of
 * order. It is `false` for the same status, and if the two have no order, such as `read` and `failed` or a status that
 * this version doesn't know. The order is assumed: the specification only says that a status progresses.
 *
 * @example
 * ```ts
 * isOutdatedStatus("sent", "read"); // false
 * isOutdatedStatus("read", "delivered"); // true
 * ```
 * @see Specification, section 3
 */
export function isOutdatedStatus(known: MessageStatus, arriving: MessageStatus): boolean {
	// The statuses have no cycle, so this ends.
	const next = Object.hasOwn(NEXT_STATUSES, arriving) ? (NEXT_STATUSES[arriving] ?? []) : [];
	return next.includes(known) || next.some((status) => isOutdatedStatus(known, status));
}
