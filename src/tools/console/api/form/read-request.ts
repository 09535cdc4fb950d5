import { parseJson } from "../../parts/json-value.ts";
import type { ApiOperation } from "../document/api-document.ts";
import type { JsonSchema } from "../document/read-schema.ts";
import type { QueryValue, RequestContent } from "./read-draft.ts";

/** A request as it was received. */
export interface ReceivedRequest {
	/** Its path under the base URL. */
	readonly path: string;
	readonly query: string;
	readonly body: string;
}

/** Reads the parts of a received request of an operation; a body that is not JSON is `undefined`. */
export function readRequest(
	{ path: template, parameters }: Pick<ApiOperation, "path" | "parameters">,
	{ path, query, body }: ReceivedRequest,
): RequestContent {
	const search = new URLSearchParams(query);
	const schemas = new Map(parameters.map(({ name, schema }) => [name, schema]));
	const values = [...new Set(search.keys())].map((name) => {
		const all = search.getAll(name).map((value) => toScalar(value, schemas.get(name)));
		return [name, all.length === 1 ? all[0] : all];
	});
	return {
		params: readPath(template, path),
		query: Object.fromEntries(values),
		body: body === "" ? undefined : parseJson(body),
	};
}

function readPath(template: string, path: string): Record<string, string> {
	const segments = path.split("/");
	const entries = template.split("/").flatMap((part, at): [string, string][] => {
		const name = /^\{(\w+)\}$/.exec(part)?.[1];
		return name === undefined ? [] : [[name, decode(segments[at] ?? "")]];
	});
	return Object.fromEntries(entries);
}

function decode(segment: string): string {
	try {
		return decodeURIComponent(segment);
	} catch {
		return segment;
	}
}

function toScalar(
	value: string,
	schema: JsonSchema | undefined,
): Extract<QueryValue, string | number> | boolean {
	const types = schema === undefined ? [] : [...schema.types, ...schema.anyOf.flatMap(({ types }) => types)];
	const isNumber = types.includes("number") || types.includes("integer");
	if (isNumber && /^-?\d+(\.\d+)?$/.test(value)) return Number(value);
	if (types.includes("boolean") && (value === "true" || value === "false")) return value === "true";
	return value;
}
