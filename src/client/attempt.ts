import ky from "ky";
import { type Clock, supportsCacheMode } from "../runtime.ts";
import { concatenate, utf8 } from "../signing/bytes.ts";
import type { CustomFetch, FetchInit } from "./custom-fetch.ts";
import type { PreparedRequest } from "./request.ts";
import { errorCode, toSafeCause } from "./safe-cause.ts";
import { untilAborted } from "./until-aborted.ts";

/** How one attempt is made. */
export interface AttemptOptions {
	fetch: CustomFetch;
	headers: Readonly<Record<string, string>>;
	timeoutMs: number;
	maxResponseBytes: number;
	clock: Clock;
	/** What was sent, which the words of a failed connection must not repeat. */
	sent: unknown;
	/** Aborts when the whole call ends, by time or by its caller. */
	signal: AbortSignal;
}

/** An answer whose body was read to its end. */
export interface Answer {
	response: Response;
	status: number;
	/** The body as text. */
	text: string;
	/** When the attempt was sent, by our clock, in Unix milliseconds. */
	sentAt: number;
	/** When its answer was read, by our clock, in Unix milliseconds. */
	receivedAt: number;
}

/** Why an attempt brought no complete answer. */
export interface AttemptFailure {
	/** `"refused"`: no connection was made; `"broken"`: it failed, and nothing says how far the request came. */
	kind: "refused" | "broken" | "timed_out" | "too_large";
	/** The answer's status and headers, where they had arrived before it failed. */
	response: Response | undefined;
	cause: Error | undefined;
}

/** What an attempt ended with. */
export type AttemptResult = { answer: Answer } | { failure: AttemptFailure };

/** Errors that mean that no connection was made: nothing can have reached the gateway. */
const NOT_SENT_CODES = new Set([
	// Node and undici
	"ECONNREFUSED",
	"ENOTFOUND",
	"EAI_AGAIN",
	"UND_ERR_CONNECT_TIMEOUT",
	// Bun
	"ConnectionRefused",
	"FailedToOpenSocket",
	"DNSResolveFailed",
]);

/**
 * What tells by its words alone: a host may also become unreachable while a request is under way, undici gives a
 * proxy that refuses its tunnel the code of any request that ended early, and Deno has no codes; these are the
 * words of its HTTP client before a connection exists.
 */
const NOT_SENT_MESSAGE =
	/^connect E(HOST|NET)UNREACH\b|^proxy response \(\d+\) !== 200 when http tunneling$|\btcp connect error\b|\bdns error\b|^bad port$/i;

/** Puts U+FFFD where the bytes are not UTF-8, and takes off a byte order mark, as `Response.text` does. */
const decoder = /* @__PURE__ */ new TextDecoder();

/** What stops an attempt from inside; a user's `fetch` may see the first as its signal's reason. */
const ATTEMPT_TIMED_OUT = new Error("attemptTimeoutMs is over");
const TOO_LARGE = new Error("the answer is larger than maxResponseBytes");

/**
 * Makes one attempt and reads its whole answer, within its time and size limits.
 * @throws the reason of `options.signal` once that aborts; nothing else.
 */
export async function makeAttempt(request: PreparedRequest, options: AttemptOptions): Promise<AttemptResult> {
	const { clock, signal } = options;
	const controller = new AbortController();
	const abort = (): void => controller.abort(signal.reason);
	signal.addEventListener("abort", abort, { once: true });
	if (signal.aborted) abort();
	const cancelTimer = clock.setTimer(() => controller.abort(ATTEMPT_TIMED_OUT), options.timeoutMs);
	const sentAt = clock.now();
	let response: Response | undefined;
	try {
		const exchange = async (): Promise<Answer> => {
			response = await send(request, options, controller.signal);
			const text = await readText(response, options.maxResponseBytes, controller.signal);
			return { response, status: response.status, text, sentAt, receivedAt: clock.now() };
		};
		return { answer: await untilAborted(exchange(), controller.signal) };
	} catch (error) {
		if (signal.aborted) throw signal.reason;
		return { failure: describeFailure(error, response, options.sent) };
	} finally {
		cancelTimer();
		signal.removeEventListener("abort", abort);
	}
}

/**
 * One request through ky, with everything that ky would repeat or follow turned off: signing and retrying
 * are ours, and a followed redirect would carry the signature to another address. The user's `fetch` gets
 * `(url, init)`, because foreign `Request` objects are refused by some implementations.
 */
async function send(
	request: PreparedRequest,
	options: AttemptOptions,
	signal: AbortSignal,
): Promise<Response> {
	const init: FetchInit = {
		method: request.method,
		headers: { ...options.headers },
		redirect: "manual",
		signal,
		...(request.body === undefined ? {} : { body: request.body }),
		...(request.method === "GET" && supportsCacheMode() ? { cache: "no-store" } : {}),
	};
	let failure: { error: unknown } | undefined;
	try {
		return await ky(request.url, {
			method: request.method,
			retry: 0,
			throwHttpErrors: false,
			timeout: false,
			fetch: async () => {
				try {
					const response: unknown = await options.fetch(request.url, init);
					if (isResponse(response)) return response;
					throw new TypeError("fetch did not resolve to a Response");
				} catch (error) {
					failure = { error };
					throw error;
				}
			},
		});
	} catch (error) {
		throw failure === undefined ? error : failure.error;
	}
}

/** By its shape, since the `fetch` of another library answers with a class of its own. */
function isResponse(value: unknown): value is Response {
	const { status, headers } = (value ?? {}) as Partial<Response>;
	return typeof status === "number" && typeof headers?.get === "function";
}

/** Reads a body as UTF-8, and stops reading at the limit. */
async function readText(response: Response, maxBytes: number, signal: AbortSignal): Promise<string> {
	if (response.body === null) return "";
	// Some libraries' responses have no stream of the web, and can only be read whole.
	if (typeof response.body?.getReader !== "function") {
		const text = await response.text();
		if (utf8(text).length > maxBytes) throw TOO_LARGE;
		return text;
	}
	if (Number(response.headers.get("Content-Length") ?? 0) > maxBytes) {
		// Ends the transfer; whether that fails does not matter any more.
		response.body.cancel().catch(() => undefined);
		throw TOO_LARGE;
	}
	const reader = response.body.getReader();
	const cancel = (): void => void reader.cancel().catch(() => undefined);
	// A fetch that ignores its signal would let the transfer go on.
	signal.addEventListener("abort", cancel, { once: true });
	const chunks: Uint8Array[] = [];
	let length = 0;
	for (;;) {
		const { done, value } = await reader.read();
		if (done) return decoder.decode(concatenate(chunks, length));
		length += value.length;
		if (length > maxBytes) {
			cancel();
			throw TOO_LARGE;
		}
		chunks.push(value);
	}
}

function describeFailure(error: unknown, response: Response | undefined, sent: unknown): AttemptFailure {
	if (error === ATTEMPT_TIMED_OUT) return { kind: "timed_out", response, cause: undefined };
	if (error === TOO_LARGE) return { kind: "too_large", response, cause: undefined };
	const cause = toSafeCause(error, sent);
	const isNotSent = NOT_SENT_CODES.has(errorCode(error) ?? "") || NOT_SENT_MESSAGE.test(cause.message);
	return { kind: response === undefined && isNotSent ? "refused" : "broken", response, cause };
}
