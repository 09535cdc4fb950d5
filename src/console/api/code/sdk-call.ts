import { OPERATIONS } from "../../../catalogue/index.ts";
import { type Operation, pathParameters } from "../../../catalogue/operation.ts";
import { isObject, type JsonObject } from "../../parts/json-value.ts";
import type { ApiOperation } from "../document/api-document.ts";
import { checkValue } from "../form/check-value.ts";
import type { RequestContent } from "../form/read-draft.ts";

/** A call of one of the client's methods. */
export interface SdkCall {
	/** The method, e.g. `messages.sendText`. */
	readonly method: string;
	readonly args: readonly unknown[];
}

/**
 * The typed method that makes this request. `undefined` where the client has none, or where its method would
 * refuse the input or send something else.
 */
export function findSdkCall(operation: ApiOperation, content: RequestContent): SdkCall | undefined {
	const known: readonly Operation<unknown, unknown>[] = OPERATIONS;
	const declared = known.find(({ id }) => id === operation.id);
	const { body, params, query } = content;
	if (declared === undefined || !isFlat(body) || !fits(operation, content)) return undefined;
	// A profile moved it, and the program would need the same one.
	if (declared.method !== operation.method || declared.path !== operation.path) return undefined;
	const ourNames = new Map(Object.entries(declared.wireNames).map(([ours, wire]) => [wire, ours]));
	const fields = Object.entries({ ...query, ...body }).map(
		([name, value]) => [ourNames.get(name) ?? name, nameEncoding(name, value)] as const,
	);
	const { name, implied } = chooseMethod(declared.methods, fields);
	if (name === undefined) return undefined;
	const input = Object.fromEntries(fields.filter(([field]) => field !== implied));
	const inPath = pathParameters(operation.path).map((parameter) => params[parameter]);
	return {
		method: `${operation.id.slice(0, operation.id.lastIndexOf("."))}.${name}`,
		// The client's methods take what is in the path one by one, and the rest as one object.
		args: Object.keys(input).length === 0 ? inPath : [...inPath, input],
	};
}

/** On the wire the bytes of an attachment are base64; the client's methods want that said. */
function nameEncoding(field: string, value: unknown): unknown {
	if (field === "attachments" && Array.isArray(value)) {
		return value.map((item: unknown) => nameEncoding("attachment", item));
	}
	if (field !== "attachment" || !isObject(value) || typeof value["data"] !== "string") return value;
	const { data, ...rest } = value;
	return { data, encoding: "base64", ...rest };
}

/** No body, or the fields of one: the methods send no other kind, and nothing for an empty object. */
function isFlat(body: unknown): body is JsonObject | undefined {
	return body === undefined || (isObject(body) && Object.keys(body).length > 0);
}

function fits({ parameters, body }: ApiOperation, content: RequestContent): boolean {
	const inUrl: Readonly<Record<string, unknown>> = { ...content.query, ...content.params };
	const areGood = parameters.every(({ name, isRequired, schema }) =>
		Object.hasOwn(inUrl, name) ? checkValue(schema, inUrl[name]).length === 0 : !isRequired,
	);
	if (body === undefined) return areGood && content.body === undefined;
	const fields = isObject(content.body) ? content.body : {};
	// Of what a profile encodes, the document has no fields: ours would be others.
	const areDescribed = Object.keys(fields).every((name) => Object.hasOwn(body.properties, name));
	return areGood && areDescribed && checkValue(body, fields).length === 0;
}

/**
 * An operation with several methods has one for each value of a field, and their names begin with it: `addTapback`
 * and `removeTapback` stand for the `action` that is "add" or "remove". The method then implies that field.
 */
function chooseMethod(
	methods: readonly string[],
	fields: readonly (readonly [name: string, value: unknown])[],
): { name: string | undefined; implied: string | undefined } {
	if (methods.length === 1) return { name: methods[0], implied: undefined };
	for (const [field, value] of fields) {
		const name = methods.find(
			(method) => typeof value === "string" && value !== "" && method.startsWith(value),
		);
		if (name !== undefined) return { name, implied: field };
	}
	return { name: undefined, implied: undefined };
}
