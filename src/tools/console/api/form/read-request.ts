import { parseJson } from "../../../control/parse-json.ts";
import type { ApiOperation, ResolvedSchema } from "../document/api-document.ts";

/** The parts of a request, as `gateway.request` accepts them. */
export interface RequestContent {
	readonly params: Readonly<Record<string, string | number>>;
	readonly query: Readonly<Record<string, QueryValue>>;
	/** `undefined` for a request without a body. */
	readonly body: unknown;
}

export type QueryValue = string | number | boolean | readonly (string | number)[];

export interface RawRequest {
	/** Its path under the base URL. */
	readonly path: string;
	readonly query: string;
	readonly body: string;
}

/** Reads the parts of a received request of an operation; a body that is not JSON is `undefined`. */
export function readRequestContent(
	{ path: template, parameters }: Pick<ApiOperation, "path" | "parameters">,
	{ path, query, body }: RawRequest,
): RequestContent {
	const search = new URLSearchParams(query);
	const segments = path.split("/");
	const params = template.split("/").flatMap((part, at) => {
		const name = /^\{(\w+)\}$/.exec(part)?.[1];
		return name === undefined ? [] : [[name, decode(segments[at] ?? "")]];
	});
	const values = [...new Set(search.keys())].map((name) => {
		const schema = parameters.find((parameter) => parameter.name === name)?.schema;
		const all = search.getAll(name).map((value) => toScalar(value, schema));
		return [name, all.length === 1 ? all[0] : all];
	});
	return {
		params: Object.fromEntries(params),
		query: Object.fromEntries(values),
		body: body === "" ? undefined : parseJson(body),
	};
}

function decode(segment: string): string {
	try {
		return decodeURIComponent(segment);
	} catch {
		return segment;
	}
}

function toScalar(value: string, schema: ResolvedSchema | undefined): string | number | boolean {
	const types = schema === undefined ? [] : [...schema.types, ...schema.anyOf.flatMap(({ types }) => types)];
	const isNumber = types.includes("number") || types.includes("integer");
	if (isNumber && /^-?\d+(\.\d+)?$/.test(value)) return Number(value);
	if (types.includes("boolean") && (value === "true" || value === "false")) return value === "true";
	return value;
}
