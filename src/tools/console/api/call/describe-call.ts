import { ApiError, isMessagingGatewayError, type Outcome } from "../../../../library/errors.ts";
import { parseJson } from "../../../control/parse-json.ts";
import { formatDuration } from "../../parts/format-time.ts";
import { asObject, asString } from "../../parts/json-value.ts";
import type { ApiOperation } from "../document/api-document.ts";
import type { ReceivedResponse } from "./make-call.ts";

/** A failed call, as an application would see it. */
export interface FailureView {
	/** The class of the error, e.g. `AuthenticationError`. */
	readonly className: string;
	/** The gateway's message, or else that of the error. */
	readonly message: string;
	/** The error's properties, and what they mean, in a sentence. */
	readonly properties: readonly Property[];
	/** What to do about it, in a sentence or two. */
	readonly advice: string;
}

interface Property {
	readonly name: string;
	readonly value: string;
	readonly about: string | undefined;
}

export function describeFailure(error: unknown, operation: ApiOperation): FailureView {
	if (!isMessagingGatewayError(error)) return describeOther(error);
	const response: Partial<ApiError> = error instanceof ApiError ? error : {};
	const { gatewayMessage, gatewayCode, fieldErrors = [], retryAfterMs } = response;
	const outcome = "outcome" in error ? error.outcome : undefined;
	const meanings = operation.responses.flatMap(({ errors }) => errors);
	const gatewayMeaning = meanings.find(({ code }) => code === gatewayCode)?.meaning;
	const property = (name: string, value: string | undefined, about?: string): Property[] =>
		value === undefined ? [] : [{ name, value, about }];
	return {
		className: error.name,
		message: gatewayMessage ?? error.message,
		properties: [
			...property("code", error.code),
			...property("gatewayCode", gatewayCode, gatewayMeaning),
			...property("outcome", outcome, outcome && OUTCOMES[outcome]),
			...property("retryAfterMs", retryAfterMs?.toString(), `Retry in ${formatDuration(retryAfterMs ?? 0)}.`),
			...fieldErrors.flatMap(({ field, issue, message }) => property(field || "(body)", issue, message)),
		],
		advice: ADVICE[error.code] ?? ADVICE.other,
	};
}

/** Describes an error of another kind, usually the reason of an aborted signal. */
function describeOther(error: unknown): FailureView {
	const { name, message } = error instanceof Error ? error : new Error("An unknown value was thrown.");
	const isAbort = name === "AbortError";
	return {
		className: name,
		message: isAbort ? "The call was cancelled; it may already have reached the gateway." : message,
		properties: [],
		advice: isAbort ? "Check whether it was carried out before you send it again." : ADVICE.other,
	};
}

/** Finds the gateway's request id in the envelope or in a header. */
export function findRequestId({ text, headers }: ReceivedResponse): string | undefined {
	const { meta, error } = asObject(parseJson(text));
	const inHeader = headers.find(([name]) => name.toLowerCase() === "x-request-id")?.[1];
	return asString(asObject(meta)["requestId"]) ?? asString(asObject(error)["requestId"]) ?? inHeader;
}

const OUTCOMES: Readonly<Record<Outcome, string>> = {
	not_sent: "The request certainly never reached the gateway.",
	rejected: "The gateway rejected the request; nothing was done.",
	unknown: "The call may have been carried out; sending again may deliver twice.",
	accepted: "The gateway accepted the call, but its response couldn't be used.",
};

/** What to do, by the SDK's error code. */
const ADVICE: Readonly<Record<string, string>> & { readonly other: string } = {
	configuration: "Fix what the message names: the base URL, the App ID or the App Secret.",
	signer_failed: "Check the service that signs, and try again: nothing was sent.",
	invalid_input: "Change the fields that the message names, then send again.",
	connection_failed: "Check that the gateway runs at the base URL, and look at the browser's console.",
	timeout: "Check whether the gateway is busy, or whether a fault delays the call.",
	unexpected_response:
		"Compare the response with the envelope of the specification: it may come from a proxy.",
	unexpected_status: "Look at the status and the body: this status has no error class.",
	bad_request: "Change the fields that the gateway lists, then send again.",
	authentication_failed:
		"Compare the App ID and App Secret with the gateway's. Then compare the string to sign below, line by line, with the one the gateway expects: the path as on the request line, and the hash of exactly the bytes sent.",
	permission_denied:
		"The signature is valid, but a rule forbids this: unblock the agent, or wait for the contact to reply.",
	not_found: "Create what the call names first, or check its number or id.",
	conflict: "Read the current state, and change the call accordingly.",
	duplicate_message: "Change the text, or wait until the duplicate window is over. Don't retry in a loop.",
	unprocessable: "The call is valid, but can't be carried out for this recipient.",
	rate_limited: "Wait as long as Retry-After says, then send again.",
	server_error:
		"A 5xx proves nothing, unless the profile names its code in rejectionCodes: check what became of the call before you send again.",
	other: "Look at the response and at the browser's console.",
};
