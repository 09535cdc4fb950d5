import type { EventMap } from "../../../library/catalogue/event-map.ts";
import { schemaLeaves, type WireLeaf } from "../plan/wire-leaves.ts";
import { joined } from "../plan/words.ts";
import { classify, isRemoval, type NamedKind, saysInbound, saysOutbound } from "./classify.ts";
import type { EventKind } from "./event-types.ts";
import type { DocumentEvent } from "./read-events.ts";

/** By what events of one kind are recognized. */
export interface FoundMark {
	readonly kind: EventKind;
	/** Empty if nothing in the payload says so. */
	readonly when: EventMap["when"];
	/** The place of the type, and its values for this kind. */
	readonly type: { readonly place: string; readonly values: readonly string[] } | undefined;
	/** Whether these tapbacks were taken back. */
	readonly isRemoval: boolean;
	/** Whether its name says that it came from a contact. */
	readonly isInbound: boolean;
	/** Whether the payload does not say if the contact wrote it. */
	readonly isDoubtful: boolean;
}

/** Names of a field that says which event it is. */
export const TYPES: readonly string[] =
	"type event eventtype eventname kind topic action trigger notificationtype webhooktype webhookevent messagetype payloadtype eventkind".split(
		" ",
	);
const HOLDERS = /^(|event|meta|metadata|headers?|envelope|webhook|notification|context|info)$/i;

/** How deep a type may be. */
const MAX_DEPTH = 2;

/** The kinds of an event, each with what tells it from the others; empty if it is none of them. */
export function findMarks(event: DocumentEvent): FoundMark[] {
	const { name, words, payload } = event;
	const named = kindOf(name, words);
	if (payload === undefined) return isKind(named) ? [without(named, name)] : [];
	const leaves = schemaLeaves(payload, MAX_DEPTH);
	const type = findType(leaves, name, named);
	if (type === undefined) return isKind(named) ? [without(named, name)] : [];
	const kinds = new Map<string, string[]>();
	for (const value of type.values) {
		const said = classify(value);
		const kind = said === undefined || said === "message" ? (asInbound(said, words) ?? named ?? said) : said;
		const key = `${kind}${kind === "inbound_reaction" && isRemoval(value) ? " removed" : ""}`;
		kinds.set(key, [...(kinds.get(key) ?? []), value]);
	}
	return [...kinds].flatMap(([key, values]) => {
		const [kind, removed] = key.split(" ");
		const isMessage = kind === "message";
		if (!isMessage && !isKind(kind)) return [];
		const direction = isMessage ? findDirection(leaves) : {};
		const [only] = values;
		const when = { [type.place]: values.length === 1 && only !== undefined ? only : values, ...direction };
		return [
			{
				kind: isMessage ? ("inbound_message" as const) : kind,
				when,
				type: { place: type.place, values },
				isRemoval: removed !== undefined,
				isInbound: saysInbound(name) || values.every(saysInbound),
				isDoubtful: direction === undefined,
			},
		];
	});
}

function kindOf(name: string, words: string): NamedKind {
	const said = classify(name);
	return said === "message" || said === undefined ? (asInbound(said, words) ?? said) : said;
}

/** A message of which something says that a contact wrote it. */
function asInbound(said: NamedKind, words: string): EventKind | undefined {
	return said === "message" && saysInbound(words) && !saysOutbound(words) ? "inbound_message" : undefined;
}

function without(kind: EventKind, name: string): FoundMark {
	return {
		kind,
		when: {},
		type: undefined,
		isRemoval: isRemoval(name),
		isInbound: saysInbound(name),
		isDoubtful: false,
	};
}

function isKind(kind: string | undefined): kind is EventKind {
	return kind === "inbound_message" || kind === "inbound_reaction" || kind === "status";
}

/** The field that says which event it is, and its values; of several, the one nearest to the top. */
function findType(
	leaves: readonly WireLeaf[],
	name: string,
	named: NamedKind,
): { place: string; values: readonly string[] } | undefined {
	const found = leaves
		.filter(({ key, isList }) => TYPES.includes(key) && !isList)
		.map((leaf) => ({ leaf, values: valuesOf(leaf, name) }))
		.filter(({ values }) => values.length > 0)
		.sort((left, right) => left.leaf.depth - right.leaf.depth);
	const telling = found.find(({ values }) => values.some((value) => classify(value) !== undefined));
	// A name alone says what it is, if its type is where types are.
	const plain = found.find(
		({ leaf, values }) => values.length === 1 && HOLDERS.test(leaf.context) && named !== undefined,
	);
	const best = telling ?? plain;
	return best && { place: best.leaf.place, values: best.values };
}

/** The values of a type: its list, or those that its description shows. */
function valuesOf({ schema }: WireLeaf, name: string): readonly string[] {
	const choices = schema.choices.filter((choice) => typeof choice === "string");
	if (choices.length > 0 || schema.choices.length > 0) return choices;
	const tokens = schema.words.match(/[\p{L}\p{N}_]+(?:[.:/_-][\p{L}\p{N}_]+)*/gu) ?? [];
	const values = tokens.filter((token) => {
		if (joined(token) === joined(name)) return true;
		return /[.:/_]/.test(token) && classify(token) !== undefined;
	});
	return [...new Set(values)];
}

/** What says that a contact wrote a message, if the payload says it. */
function findDirection(leaves: readonly WireLeaf[]): EventMap["when"] | undefined {
	for (const { key, place, schema, isList } of leaves) {
		if (isList) continue;
		if (/^(is)?(fromme|outbound|outgoing)$/.test(key) && schema.type === "boolean") return { [place]: false };
		if (/^(is)?(inbound|incoming)$/.test(key) && schema.type === "boolean") return { [place]: true };
		const inbound = schema.choices.filter((choice) =>
			/^(in|inbound|incoming|received|mo)$/i.test(String(choice)),
		);
		const [value] = inbound;
		if (key === "direction" && value !== undefined && inbound.length === 1) return { [place]: value };
	}
	return undefined;
}
