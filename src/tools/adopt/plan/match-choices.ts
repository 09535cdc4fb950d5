import type { RequestMap } from "../../../library/catalogue/operation-map.ts";
import { ourValueOf, ourValuesOf, wireValueOf } from "./value-names.ts";
import type { WireLeaf } from "./wire-leaves.ts";
import { joined } from "./words.ts";

/** Names of a field that says which kind of message it is. */
const KINDS = "type kind messagetype contenttype mediatype msgtype category content_type".split(" ");

/** What each kind of send is called there. */
const VARIANTS: Readonly<Record<string, readonly string[]>> = {
	"messages.sendText": ["text", "txt", "plain", "plaintext", "message", "textmessage", "sms", "chat"],
	"messages.sendAttachments": ["attachment", "attachments", "media", "file", "files", "mms"],
	"messages.sendVoiceNote": ["voice", "voicenote", "ptt", "audio", "voicememo", "voicemessage"],
};

/** Any kind of message: a list of these says which one it is. */
const ANY_KIND = [...Object.values(VARIANTS).flat(), "image", "video", "document", "reaction", "location"];

interface Variant {
	readonly place: string;
	/** `undefined` if the gateway has no such kind. */
	readonly value: string | number | boolean | undefined;
	readonly leaves: readonly WireLeaf[];
}

/** The kind of a send, and the places that belong to it: `type: "text"` leaves out `image.link`. */
export function chooseVariant(
	id: string,
	leaves: readonly WireLeaf[],
	given: RequestMap = {},
): Variant | undefined {
	const wanted = VARIANTS[id];
	if (wanted === undefined) return undefined;
	const leaf = leaves.find(({ key, schema }) => KINDS.includes(key) && schema.choices.some(isKind));
	if (leaf === undefined) return undefined;
	const { choices } = leaf.schema;
	const said = given[leaf.place];
	const [value] = choices.filter(
		(choice) => typeof said === "object" && "value" in said && said.value === choice,
	);
	const [named] = wanted.flatMap((name) => choices.filter((choice) => joined(String(choice)) === name));
	const found = value ?? named;
	// Which kind a file is only the caller knows.
	if (found === undefined) return { place: leaf.place, value: undefined, leaves };
	const others = choices.filter((choice) => choice !== found).map((choice) => joined(String(choice)));
	const isOther = ({ place, depth }: WireLeaf): boolean =>
		depth > 0 &&
		place
			.split(".")
			.slice(0, -1)
			.some((name) => others.includes(joined(name)));
	return { place: leaf.place, value: found, leaves: leaves.filter((each) => !isOther(each)) };
}

function isKind(choice: string | number | boolean): boolean {
	return ANY_KIND.includes(joined(String(choice)));
}

/** Names of switches, by the value of ours for which they are on. */
const SWITCHES: Readonly<Record<string, readonly string[]>> = {
	add: ["add", "active", "set", "enabled"],
	remove: ["remove", "removed", "isremove", "isremoved", "unset", "delete", "undo"],
	start: ["typing", "istyping", "active", "isactive", "on", "enabled", "start", "started", "composing"],
	stop: ["stop", "stopped", "off"],
};

/** Names of a list of choices. */
const LISTS: Readonly<Record<string, readonly string[]>> = {
	action: ["action", "operation", "op", "mode", "type", "kind"],
	state: ["state", "status", "action", "typing", "indicator", "presence", "type", "event"],
};

/** Times that a call can be about. */
const TIMES = ["after", "before"];

/** The source of a field at a place with values of its own; `undefined` if they do not fit. */
export function sourceOfChoice(
	field: string,
	{ key, schema, place }: WireLeaf,
): RequestMap[string] | undefined {
	if (TIMES.includes(field)) return sourceOfTime(field, schema);
	if (field === "durationMs") return sourceOfDuration(key, schema.words);
	const ours = ourValuesOf(field === "status" ? "agentStatus" : field);
	if (field !== "action" && field !== "state" && (ours.length === 0 || schema.choices.length === 0)) {
		return field === "reaction" && /emoji/i.test(`${key} ${schema.words}`) ? emojiSource() : field;
	}
	if (schema.type === "boolean") {
		const on = ours.find((value) => SWITCHES[value]?.includes(key));
		if (on === undefined) return undefined;
		return { from: field, map: Object.fromEntries(ours.map((value) => [value, value === on])) };
	}
	if ((field === "action" || field === "state") && !LISTS[field]?.includes(key)) return undefined;
	const table = field === "status" ? "agentStatus" : field;
	const pairs = ours.map((value) => [value, wireValueOf(table, value, schema.choices)] as const);
	const known = pairs.filter(([, wire]) => wire !== undefined);
	const isWhole = field === "action" || field === "state";
	if (known.length === 0 || (isWhole && known.length < ours.length)) return undefined;
	const differing = known.filter(([value, wire]) => value !== wire);
	if (differing.length === 0) return isWhole && place === "" ? undefined : sameValues(field, isWhole);
	return { from: field, map: Object.fromEntries(differing.map(([value, wire]) => [value, wire ?? null])) };
}

/** A map that changes nothing says that the values were compared. */
function sameValues(field: string, isWhole: boolean): RequestMap[string] {
	return isWhole
		? { from: field, map: Object.fromEntries(ourValuesOf(field).map((value) => [value, value])) }
		: field;
}

function emojiSource(): RequestMap[string] {
	const emojis = { love: "❤️", like: "👍", dislike: "👎", laugh: "😂", emphasize: "‼️", question: "❓" };
	return { from: "reaction", map: emojis };
}

function sourceOfTime(
	field: string,
	{ type, format, words }: WireLeaf["schema"],
): RequestMap[string] | undefined {
	if (format === "date-time") return { from: field, unit: "iso" };
	if (format === "date" || format === "uuid") return undefined;
	if (type === "string")
		return /\biso|8601|rfc ?3339/i.test(words) ? { from: field, unit: "iso" } : undefined;
	return sourceInUnit(field, words);
}

function sourceOfDuration(key: string, words: string): RequestMap[string] | undefined {
	if (/ms$/.test(key)) return "durationMs";
	if (/sec(onds|s)?$|^durations$/.test(key)) return { from: "durationMs", unit: "s" };
	return sourceInUnit("durationMs", words);
}

function sourceInUnit(field: string, words: string): RequestMap[string] | undefined {
	if (/milli|\bms\b/i.test(words)) return field;
	return /\bsec/i.test(words) ? { from: field, unit: "s" } : undefined;
}

/** Our value of one on the wire, and what is not ours, for the response. */
export function valueMap(
	field: string,
	choices: readonly (string | number | boolean)[],
): Record<string, unknown> | undefined {
	const pairs = choices.flatMap((choice) => {
		const ours = ourValueOf(field, String(choice));
		return ours === undefined || ours === choice ? [] : [[String(choice), toValue(ours)] as const];
	});
	return pairs.length === 0 ? undefined : Object.fromEntries(pairs);
}

function toValue(ours: string): string | boolean {
	return ours === "true" ? true : ours === "false" ? false : ours;
}
