import type { EventMap, EventMark } from "../catalogue/event-map.ts";
import { isJsonObject } from "../is-object.ts";
import { readWireField } from "./decode-response.ts";
import { readSteps, valueAtSteps } from "./wire-path.ts";

/** A payload in the documented form, by the first map that fits. What none fits stays as it is. */
export function decodeEvent(
	maps: readonly EventMap[],
	payload: Record<string, unknown>,
): Record<string, unknown> {
	for (const { kind, when, root = "", fields } of maps) {
		const event = soleAtPath(payload, root);
		if (!isJsonObject(event) || !hasMarks(payload, when)) continue;
		// A field whose place is empty must not get what has its name: that may be somebody else's number.
		const kept = Object.entries(event).filter(([name]) => !Object.hasOwn(fields, name));
		const read = Object.entries(fields).map(
			([name, field]) => [name, readWireField(field, payload, {})] as const,
		);
		const given = read.filter(([, value]) => value !== undefined);
		return Object.fromEntries([...kept, ...given, ["type", kind]]);
	}
	return payload;
}

/** Whether a payload has all values by which an event is recognized. */
export function hasMarks(payload: unknown, when: EventMap["when"]): boolean {
	return Object.entries(when).every(([place, wanted]) => {
		const value = valueAtSteps(payload, readSteps(place) ?? []);
		return [wanted].flat().some((mark) => isMarked(value, mark));
	});
}

/** JSON libraries write what is not there in several ways. */
function isMarked(value: unknown, mark: EventMark): boolean {
	if (typeof mark !== "boolean") return value === mark;
	return mark === (value != null && value !== false && value !== "");
}

/** The value at a place; `undefined` if a list on the way has several items, of which the others would be lost. */
function soleAtPath(payload: unknown, path: string): unknown {
	const steps = readSteps(path) ?? [];
	const isSole = steps.every((_, at) => {
		const value = valueAtSteps(payload, steps.slice(0, at));
		return !Array.isArray(value) || value.length === 1;
	});
	return isSole ? valueAtSteps(payload, steps) : undefined;
}
