import { isJsonObject } from "../../../library/is-object.ts";
import type { ReadSchema } from "../document/read-schema.ts";
import { timeUnitOf } from "../plan/plausible.ts";

/** How deep a response is looked at, and how much of each list and object. */
const MAX_DEPTH = 8;
const MAX_ITEMS = 20;
const MAX_PROPERTIES = 100;

/** Names that would reach what every object inherits. */
const INHERITED = ["__proto__", "constructor", "prototype"];

/**
 * The schema of what a gateway sent, in the form of those of its document.
 * @param documented - what the document says there: values that were not seen, and words.
 */
export function seenSchema(value: unknown, documented: ReadSchema | undefined): ReadSchema {
	return readSeen([value], documented, 0);
}

/** @param values - what was seen at one place: several in the items of a list. */
function readSeen(values: readonly unknown[], documented: ReadSchema | undefined, depth: number): ReadSchema {
	const present = values.filter((value) => value !== null && value !== undefined);
	const objects = depth < MAX_DEPTH ? present.filter(isJsonObject) : [];
	const lists = depth < MAX_DEPTH ? present.filter((value) => Array.isArray(value)) : [];
	const names = new Set(objects.flatMap((object) => Object.keys(object).slice(0, MAX_PROPERTIES)));
	const type = typeOf(present[0]) ?? documented?.type;
	const items = lists.flatMap((list: readonly unknown[]) => list.slice(0, MAX_ITEMS));
	const hasItems = items.length > 0 || documented?.items !== undefined;
	return {
		type,
		properties: Object.fromEntries(
			[...names]
				.filter((name) => !INHERITED.includes(name))
				.map((name) => [
					name,
					readSeen(
						objects.map((object) => object[name]),
						documented?.properties[name],
						depth + 1,
					),
				]),
		),
		required: [],
		items: type === "array" && hasItems ? readSeen(items, documented?.items, depth + 1) : undefined,
		choices: choicesOf(present, documented),
		hasDefault: false,
		words: documented?.words ?? "",
		format: formatOf(present) ?? documented?.format,
		seen: present,
	};
}

function typeOf(value: unknown): string | undefined {
	if (value === undefined || value === null) return undefined;
	if (Array.isArray(value)) return "array";
	return Number.isInteger(value) ? "integer" : typeof value;
}

/** The document's closed list, as long as nothing else was seen. */
function choicesOf(present: readonly unknown[], documented: ReadSchema | undefined): ReadSchema["choices"] {
	const choices = documented?.choices ?? [];
	const known: readonly unknown[] = choices;
	if (choices.length > 0 && present.every((value) => known.includes(value))) return choices;
	const texts = present.filter((value) => typeof value === "string");
	return texts.length === present.length ? [...new Set(texts)] : [];
}

/** Which unit the times of a place are in, if each can be one. */
function formatOf(present: readonly unknown[]): string | undefined {
	const [unit, ...others] = new Set(present.map(timeUnitOf));
	if (unit === undefined || others.length > 0) return undefined;
	return unit === "iso" ? "date-time" : unit === "s" ? "unix-time" : undefined;
}
