import type { ResponseMap } from "../../../library/catalogue/operation-map.ts";
import type { CatalogueOperation } from "../../routes.ts";
import type { ReadSchema } from "../document/read-schema.ts";
import { valueMap } from "./match-choices.ts";
import type { PlanQuestion, RequestMatch } from "./plan-types.ts";
import { mayBeValueOf } from "./plausible.ts";
import { RESULT_SHAPES, type ResultShape } from "./result-names.ts";
import { schemaLeaves, type WireLeaf } from "./wire-leaves.ts";
import { joined } from "./words.ts";

/** How a response becomes our data. */
export interface ResultMatch {
	readonly response: ResponseMap | undefined;
	readonly questions: readonly PlanQuestion[];
	/** Our fields that the response lacks. */
	readonly missing: readonly string[];
}

const NOTHING: ResultMatch = { response: undefined, questions: [], missing: [] };

/** How deep the object of a result may be. */
const MAX_DEPTH = 3;

/** The most objects of a response that are compared, and the most members of each. */
const MAX_OBJECTS = 40;

/** Finds the places of our fields in a response. */
export function matchResult(
	operation: CatalogueOperation,
	response: ReadSchema | undefined,
	request: {
		/** What the response must have, since the call said so: a field by its value if its name is not known. */
		said?: Readonly<Record<string, unknown>> | undefined;
		paging: RequestMatch["paging"];
		isEmpty: boolean;
		isIdGuid: boolean;
		/** What the path of one message calls its id. */
		idKey?: string | undefined;
		/** What is around the data. */
		envelope?: ReadSchema | undefined;
		/** Whether it is of a response that came, which may differ from the specification, too. */
		isSeen?: boolean;
	},
): ResultMatch {
	const shape = RESULT_SHAPES[operation.id];
	const isKnown = operation.provenance === "documented" && request.isSeen !== true;
	if (shape === undefined || isKnown) return NOTHING;
	const isPage = operation.pageItems !== undefined;
	if (response === undefined) {
		// Without a body only the call itself says what it was.
		if (!request.isEmpty || isPage) return NOTHING;
		return { ...NOTHING, response: { fields: fieldsOf(shape, [], "", {}).fields } };
	}
	const found = chooseObject(shape, response, isPage, request);
	if (found === undefined) {
		return { ...NOTHING, questions: [{ message: "its response has none of our fields", flag: undefined }] };
	}
	const { fields, missing } = fieldsOf(shape, found.leaves, isPage ? "" : found.path, request);
	if (!isPage) return { response: { fields }, questions: [], missing };
	const inside = findNext(response, request.paging, found.path);
	const next = inside ?? findNext(request.envelope, undefined, "data");
	const map = { list: found.path, fields, ...(next === undefined || next === "unclear" ? {} : { next }) };
	const question = {
		message: "the next page: the document doesn't say how it is asked for",
		flag: undefined,
	};
	return { response: map, questions: next === "unclear" ? [question] : [], missing };
}

interface FoundObject {
	readonly path: string;
	readonly leaves: readonly WireLeaf[];
}

/** The object, or the list, in which most of our fields are. */
function chooseObject(
	shape: ResultShape,
	response: ReadSchema,
	isPage: boolean,
	{ said, idKey }: KnownOfCall,
): FoundObject | undefined {
	const nodes = isPage ? listsIn(response, "", 0) : objectsIn(response, "", 0);
	const scored = nodes.slice(0, MAX_OBJECTS).flatMap(({ path, schema, depth }) => {
		const leaves = schemaLeaves(schema, 2);
		const { fields } = fieldsOf(shape, leaves, "", { said, idKey });
		const isOnWire = (name: string): boolean =>
			typeof fields[name] === "string" || Object.hasOwn(Object(fields[name]), "at");
		const seen = Object.keys(fields).filter(isOnWire).length;
		const under = shape.under === "" ? "" : `${shape.under}.`;
		if (!shape.needs.every((name) => isOnWire(`${under}${name}`))) return [];
		if (seen === 0 && shape.needs.length > 0) return [];
		const isNamed = shape.names.includes(joined(path.split(".").at(-1) ?? ""));
		return [{ path, leaves, score: seen + (isNamed ? 2 : 0) - depth * 0.5 }];
	});
	return scored.sort((left, right) => right.score - left.score)[0];
}

