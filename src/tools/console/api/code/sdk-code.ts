import type { Connection } from "../call/make-call.ts";
import type { ApiOperation } from "../document/api-document.ts";
import type { RequestContent } from "../form/read-draft.ts";
import { MAX_LINE, writeLiteral } from "./javascript.ts";
import { findSdkCall } from "./sdk-call.ts";

/** Writes a program that makes the call with the SDK. It reads the App Secret from the environment. */
export function writeSdkCode(
	operation: ApiOperation,
	content: RequestContent,
	{ baseUrl, appId }: Omit<Connection, "appSecret">,
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
	if (call !== undefined) {
		return [writeStatement(call.method, call.args)];
	}
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
