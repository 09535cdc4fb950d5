import type { RequestDetails, RequestView } from "../../../control/contract.ts";
import { asObject, asString, parseJson } from "../../parts/json-value.ts";

/** Whether a request was rejected, or got no response. */
export function isRejected({ status }: Pick<RequestView, "status">): boolean {
	return status === undefined || status < 200 || status > 299;
}

/** Names a request by its operation, or else by its method and path. */
export function nameOf({ operationId, method, path }: RequestView): string {
	return operationId ?? `${method} ${path}`;
}

/** The result of a request's signature check. */
export interface SignatureFacts {
	readonly tone: "good" | "bad" | "muted";
	readonly text: string;
}

/** Describes the result of a request's signature check. */
export function describeSignature(details: RequestDetails): SignatureFacts {
	const { signature, error, operationId, headers } = details;
	if (signature === "accepted") return { tone: "good", text: "The signature was accepted." };
	if (signature === "rejected") {
		const reason = asString(errorDetailsOf(details)["reason"]) ?? error?.code ?? "unknown";
		return { tone: "bad", text: `The signature was rejected: ${reason}.` };
	}
	if (operationId === undefined) return notChecked("no operation has this path and method");
	if (headers["authorization"] === undefined) return notChecked("the request has none");
	return notChecked("the operation needs none, or a fault responded first");
}

function notChecked(reason: string): SignatureFacts {
	return { tone: "muted", text: `The signature was not checked: ${reason}.` };
}

/** The message that a request was about: the one it sent, or the earlier one that blocked it. */
export function findMessageId(details: RequestDetails): string | undefined {
	const data = asObject(parsedResponse(details)["data"]);
	const message = asObject(data["message"]);
	return (
		asString(errorDetailsOf(details)["messageId"]) ??
		asString(data["messageId"]) ??
		asString(message["messageId"])
	);
}

function errorDetailsOf(details: RequestDetails) {
	return asObject(asObject(parsedResponse(details)["error"])["details"]);
}

function parsedResponse({ responseBody }: RequestDetails) {
	return asObject(parseJson(responseBody ?? ""));
}