interface SchemaNode {
	readonly path: string;
	readonly schema: ReadSchema;
	readonly depth: number;
}

function objectsIn(schema: ReadSchema, path: string, depth: number): SchemaNode[] {
	const inner = depth >= MAX_DEPTH ? [] : Object.entries(schema.properties).slice(0, MAX_OBJECTS);
	return [
		{ path, schema, depth },
		...inner.flatMap(([name, property]) =>
			property.type === "object" ? objectsIn(property, joinPath(path, name), depth + 1) : [],
		),
	];
}

function listsIn(schema: ReadSchema, path: string, depth: number): SchemaNode[] {
	if (schema.type === "array")
		return schema.items === undefined ? [] : [{ path, schema: schema.items, depth }];
	if (depth >= MAX_DEPTH) return [];
	return Object.entries(schema.properties)
		.slice(0, MAX_OBJECTS)
		.flatMap(([name, property]) => listsIn(property, joinPath(path, name), depth + 1));
}

/** What is known of a call besides its response. */
interface KnownOfCall {
	readonly isIdGuid?: boolean;
	readonly idKey?: string | undefined;
	readonly said?: Readonly<Record<string, unknown>> | undefined;
}

/** @param start - where the object is; empty for the item of a list. */
function fieldsOf(
	{ under, fields }: ResultShape,
	leaves: readonly WireLeaf[],
	start: string,
	{ isIdGuid = false, idKey, said = {} }: KnownOfCall,
): { fields: Record<string, ResponseMap["fields"][string]>; missing: string[] } {
	const prefix = under === "" ? "" : `${under}.`;
	const found: Record<string, ResponseMap["fields"][string]> = {};
	const missing: string[] = [];
	const used = new Set<string>();
	for (const [name, { names: usual, type, values, otherwise }] of Object.entries(fields)) {
		const names = name === "messageId" && idKey !== undefined ? [idKey, ...usual] : usual;
		const [named] = leaves
			.filter(
				(each) => names.includes(each.key) && doesFit(each, type, values) && isPlausible(name, type, each),
			)
			.sort((left, right) => left.depth - right.depth || names.indexOf(left.key) - names.indexOf(right.key));
		const leaf = named ?? leafOf(leaves, said[name]);
		// Two of our fields may be at one place if its values differ in what they say.
		if (leaf !== undefined && (!used.has(leaf.place) || values !== undefined)) {
			used.add(leaf.place);
			found[`${prefix}${name}`] = toField(
				joinPath(start, leaf.place.replace(/\[\]$/, "")),
				leaf,
				type,
				values,
			);
		} else if (name === "messageGuid" && isIdGuid && found[`${prefix}messageId`] !== undefined) {
			found[`${prefix}${name}`] = found[`${prefix}messageId`] ?? { value: null };
		} else if (otherwise !== undefined) found[`${prefix}${name}`] = otherwise;
		else missing.push(name);
	}
	return { fields: found, missing };
}

/** The only place that has a value which the call said. */
function leafOf(leaves: readonly WireLeaf[], value: unknown): WireLeaf | undefined {
	if (typeof value !== "string" || value === "") return undefined;
	const found = leaves.filter(({ schema }) => schema.seen?.length === 1 && schema.seen[0] === value);
	return found.length === 1 ? found[0] : undefined;
}

/** Whether what came at a place may be the field: a document has only names. */
function isPlausible(name: string, type: string, { schema }: WireLeaf): boolean {
	return (schema.seen ?? []).every((value) => mayBeValueOf(name, type, value));
}

