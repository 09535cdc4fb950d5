import type { MessageRecord, Tapback } from "./records.ts";
import type { World } from "./world.ts";

/** Adds a tapback; it replaces one of the same person on the same part, as on phones. Assumed. */
export function addTapback(world: World, record: MessageRecord, tapback: Tapback): void {
	record.tapbacks = [...record.tapbacks.filter((other) => !isSamePlace(other, tapback)), tapback];
	world.messages.changed(record);
}

/** Removes a tapback, if it is there. */
export function removeTapback(world: World, record: MessageRecord, tapback: Tapback): void {
	record.tapbacks = record.tapbacks.filter(
		(other) => !isSamePlace(other, tapback) || other.reaction !== tapback.reaction,
	);
	world.messages.changed(record);
}

function isSamePlace(left: Tapback, right: Tapback): boolean {
	return left.by === right.by && left.partIndex === right.partIndex;
}
