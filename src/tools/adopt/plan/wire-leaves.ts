import type { DocumentRoute } from "../document/read-routes.ts";
import type { ReadSchema } from "../document/read-schema.ts";
import { joined } from "./words.ts";

/** A value of a request or a response, as the document shows it. */
export interface WireLeaf {
	/** Its place as a map writes it, such as `content.text`, `to[]` or `?number`. */
	readonly place: string;
	/** Its name in lower case without separators. */
	readonly key: string;
	/** The names on the way to it, and what stands before a parameter of the path. */
	readonly context: string;
	readonly schema: ReadSchema;
	readonly isRequired: boolean;
	/** How many objects it is inside of. */
	readonly depth: number;
	/** Whether it is inside of a list, or is one. */
	readonly isList: boolean;
}

const MAX_DEPTH = 4;
const MAX_LEAVES = 300;

/** How many values and objects of a schema are looked at: a small document can hold very many. */
const MAX_NODES = 1_000;

const KNOWN = new WeakMap<DocumentRoute, WireLeaf[]>();

/** Every value that a request of the route may have. */
export function requestLeaves(route: DocumentRoute): readonly WireLeaf[] {
	const known = KNOWN.get(route) ?? readLeaves(route);
	KNOWN.set(route, known);
	return known;
}

function readLeaves({ path, parameters, body }: DocumentRoute): WireLeaf[] {
	const inBody = body === undefined || body === "other" ? [] : schemaLeaves(body);
	const others = parameters.map(({ place, name, isRequired, schema }): WireLeaf => {
		const written = place === "path" ? `{${name}}` : place === "query" ? `?${name}` : `header:${name}`;
		const before = path.split("/").findLast((_, at, all) => all[at + 1] === `{${name}}`);
		const context = place === "path" ? (before ?? "") : "";
		return {
			place: written,
			key: joined(name),
			context,
			schema,
			isRequired,
			depth: 0,
			isList: schema.type === "array",
		};
	});
	return [...others, ...inBody];
}

/** The values inside of an object, those of objects inside of it too. */
export function schemaLeaves(schema: ReadSchema, maxDepth = MAX_DEPTH): WireLeaf[] {
	const leaves: WireLeaf[] = [];
	const start = { path: "", names: "", isRequired: true, depth: 0, isList: false };
	collect(schema, start, { maxDepth, leaves, nodes: 0 });
	return leaves;
}

interface Position {
	readonly path: string;
	readonly names: string;
	readonly isRequired: boolean;
	readonly depth: number;
	readonly isList: boolean;
}

interface Collection {
	readonly maxDepth: number;
	readonly leaves: WireLeaf[];
	nodes: number;
}

function collect(schema: ReadSchema, at: Position, collection: Collection): void {
	const { maxDepth, leaves } = collection;
	for (const [name, property] of Object.entries(schema.properties)) {
		if (leaves.length >= MAX_LEAVES || ++collection.nodes > MAX_NODES || /[.[\]{}?]/.test(name)) continue;
		const isArray = property.type === "array";
		const inner = isArray ? property.items : property;
		const path = `${at.path}${name}${isArray ? "[]" : ""}`;
		const isRequired = at.isRequired && schema.required.includes(name);
		const isList = at.isList || isArray;
		const leaf = {
			place: path,
			key: joined(name),
			context: at.names,
			schema: isArray ? { ...property, choices: inner?.choices ?? [] } : property,
			isRequired,
			depth: at.depth,
			isList,
		};
		const hasInner = Object.keys(inner?.properties ?? {}).length > 0;
		// An object is a leaf too where its members are not named, such as counts by status.
		if (!hasInner || inner === undefined) leaves.push(leaf);
		else if (at.depth < maxDepth) {
			const position = { path: `${path}.`, names: `${at.names} ${name}`.trim(), isRequired, isList };
			collect(inner, { ...position, depth: at.depth + 1 }, collection);
		}
	}
}
