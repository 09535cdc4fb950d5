import type { ReadSchema } from "../document/read-schema.ts";
import { schemaLeaves, type WireLeaf } from "../plan/wire-leaves.ts";
import { joined } from "../plan/words.ts";
import type { EventFieldNames } from "./event-names.ts";

/** The object of a payload that is the event. */
export interface FoundRoot {
	/** Its place; empty for the payload itself. */
	readonly place: string;
	readonly schema: ReadSchema;
	/** Its values, by their places in it. */
	readonly leaves: readonly WireLeaf[];
}

const MAX_DEPTH = 4;
const MAX_OBJECTS = 60;

/** What a field counts by how deep it is in the object. */
const WEIGHTS = [1, 0.6, 0.3];

/** Finds the object in which most of our fields are. */
export function findRoot(payload: ReadSchema, fields: Readonly<Record<string, EventFieldNames>>): FoundRoot {
	const objects = objectsIn(payload, "", 0).slice(0, MAX_OBJECTS);
	const scored = objects.map(({ place, schema, depth }) => {
		const leaves = schemaLeaves(schema, 2);
		const sum = Object.values(fields).reduce((total, names) => {
			// A time stands around the event as well.
			if (names.type === "time") return total;
			const weights = leaves
				.filter((leaf) => isNamed(leaf, names.names.flat()) && (names.type === "list" || !leaf.isList))
				.map((leaf) => WEIGHTS[leaf.depth] ?? 0);
			return total + Math.max(0, ...weights);
		}, 0);
		return { root: { place, schema, leaves }, score: sum - depth * 0.5 };
	});
	const [best] = scored.sort((left, right) => right.score - left.score);
	return best?.root ?? { place: "", schema: payload, leaves: schemaLeaves(payload, 2) };
}

/** Whether a value has one of the names: its own, or with that of the object in which it is. */
export function isNamed(leaf: WireLeaf, names: readonly string[]): boolean {
	return namesOf(leaf).some((name) => names.includes(name));
}

/** `phone` of `sender` is `senderphone` too. */
export function namesOf({ key, context }: WireLeaf): string[] {
	const holder = joined(context.split(" ").at(-1) ?? "");
	return holder === "" ? [key] : [`${holder}${key}`, key];
}

interface SchemaObject {
	readonly place: string;
	readonly schema: ReadSchema;
	readonly depth: number;
}

function objectsIn(schema: ReadSchema, place: string, depth: number): SchemaObject[] {
	const inner = depth >= MAX_DEPTH ? [] : Object.entries(schema.properties).slice(0, MAX_OBJECTS);
	return [
		{ place, schema, depth },
		...inner.flatMap(([name, property]) => {
			if (/[.[\]{}?]/.test(name)) return [];
			const at = place === "" ? name : `${place}.${name}`;
			if (property.type === "object") return objectsIn(property, at, depth + 1);
			const { items } = property;
			return items?.type === "object" ? objectsIn(items, `${at}[]`, depth + 1) : [];
		}),
	];
}
