import type { RequestMap } from "../../../library/catalogue/operation-map.ts";
import type { WireLeaf } from "./wire-leaves.ts";

/** Names of what holds attachments; with one of an item's fields behind it, also of that. */
const HOLDERS =
	/^(attachments?|medias?|files?|images?|voice(note|memo|message)?|audios?|documents?|media(file|item|object)s?)$/;

const FIELDS: Readonly<Record<string, RegExp>> = {
	url: /^((media|file|attachment|image|audio|voice|voicenote|public|download|source)?(ur[li]s?|links?|href|src))$/,
	data: /^(data|base64|(file|media|audio|attachment)?(base64|data|bytes)|contentbase64|base64data|content)$/,
	name: /^((file|media|attachment)?name|title)$/,
	mimeType: /^((media|file|attachment|audio)?(mimetype|contenttype|mediatype|mime|type))$/,
};

/** Where attachments go: a list of objects or of URLs, or one of either. */
export function matchAttachments(
	field: "attachments" | "attachment",
	leaves: readonly WireLeaf[],
): RequestMap {
	const inBody = leaves.filter(({ place }) => !/^[{?]|^header:/.test(place));
	const holder = inBody.find(
		({ place, isList }) =>
			isList && place.includes("[].") && HOLDERS.test(keyOf(place.split("[].")[0] ?? "")),
	);
	if (holder !== undefined) {
		const start = `${holder.place.split("[].")[0]}[].`;
		const items = inBody.filter(({ place }) => place.startsWith(start));
		const item = readItem(items, start.length);
		if (item === undefined) return {};
		return item.size === 0
			? {}
			: { [start.slice(0, -"[].".length)]: { each: field, item: Object.fromEntries(item) } };
	}
	const encoded = inBody.find(
		({ key, place }) =>
			/^[^[]*\[\]$/.test(place) &&
			/^(base64|encoded)(attachment|media|file)s?$|^(attachment|media|file)s?base64$/.test(key),
	);
	if (encoded !== undefined) return { [encoded.place.slice(0, -"[]".length)]: { each: field, item: "data" } };
	const list = inBody.find(({ place, isList, key, schema }) => {
		const isStrings = schema.items?.type !== "object";
		return (
			isList && isStrings && /^[^[]*\[\]$/.test(place) && (FIELDS["url"]?.test(key) || HOLDERS.test(key))
		);
	});
	if (list !== undefined) return { [list.place.slice(0, -"[]".length)]: { each: field, item: "url" } };
	return readSingle(field, inBody);
}

/** One attachment whose fields are in the body, or in an object there. */
function readSingle(field: "attachments" | "attachment", leaves: readonly WireLeaf[]): RequestMap {
	const plain = leaves.filter(({ isList }) => !isList);
	const inner = plain.filter(({ context }) => HOLDERS.test(keyOf(context.split(" ").at(-1) ?? "")));
	const named = plain.filter(
		({ key, depth }) => depth === 0 && (isSpecific(key) || (key === "url" && plain.some(isKindOfMedia))),
	);
	const found =
		inner.length > 0
			? inner
			: named.length > 0
				? named
				: plain.filter(({ key, depth }) => key === "url" && depth === 0);
	const item = readItem(found, 0, true);
	if (item === undefined || !(hasKey(item, "url") || hasKey(item, "data"))) return {};
	return Object.fromEntries(
		[...item].map(([place, name]): [string, RequestMap[string]] => [
			place,
			field === "attachment" ? `attachment.${name}` : { each: field, as: "first", item: name },
		]),
	);
}

/** The places of an item's fields; `undefined` if it needs something else. */
function readItem(
	leaves: readonly WireLeaf[],
	start: number,
	mayLack = false,
): Map<string, string> | undefined {
	const item = new Map<string, string>();
	for (const leaf of leaves) {
		const name = Object.keys(FIELDS).find((each) => FIELDS[each]?.test(leaf.key) && !hasKey(item, each));
		if (name !== undefined) item.set(leaf.place.slice(start), name);
		else if (!mayLack && leaf.isRequired && !leaf.schema.hasDefault) return undefined;
	}
	return item;
}

function hasKey(item: ReadonlyMap<string, string>, name: string): boolean {
	return [...item.values()].includes(name);
}

function isSpecific(key: string): boolean {
	const isUrl = FIELDS["url"]?.test(key) === true && !/^(ur[li]|links?|href|src)$/.test(key);
	const isData = /^(file|media|audio|attachment)(base64|data)$|^base64/.test(key);
	return isUrl || isData || /^(file|media|attachment)name$|^(mime|media|content)type$/.test(key);
}

function isKindOfMedia({ key }: WireLeaf): boolean {
	return /^(mime|media|content|file)(type|name)$|^caption$/.test(key);
}

function keyOf(name: string): string {
	return name
		.toLowerCase()
		.replace(/[^a-z\d]|\[\]/g, "")
		.replace(/^.*\./, "");
}
