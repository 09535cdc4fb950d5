import type { EventMap } from "../../../library/catalogue/event-map.ts";
import { valueMap } from "../plan/match-choices.ts";
import type { WireLeaf } from "../plan/wire-leaves.ts";
import type { EventFieldNames } from "./event-names.ts";

const EMOJIS = {
	"❤️": "love",
	"👍": "like",
	"👎": "dislike",
	"😂": "laugh",
	"‼️": "emphasize",
	"❓": "question",
};
const DIRECTIONS = { inbound: false, incoming: false, in: false, outbound: true, outgoing: true, out: true };

/** A field at a place, with its unit or its values. */
export function fieldAt(leaf: WireLeaf, { type, values }: EventFieldNames): EventMap["fields"][string] {
	const { key, schema } = leaf;
	// A list of texts has its first, where one is due.
	const place = type === "list" || type === "anything" ? leaf.place.replace(/\[\]$/, "") : leaf.place;
	if (type === "time") {
		const isUnix = schema.format !== "date-time" && /\b(unix|epoch)\b/i.test(schema.words);
		if (schema.type === "string" && isUnix) return { at: place, unit: isInSeconds(leaf) ? "s" : "ms" };
		if (schema.type === "string" || schema.format === "date-time") return { at: place, unit: "iso" };
		return isInSeconds(leaf) ? { at: place, unit: "s" } : place;
	}
	if (type === "boolean") {
		if (schema.type === "boolean")
			return /inbound|incoming/.test(key) ? { at: place, map: { true: false, false: true } } : place;
		return { at: place, map: valueMap("outbound", schema.choices) ?? DIRECTIONS };
	}
	if (type === "string" && schema.type === "integer") return { at: place, text: true };
	if (values === undefined) return place;
	const map = valueMap(values, schema.choices);
	if (map !== undefined) return { at: place, map };
	const isEmoji = values === "reaction" && /emoji/i.test(`${key} ${schema.words}`);
	return isEmoji && schema.choices.length === 0 ? { at: place, map: EMOJIS } : place;
}

function isInSeconds({ key, schema: { words } }: WireLeaf): boolean {
	return /\bsec|epoch sec|unix time(?!.*milli)/i.test(words) && !/ms$/.test(key) && !/milli/i.test(words);
}

/** What to know of a time whose unit the document does not say. */
export function unitNote(leaf: WireLeaf, { type }: EventFieldNames): string | undefined {
	const { key, place, schema } = leaf;
	const isNumber = type === "time" && schema.type !== "string" && schema.format !== "date-time";
	const isSaid = /ms$/.test(key) || /milli|\bms\b/i.test(schema.words) || isInSeconds(leaf);
	return isNumber && !isSaid ? `${place}: its unit isn't said, so it is read as milliseconds` : undefined;
}
