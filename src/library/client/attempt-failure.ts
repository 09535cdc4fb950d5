import { type CallContext, ConnectionError, TimeoutError } from "../errors.ts";
import { isBrowser } from "../host.ts";
import { isLoopback } from "../signing/loopback.ts";
import { isNotSent } from "./not-sent.ts";
import { tell } from "./outcome-sentences.ts";
import type { BaseUrl } from "./request.ts";
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

/** In every error message that `doctor` can explain. */
export const DOCTOR_HINT = ". `npx messaging-gateway doctor` shows why";

/**
 * The error for an attempt, or a call, that took too long.
 * @param option - what limits it.
 */
export function createTimeoutError(
	where: string,
	context: CallContext,
	limit: { readonly scope: TimeoutError["scope"]; readonly limitMs: number },
	option = limit.scope === "call" ? "timeoutMs" : "attemptTimeoutMs",
): TimeoutError {
	const tries = limit.scope === "call" && context.attempts > 1 ? ` over ${context.attempts} attempts` : "";
	return new TimeoutError(
		tell(
			where,
			context,
			`took longer than ${option}, ${limit.limitMs} ms${tries}. Raise ${option}, or check the network${DOCTOR_HINT}`,
		),
		context,
		limit,
	);
}

/** The error for an input, such as a stream, that was not read within a call's `timeoutMs`. */
export function createInputTimeout(context: CallContext, limitMs: number): TimeoutError {
	return new TimeoutError(
		`Nothing was sent: the input of ${context.operationId} wasn't ready within timeoutMs, ${limitMs} ms`,
		context,
		{ scope: "call", limitMs },
	);
}

/** An attempt that got no complete response. */
interface BrokenAttempt {
	readonly method: string;
	readonly pathTemplate: string;
	readonly base: BaseUrl;
	readonly failure: AttemptFailure;
	/** The status of a response that broke off. */
	readonly status: number | undefined;
}

/** The error for an attempt without a complete response. */
export function createConnectionError(attempt: BrokenAttempt, context: CallContext): ConnectionError {
	const { method, pathTemplate, failure } = attempt;
	const message = tell(`${method} ${pathTemplate}`, context, describeConnection(attempt));
	const { cause, rawMessage } = failure;
	return new ConnectionError(message, context, { cause, transportMessage: rawMessage || undefined });
}

/** The end of the sentence that begins with the method and the path. */
function describeConnection({ base, failure, status }: BrokenAttempt): string {
	const { kind, cause, rawMessage } = failure;
	if (cause instanceof UnusableResponse)
		return status === undefined ? `got no response: ${cause.message}` : `got ${status}, but ${cause.message}`;
	const code = cause !== undefined && "code" in cause ? ` (${String(cause.code)})` : "";
	if (kind === "refused") {
		const argument = FOREIGN_ARGUMENTS.find(([said]) => said.test(rawMessage))?.[1];
		if (argument !== undefined)
			return `didn't leave, because fetch rejects ${argument}: take both from the same one`;
		if (/UND_ERR_(INVALID_ARG|NOT_SUPPORTED)/.test(code) || rawMessage === "bad port")
			return `didn't leave, because fetch rejects it${code}: transportMessage says why`;
		const isLocal = /refused/i.test(code) && isLoopback(new URL(base.href).hostname);
		const advice = isLocal
			? "start `npx messaging-gateway dev`, or correct baseUrl"
			: "check baseUrl and the network";
		return `didn't reach the gateway${code}: ${advice}${DOCTOR_HINT}`;
	}
	if (status !== undefined)
		return `got ${status}, but the connection broke during the response${code}${DOCTOR_HINT}`;
	return BLOCKED.test(rawMessage) && isBrowser()
		? "got no response that this page may read. The browser's console says why, such as CORS"
		: `got no response: the connection broke${code}${DOCTOR_HINT}`;
}

/** What a transport says of arguments that it rejects, and what they are. */
const FOREIGN_ARGUMENTS: readonly (readonly [said: RegExp, argument: string])[] = [
	[/\b(instance ?of|of type) "?AbortSignal\b/, "an AbortSignal of another environment, such as jsdom"],
	[/^agent\.dispatch is not a|^invalid on[A-Z]\w+ method$/, "a dispatcher of another undici"],
];

/** What browsers, and happy-dom, say of any response that they keep from a page. */
const BLOCKED = /\bcross-origin\b|^(Failed to fetch|Load failed|NetworkError when)\b/i;
