import { type CallContext, ConnectionError, TimeoutError } from "../errors.ts";
import { isBrowser } from "../host.ts";
import { isNotSent } from "./not-sent.ts";
import { readFailure, toSafeCause } from "./safe-cause.ts";

/** Why an attempt got no complete response. */
export interface AttemptFailure {
	/** `"refused"`: no connection was made; `"broken"`: it failed, and how much the gateway received is unknown. */
	readonly kind: "refused" | "broken" | "timed_out" | "too_large";
	readonly cause: Error | undefined;
	/** The network stack's own message, never to be printed: it may contain the URL, the headers or the body. */
	readonly rawMessage: string;
}

/** A `fetch` resolved to something unusable. Unlike a foreign error's message, this one is ours and may be shown. */
export class UnusableResponse extends Error {
	override readonly name = "UnusableResponse";
}

/** The error of an attempt that timed out; a user's `fetch` may see it as its signal's reason. */
export const TIMED_OUT = /* @__PURE__ */ new Error("attemptTimeoutMs is over");

export const TOO_LARGE = /* @__PURE__ */ new Error("the response is larger than maxResponseBytes");

/**
 * Why an attempt failed, from what its `fetch` or its response threw.
 * @param timesWritten - how often the request is known to have been written to a connection.
 */
export function classifyFailure(error: unknown, hasHead: boolean, timesWritten = 0): AttemptFailure {
	if (error === TIMED_OUT) return { kind: "timed_out", cause: undefined, rawMessage: "" };
	if (error === TOO_LARGE) return { kind: "too_large", cause: undefined, rawMessage: "" };
	try {
		if (error instanceof UnusableResponse) return { kind: "broken", cause: error, rawMessage: "" };
		const failure = readFailure(error);
		const kind = !hasHead && isNotSent(failure, timesWritten) ? "refused" : "broken";
		return { kind, cause: toSafeCause(error), rawMessage: failure.rawMessage };
	} catch {
		// The getters of a foreign error may throw.
		return { kind: "broken", cause: undefined, rawMessage: "" };
	}
}

/** The end of every error message that `doctor` can explain. */
export const DOCTOR_HINT = ". `npx messaging-gateway doctor` finds out why";

/** The error for an input, such as a stream, that was not read within a call's `timeoutMs`. */
export function createInputTimeout(context: CallContext, limitMs: number): TimeoutError {
	return new TimeoutError(
		`${context.operationId}: the input was not ready within timeoutMs, ${limitMs} ms; nothing was sent`,
		context,
		{ scope: "call", limitMs },
	);
}

/** The error for an attempt without a complete response; `status` is that of the response that broke off. */
export function createConnectionError(
	where: string,
	failure: AttemptFailure,
	status: number | undefined,
	context: CallContext,
): ConnectionError {
	const { cause, rawMessage } = failure;
	const transportMessage = rawMessage || undefined;
	return new ConnectionError(describeConnection(where, failure, status), context, {
		cause,
		transportMessage,
	});
}

/** The message for an attempt without a complete response; `status` is that of the response that broke off. */
function describeConnection(
	where: string,
	{ kind, cause, rawMessage }: AttemptFailure,
	status: number | undefined,
): string {
	const mayBeProcessed = "the gateway may have processed the request";
	if (cause instanceof UnusableResponse) {
		return status === undefined
			? `${where}: ${cause.message}; ${mayBeProcessed}`
			: `${where} got ${status}, but ${cause.message}`;
	}
	const code = cause !== undefined && "code" in cause ? ` (${String(cause.code)})` : "";
	if (kind === "refused") {
		const argument = FOREIGN_ARGUMENTS.find(([said]) => said.test(rawMessage))?.[1];
		if (argument !== undefined)
			return `${where} was not sent, because fetch rejects ${argument}: take both from the same one`;
		return /UND_ERR_(INVALID_ARG|NOT_SUPPORTED)/.test(code) || rawMessage === "bad port"
			? `${where} was not sent, because fetch rejects it${code}: transportMessage says why`
			: `${where} did not reach the gateway${code}: check baseUrl and the network${DOCTOR_HINT}`;
	}
	if (status !== undefined)
		return `${where} got ${status}, but the connection broke during the response${code}${DOCTOR_HINT}`;
	return BLOCKED.test(rawMessage) && isBrowser()
		? `${where} got no response that this page may read; ${mayBeProcessed}. The browser's console says why, such as CORS`
		: `${where}: the connection broke before a response arrived${code}; ${mayBeProcessed}${DOCTOR_HINT}`;
}

/** What a transport says of arguments that it rejects, and what they are. */
const FOREIGN_ARGUMENTS: readonly (readonly [said: RegExp, argument: string])[] = [
	[/\b(instance ?of|of type) "?AbortSignal\b/, "an AbortSignal of another environment, such as jsdom"],
	[/^agent\.dispatch is not a|^invalid on[A-Z]\w+ method$/, "a dispatcher of another undici"],
];

/** What browsers, and happy-dom, say of any response that they keep from a page. */
const BLOCKED = /\bcross-origin\b|^(Failed to fetch|Load failed|NetworkError when)\b/i;
