import { isJsonObject } from "../../../../library/is-object.ts";
import { MAX_LINE, writeLiteral } from "../../../control/write-literal.ts";
import type { ApiOperation } from "../document/api-document.ts";
import { checkValue } from "../form/check-value.ts";
import type { RequestContent } from "../form/read-request.ts";

/** Writes a program that makes the call with the SDK. It reads the App Secret from the environment. */
export function writeSdkCode(
	operation: ApiOperation,
	content: RequestContent,
	{ baseUrl, appId }: { readonly baseUrl: string; readonly appId: string },
): string {
	return [
		'import { MessagingGateway } from "messaging-gateway";',
		"",
		"// The App Secret is read from MESSAGING_GATEWAY_APP_SECRET.",
		"const gateway = new MessagingGateway({",
		`  baseUrl: ${writeLiteral(baseUrl)},`,
		`  appId: ${writeLiteral(appId)},`,
		"});",
		"",
		...writeCall(operation, content),
		"console.log(data);",
		"",
	].join("\n");
}

function writeCall(operation: ApiOperation, content: RequestContent): string[] {
	const call = findSdkCall(operation, content);
	if (call !== undefined) return [writeStatement(call.method, call.args)];
	const { params, query, body } = content;
	const options = {
		...(Object.keys(params).length === 0 ? {} : { params }),
		...(Object.keys(query).length === 0 ? {} : { query }),
		...(body === undefined ? {} : { body }),
		...(operation.isSigned ? {} : { signed: false }),
	};
	const args = [operation.method, operation.path, ...(Object.keys(options).length === 0 ? [] : [options])];
	return [
		"// No typed method makes this call with these values: request() sends it unchecked.",
		writeStatement("request", args),
	];
}

function writeStatement(method: string, args: readonly unknown[]): string {
	const start = `const data = await gateway.${method}(`;
	const scalars = args
		.filter((argument) => typeof argument !== "object")
		.map((argument) => writeLiteral(argument));
	const width = MAX_LINE - start.length - scalars.join(", ").length - ", );".length;
	return `${start}${args.map((argument) => writeLiteral(argument, "", width)).join(", ")});`;
}

interface SdkCall {
	readonly method: string;
	readonly args: readonly unknown[];
}

/**
 * Finds the typed method that makes this request. `undefined` if the client has none, or if its method would reject
 * the input or send something else.
 */
export function findSdkCall(operation: ApiOperation, content: RequestContent): SdkCall | undefined {
	const { body, params, query } = content;
	if (!fits(operation, content)) return undefined;
	const fields = Object.entries({ ...query, ...(isJsonObject(body) ? body : {}) });
	const chosen = chooseMethod(operation.sdkMethods ?? [], fields);
	if (chosen === undefined) return undefined;
	const input = Object.fromEntries(
		fields
			.filter(([name]) => name !== chosen.implied)
			.map(([name, value]) => [toSdkName(name), nameEncoding(name, value)]),
	);
	const inPath = operation.parameters.filter(({ place }) => place === "path").map(({ name }) => params[name]);
	// The client's methods accept path parameters one by one, and the other fields as one object.
	return { method: chosen.method, args: Object.keys(input).length === 0 ? inPath : [...inPath, input] };
}

/** The SDK's fields are in camel case, such as `statusCallback` for `status_callback`. */
function toSdkName(name: string): string {
	return name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** Adds `encoding: "base64"` to attachments, which the client's methods require. */
function nameEncoding(field: string, value: unknown): unknown {
	if (field === "attachments" && Array.isArray(value)) {
		return value.map((item: unknown) => nameEncoding("attachment", item));
	}
	if (field !== "attachment" || !isJsonObject(value) || typeof value["data"] !== "string") return value;
	const { data, ...rest } = value;
	return { data, encoding: "base64", ...rest };
}

/** Whether a typed method accepts the values, and can send the body: none, or an object that is not empty. */
function fits({ parameters, body: schema }: ApiOperation, { query, params, body }: RequestContent): boolean {
	const inUrl: Readonly<Record<string, unknown>> = { ...query, ...params };
	const areGood = parameters.every(({ name, isRequired, schema: own }) =>
		Object.hasOwn(inUrl, name) ? checkValue(own, inUrl[name]).length === 0 : !isRequired,
	);
	if (schema === undefined || body === undefined)
		return areGood && body === undefined && (schema === undefined || checkValue(schema, {}).length === 0);
	if (!areGood || !isJsonObject(body) || Object.keys(body).length === 0) return false;
	// If a profile encodes the body, the document describes none of its fields.
	const areDescribed = Object.keys(body).every((name) => Object.hasOwn(schema.properties, name));
	return areDescribed && checkValue(schema, body).length === 0;
}

/**
 * Chooses among several methods of one operation. Their names begin with the value of a field: `addTapback` and
 * `removeTapback` imply the `action` "add" or "remove".
 */
function chooseMethod(
	methods: readonly string[],
	fields: readonly (readonly [name: string, value: unknown])[],
): { readonly method: string; readonly implied?: string } | undefined {
	if (methods.length < 2) return methods[0] === undefined ? undefined : { method: methods[0] };
	for (const [implied, value] of fields) {
		const method = methods.find((name) => value !== "" && name.split(".")[1]?.startsWith(String(value)));
		if (method !== undefined) return { method, implied };
	}
	return undefined;
}
