import type { DeliveryView, RequestDetails } from "../../../control/contract.ts";
import { parseJson } from "../../../control/parse-json.ts";
import { quoteForShell, writeCurlCode } from "../../api/code/curl-code.ts";
import { writeSdkCode } from "../../api/code/sdk-code.ts";
import type { ApiOperation } from "../../api/document/api-document.ts";
import { findApiOperation, readDocument } from "../../api/document/read-document.ts";
import { readRequestContent } from "../../api/form/read-request.ts";

/*
 * The code that the page writes on demand. It is loaded when it is first needed, since it brings the catalogue of
 * operations with it.
 */

interface Target {
	readonly baseUrl: string;
	readonly appId: string;
}

/** Writes a script that makes the request again with curl, with a signature of its own. */
export function writeRequestCurl(details: RequestDetails, { baseUrl, appId }: Target): string {
	const { method, path, query, body, headers, signature } = details;
	const isSigned = signature !== undefined || headers["authorization"] !== undefined;
	const request = {
		method,
		url: new URL(baseUrl).origin + path + query,
		body: body === "" ? undefined : new TextEncoder().encode(body),
	};
	return writeCurlCode(request, appId, isSigned);
}

/** Writes a program that makes the request again with the SDK. @throws Error when the SDK cannot make it. */
export async function writeRequestSdk(details: RequestDetails, target: Target): Promise<string> {
	const { body } = details;
	if (body !== "" && parseJson(body) === undefined) {
		throw new Error("The body isn't JSON, which the SDK always sends. Copy it as curl.");
	}
	const path = details.path.slice(new URL(target.baseUrl).pathname.replace(/\/$/, "").length);
	const operation = await loadOperation(details);
	if (operation === undefined) throw new Error("The SDK has no such operation. Copy it as curl.");
	return writeSdkCode(operation, readRequestContent(operation, { ...details, path }), target);
}

async function loadOperation({ operationId }: RequestDetails): Promise<ApiOperation | undefined> {
	if (operationId === undefined) return undefined;
	const response = await fetch("/openapi.json");
	return findApiOperation(readDocument(await response.json()), operationId);
}

/** What was sent at the last attempt at a delivery. */
export interface SentWebhook extends Pick<DeliveryView, "kind" | "url" | "headers"> {
	readonly body: string;
}

/** Writes a command that sends a webhook again with its timestamp and signature, which soon expire. */
export function writeWebhookCurl({ url, headers, body }: SentWebhook): string {
	const options = Object.entries(headers).map(
		([name, value]) => `--header ${quoteForShell(`${name}: ${value}`)}`,
	);
	const command = `curl --include --globoff --request POST ${quoteForShell(url)}`;
	return [
		"# A receiver with this package accepts the timestamp for five minutes, unless it sets another tolerance.",
		"# After that, try the webhook again in the console: it is signed again.",
		[`printf '%s' ${quoteForShell(body)} | ${command}`, ...options, "--data-binary @-"].join(" \\\n  "),
		"",
	].join("\n");
}

/** Writes a vitest test that signs this webhook and expects its receiver to acknowledge it. */
export function writeWebhookTest({ kind, url, body }: SentWebhook): string {
	return `// A webhook of the local gateway, written down by its console.
import { signWebhook } from "messaging-gateway/webhooks";
import { expect, test } from "vitest";

// The receiver that runs at its URL. To do without: the fetch of your handler, such as webhooks.fetch.
const receive = (request: Request): Promise<Response> => fetch(request);

test("the receiver acknowledges ${kind}", async () => {
  const body = ${writeRawString(body)};
  const secret = process.env["MESSAGING_GATEWAY_WEBHOOK_SECRET"] ?? "";
  const headers = signWebhook({ body, secret });
  const request = new Request(${JSON.stringify(url)}, { method: "POST", headers, body });
  const response = await receive(request);
  expect(response.ok).toBe(true);
});
`;
}

/** A string literal that shows its content as it is, if it can: a body's own escapes stay readable. */
function writeRawString(text: string): string {
	return /[`\r]|\$\{|\\$/.test(text) ? JSON.stringify(text) : `String.raw\`${text}\``;
}
