import type { EventMap } from "../../../library/catalogue/event-map.ts";
import { readSteps, valueAtSteps } from "../../../library/maps/wire-path.ts";
import type { Payload } from "../../../library/webhooks/event-fields.ts";
import { put, writeFields } from "./write-mapped-response.ts";

/** Writes a documented payload as the gateway does from whose events a receiver reads it by the same maps. */
export function writeMappedEvent(maps: readonly EventMap[], payload: Payload): object {
	const map = chooseMap(maps, payload);
	if (map === undefined) return payload;
	const { root = "", fields, when } = map;
	const { type: _, ...named } = payload;
	const kept = Object.entries(named).filter(([name]) => !Object.hasOwn(fields, name));
	const event = put({}, root, Object.fromEntries(kept));
	return Object(addMarks(writeFields(fields, payload, event), when));
}

/** The map of the payload's kind whose constants are the payload's, as far as one has any. */
function chooseMap(maps: readonly EventMap[], payload: Payload): EventMap | undefined {
	const { type, status } = payload;
	const isStatus = (type == null || type === "status") && typeof status === "string";
	const kind = isStatus ? "status" : type;
	const scored = maps
		.filter((map) => map.kind === kind)
		.map((map) => ({ map, score: scoreOf(map, payload) }));
	return scored.sort((left, right) => right.score - left.score)[0]?.map;
}

function scoreOf({ fields }: EventMap, payload: Payload): number {
	const scores = Object.entries(fields).map(([name, field]) => {
		const value = payload[name];
		if (typeof field === "string") return 0;
		if ("value" in field) return field.value === value ? 1 : -1;
		return Object.values(field.map ?? {}).includes(value) ? 1 : 0;
	});
	return scores.reduce<number>((sum, score) => sum + score, 0);
}

/** Adds the values by which the event is recognized, where none of its fields is. */
function addMarks(event: unknown, when: EventMap["when"]): unknown {
	return Object.entries(when).reduce<unknown>((written, [place, wanted]) => {
		if (valueAtSteps(written, readSteps(place) ?? []) !== undefined) return written;
		const [mark]: readonly (string | number | boolean)[] = [wanted].flat();
		return put(written, place, mark);
	}, event);
}
