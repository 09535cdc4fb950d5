import type { MessageRecord, Tapback } from "./messages.ts";
import type { World } from "./world.ts";

/** Adds a tapback: one of the same person on the same part gives way to it, as on phones. Ours. */
export function addTapback(world: World, record: MessageRecord, tapback: Tapback): void {
	record.tapbacks = [...record.tapbacks.filter((other) => !isSamePlace(other, tapback)), tapback];
	world.messages.changed(record);
}

/** Removes a tapback; one that is not there is no mistake. */
export function removeTapback(world: World, record: MessageRecord, tapback: Tapback): void {
	record.tapbacks = record.tapbacks.filter(
		(other) => !isSamePlace(other, tapback) || other.reaction !== tapback.reaction,
	);
	world.messages.changed(record);
}

function isSamePlace(left: Tapback, right: Tapback): boolean {
	return left.by === right.by && left.partIndex === right.partIndex;
}
