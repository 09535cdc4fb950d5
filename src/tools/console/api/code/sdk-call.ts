import { OPERATIONS, type OperationId } from "../../../../library/catalogue/index.ts";
import { type Operation, pathParameters } from "../../../../library/catalogue/operation.ts";
import { docsOf } from "../../../../library/catalogue/operation-docs.ts";
import { isObject, type JsonObject } from "../../parts/json-value.ts";
import type { ApiOperation } from "../document/api-document.ts";
import { checkValue } from "../form/check-value.ts";
import type { RequestContent } from "../form/read-draft.ts";

/** A call of a method of the client. */
export interface SdkCall {
	/** The method, e.g. `messages.sendText`. */
	readonly method: string;
	readonly args: readonly unknown[];
}

/**
 * Finds the typed method that makes this request. `undefined` if the client has none, or if its method would reject
 * the input or send something else.
 */
export function findSdkCall(operation: ApiOperation, content: RequestContent): SdkCall | undefined {
	const known: readonly Operation<unknown, unknown, OperationId>[] = OPERATIONS;
	const declared = known.find(({ id }) => id === operation.id);
	const { body, params, query } = content;
	if (declared === undefined || !isFlat(body) || !fits(operation, content)) return undefined;
	// A profile changed the method or path; the typed method would need the same profile.
	if (declared.method !== operation.method || declared.path !== operation.path) return undefined;
	const sdkNames = new Map(Object.entries(declared.wireNames).map(([sdk, wire]) => [wire, sdk]));
	const fields = Object.entries({ ...query, ...body }).map(
		([name, value]) => [sdkNames.get(name) ?? name, nameEncoding(name, value)] as const,
	);
	const { name, implied } = chooseMethod(docsOf(declared.id).methods, fields);
	if (name === undefined) return undefined;
	const input = Object.fromEntries(fields.filter(([field]) => field !== implied));
	const inPath = pathParameters(operation.path).map((parameter) => params[parameter]);
	return {
		method: `${operation.id.slice(0, operation.id.lastIndexOf("."))}.${name}`,
		// The client's methods accept path parameters one by one, and the other fields as one object.
		args: Object.keys(input).length === 0 ? inPath : [...inPath, input],
	};
}

/** Adds `encoding: "base64"` to attachments, which the client's methods require. */
function nameEncoding(field: string, value: unknown): unknown {
	if (field === "attachments" && Array.isArray(value)) {
		return value.map((item: unknown) => nameEncoding("attachment", item));
	}
	if (field !== "attachment" || !isObject(value) || typeof value["data"] !== "string") return value;
	const { data, ...rest } = value;
	return { data, encoding: "base64", ...rest };
}

/** Whether a typed method can send the body: none, or an object that is not empty. */
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
	// If a profile encodes the body, the document describes none of its fields.
	const areDescribed = Object.keys(fields).every((name) => Object.hasOwn(body.properties, name));
	return areGood && areDescribed && checkValue(body, fields).length === 0;
}

/**
 * Chooses among several methods of one operation. Their names begin with the value of a field: `addTapback` and
 * `removeTapback` imply the `action` "add" or "remove".
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
