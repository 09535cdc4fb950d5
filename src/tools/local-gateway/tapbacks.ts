import type { MessageRecord, Tapback } from "./records.ts";
import type { World } from "./world.ts";

/** Adds a tapback; it replaces one of the same person on the same part, as on phones. Assumed. */
export function addTapback(world: World, record: MessageRecord, tapback: Tapback): void {
	record.tapbacks = [...record.tapbacks.filter((other) => !isSamePlace(other, tapback)), tapback];
	world.messages.changed(record);
}

/** Removes a tapback, if it is there. */
export function removeTapback(world: World, record: MessageRecord, tapback: Tapback): void {
	record.tapbacks = record.tapbacks.filter((other) => !isSame(other, tapback));
	world.messages.changed(record);
}

export function hasTapback({ tapbacks }: MessageRecord, tapback: Tapback): boolean {
	return tapbacks.some((other) => isSame(other, tapback));
}

function isSame(left: Tapback, right: Tapback): boolean {
	return isSamePlace(left, right) && left.reaction === right.reaction;
}

function isSamePlace(left: Tapback, right: Tapback): boolean {
	return left.by === right.by && left.partIndex === right.partIndex;
}
