import type { EventMap } from "../../../library/catalogue/event-map.ts";
import type { PlannedEvent } from "./event-types.ts";

/** Makes one of events that differ only in their type, such as `message.sent` and `message.delivered`. */
export function mergeEvents(events: readonly PlannedEvent[]): PlannedEvent[] {
	const merged: PlannedEvent[] = [];
	for (const event of events) {
		const at = merged.findIndex((other) => areAlike(other, event));
		const known = merged[at];
		if (known === undefined) merged.push(event);
		else merged[at] = both(known, event);
	}
	return merged;
}

function areAlike(left: PlannedEvent, right: PlannedEvent): boolean {
	if (left.map === undefined || right.map === undefined) {
		const open = [left, right].map(({ map, questions }) => JSON.stringify([map, questions]));
		return left.map === right.map && open[0] === open[1];
	}
	return JSON.stringify(withoutValues(left.map)) === JSON.stringify(withoutValues(right.map));
}

/** A map without the values of its marks, and of a field that is at one of them. */
function withoutValues({ when, fields, ...rest }: EventMap): unknown {
	const places = Object.keys(when);
	const plain = Object.entries(fields).map(([name, field]) => [
		name,
		isAtMark(field, when) && "at" in Object(field) ? places : field,
	]);
	return { ...rest, places, fields: Object.fromEntries(plain) };
}

function isAtMark(field: EventMap["fields"][string], when: EventMap["when"]): boolean {
	return typeof field === "object" && "at" in field && Object.hasOwn(when, field.at);
}

function both(left: PlannedEvent, right: PlannedEvent): PlannedEvent {
	if (left.map === undefined || right.map === undefined) return left;
	const { when: other, fields: others } = right.map;
	const when = Object.fromEntries(
		Object.entries(left.map.when).map(([place, marks]) => [place, joinMarks(marks, other[place])]),
	);
	const fields = Object.fromEntries(
		Object.entries(left.map.fields).map(([name, field]) => [name, joinField(field, others[name])]),
	);
	return {
		...left,
		map: { ...left.map, when, fields },
		notes: [...new Set([...left.notes, ...right.notes])],
	};
}

function joinMarks(
	left: EventMap["when"][string],
	right: EventMap["when"][string] | undefined,
): EventMap["when"][string] {
	const marks = [...new Set([left, right ?? []].flat(2))];
	const [only] = marks;
	return marks.length === 1 && only !== undefined ? only : marks;
}

function joinField(
	left: EventMap["fields"][string],
	right: EventMap["fields"][string] | undefined,
): EventMap["fields"][string] {
	if (typeof left !== "object" || !("at" in left) || left.map === undefined) return left;
	const more = typeof right === "object" && "at" in right ? right.map : undefined;
	return { ...left, map: { ...left.map, ...more } };
}