function doesFit({ schema, isList }: WireLeaf, type: string, values: string | undefined): boolean {
	if (type === "list") return schema.type === "array";
	if (type === "object") return schema.type === "object";
	if (isList) return false;
	if (type === "id") return ["string", "integer", undefined].includes(schema.type);
	if (type === "time") return schema.type !== "boolean" && schema.type !== "object";
	if (type === "number") return schema.type === "integer" || schema.type === "number";
	if (type === "boolean") {
		return (
			schema.type === "boolean" || (values !== undefined && valueMap(values, schema.choices) !== undefined)
		);
	}
	return schema.type === "string" || schema.type === undefined;
}

function toField(
	place: string,
	{ key, schema }: WireLeaf,
	type: string,
	values: string | undefined,
): ResponseMap["fields"][string] {
	if (type === "time") {
		const unit = unitOf(key, schema);
		return unit === undefined ? place : { at: place, unit };
	}
	if (type === "id" && schema.type === "integer") return { at: place, text: true };
	const map = values === undefined ? undefined : valueMap(values, schema.choices);
	return map === undefined ? place : { at: place, map };
}

function unitOf(key: string, { type, format, words }: ReadSchema): "s" | "iso" | undefined {
	if (type === "string" || format === "date-time") return "iso";
	if (format === "unix-time") return "s";
	return /\bsec|unix time(?!.*milli)|epoch sec/i.test(words) && !/ms$/.test(key) && !/milli/i.test(words)
		? "s"
		: undefined;
}

const NEXT_CURSORS =
	/^(nextcursor|nextpagetoken|nexttoken|endcursor|pagingcursorsafter|pagingafter|paginationnext|paginationcursor|paginationnextcursor|pagenext|pagecursor|cursorsafter|cursornext|metanextcursor|metacursor|cursor|after|next|continuationtoken|nextpage|pageinfoendcursor)$/;
/** Names that say that there are more pages. */
const SIGNS = /next|more|cursor|marker|token|lastpage|totalpages|pagecount|currentpage|offset|continu/;

/** How a page leads to the next one; `undefined` if nothing says that there are pages. */
function findNext(
	response: ReadSchema | undefined,
	paging: RequestMatch["paging"],
	list: string,
): NonNullable<ResponseMap["next"]> | "unclear" | undefined {
	if (response === undefined) return undefined;
	const leaves = schemaLeaves(response, 2).filter(
		({ place, isList }) => !isList && !place.startsWith(`${list}[`),
	);
	const whole = (leaf: WireLeaf): string => joined(`${leaf.context} ${leaf.key}`);
	const isUrl = ({ schema }: WireLeaf): boolean => /\b(ur[il]|https?|link)\b/i.test(schema.words);
	const named = (pattern: RegExp) => leaves.find((leaf) => pattern.test(leaf.key));
	if (paging === "offset") {
		const total = named(/^(total|totalcount|count_total|totalitems|totalelements)$/)?.place;
		return { offset: true, ...(total !== undefined && { total }) };
	}
	if (paging === "page") {
		const more = leaves.find(
			({ key, schema }) => /^has(more|next|nextpage)$/.test(key) && schema.type === "boolean",
		);
		const pages = named(/^(totalpages|pages|pagecount|lastpage|numpages|pagestotal)$/);
		return { page: true, ...(more && { more: more.place }), ...(pages && { pages: pages.place }) };
	}
	if (paging === "cursor") {
		const cursor = leaves.find(
			(leaf) =>
				(NEXT_CURSORS.test(leaf.key) || NEXT_CURSORS.test(whole(leaf))) &&
				(leaf.schema.type === "string" || leaf.schema.type === undefined) &&
				!isUrl(leaf),
		);
		return cursor === undefined ? "unclear" : { cursor: cursor.place };
	}
	return leaves.some((leaf) => SIGNS.test(whole(leaf))) ? "unclear" : undefined;
}

function joinPath(path: string, name: string): string {
	return path === "" ? name : `${path}.${name}`;
}
