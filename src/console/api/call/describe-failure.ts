import {
	ApiError,
	type FieldError,
	InputError,
	isMessagingGatewayError,
	type Outcome,
} from "../../../errors.ts";
import type { ApiOperation } from "../document/api-document.ts";

/** A failed call, as an application would meet it. */
export interface FailureView {
	/** The class of the error, e.g. `AuthenticationError`. */
	readonly className: string;
	/** `error.code` of the SDK. */
	readonly code: string | undefined;
	readonly message: string;
	readonly outcome: Outcome | undefined;
	/** What the outcome means, in a sentence. */
	readonly meaning: string | undefined;
	/** `error.code` of the gateway's envelope. */
	readonly gatewayCode: string | undefined;
	/** What the document says of the gateway's code. */
	readonly gatewayMeaning: string | undefined;
	readonly fieldErrors: readonly FieldError[];
	readonly retryAfterMs: number | undefined;
	/** What to do about it, in a sentence or two. */
	readonly advice: string;
}

/** Puts what the client threw into words. */
export function describeFailure(error: unknown, operation: ApiOperation): FailureView {
	if (!isMessagingGatewayError(error)) return describeOther(error);
	const outcome = "outcome" in error ? error.outcome : undefined;
	const apiError = error instanceof ApiError ? error : undefined;
	const gatewayCode = apiError?.gatewayCode;
	const meanings = operation.answers.flatMap(({ errors }) => errors);
	return {
		className: error.name,
		code: error.code,
		message: error.message,
		outcome,
		meaning: outcome === undefined ? undefined : OUTCOMES[outcome],
		gatewayCode,
		gatewayMeaning: meanings.find(({ code }) => code === gatewayCode)?.meaning,
		fieldErrors: apiError?.fieldErrors ?? (error instanceof InputError ? error.issues.map(toFieldError) : []),
		retryAfterMs: apiError?.retryAfterMs,
		advice: ADVICE[error.code] ?? ADVICE.other,
	};
}

/** Beside the SDK's own errors there is only the reason of a signal. */
function describeOther(error: unknown): FailureView {
	const { name, message } = error instanceof Error ? error : new Error("Something was thrown.");
	const isAbort = name === "AbortError";
	return {
		className: name,
		code: undefined,
		message: isAbort ? "The call was cancelled; it may have reached the gateway before." : message,
		outcome: undefined,
		meaning: undefined,
		gatewayCode: undefined,
		gatewayMeaning: undefined,
		fieldErrors: [],
		retryAfterMs: undefined,
		advice: isAbort ? "Look whether it was carried out before you send it again." : ADVICE.other,
	};
}

function toFieldError({ path, message }: { path: string; message: string }): FieldError {
	return { field: path, issue: "invalid", message };
}

const OUTCOMES: Readonly<Record<Outcome, string>> = {
	not_sent: "It certainly never reached the gateway.",
	rejected: "The gateway refused it; nothing was done.",
	unknown: "It may or may not have been carried out; sending again may deliver twice.",
	accepted: "The gateway accepted it, but its answer could not be used.",
};

/** By the SDK's code, which is what an application would branch on. */
const ADVICE: Readonly<Record<string, string>> & { readonly other: string } = {
	configuration: "Put right what the message names: the base URL, the App ID or the App Secret.",
	invalid_input: "Change the fields that the message names, then send again.",
	connection_failed: "See whether the gateway runs at the base URL, and what the browser's console says.",
	timeout: "See whether the gateway is busy; a delay that a fault adds also ends here.",
	unexpected_response:
		"Compare the answer with the envelope of the specification: a proxy may have answered.",
	unexpected_status: "Look at status and body: no error class is made for this status.",
	bad_request: "Change the fields that the gateway lists, then send again.",
	authentication_failed:
		"Compare App ID and App Secret with the gateway's. Then compare the string to sign below, line by line, with what the gateway expects: the path as it is on the request line, and the hash of exactly the bytes that were sent.",
	permission_denied:
		"The signature was right, but a rule forbids this: unblock the agent, or wait for the contact to answer.",
	not_found: "Create what the call names first, or look up its real number or id.",
	conflict: "Read the current state, and change the call so that it fits.",
	duplicate_message: "Change the text, or wait until the duplicate window is over. Do not retry in a loop.",
	unprocessable: "The call is well formed, but cannot be carried out for this target.",
	rate_limited: "Wait for as long as Retry-After says, then send again.",
	server_error: "Look at the outcome before you send again: what is unknown may have been carried out.",
	other: "Look at the answer and at the browser's console.",
};
