import type { Clock } from "../runtime.ts";
import type { Deadline } from "./deadline.ts";
import { Exchange, TOO_LARGE, type Transport } from "./exchange.ts";
import { isNotSent } from "./not-sent.ts";
import type { PreparedRequest } from "./request.ts";
import { type ResponseHead, UnusableResponse } from "./response-head.ts";
import { readFailure, toSafeCause } from "./safe-cause.ts";

/** How one attempt is made. */
export interface AttemptOptions {
	/** All headers; a custom fetch gets this very object. */
	headers: Record<string, string>;
	timeoutMs: number;
	/** When the whole call must have ended. */
	deadline: Deadline;
}

/** A response whose body was read to its end. */
export interface RawResponse {
	head: ResponseHead;
	status: number;
	/** The body as a string. */
	text: string;
	/** When the attempt was sent, by our clock, in Unix milliseconds. */
	sentAt: number;
	/** When the response was read, by our clock, in Unix milliseconds. */
	receivedAt: number;
}

/** Why an attempt got no complete response. */
export interface AttemptFailure {
	/** `"refused"`: no connection was made; `"broken"`: it failed, and how much the gateway received is unknown. */
	kind: "refused" | "broken" | "timed_out" | "too_large";
	/** The response's status and headers, if they had arrived before the failure. */
	head: ResponseHead | undefined;
	cause: Error | undefined;
	/** The network stack's own message: only for matching, never to be shown. */
	rawMessage: string;
}

/** How an attempt ended. */
export type AttemptResult = { response: RawResponse } | { failure: AttemptFailure };

/** The error of an attempt that timed out; a user's `fetch` may see it as its signal's reason. */
const ATTEMPT_TIMED_OUT = new Error("attemptTimeoutMs is over");

/**
 * Makes one attempt and reads its whole response, within its time and size limits.
 * @throws what the deadline throws once it is over; nothing else.
 */
export async function makeAttempt(
	request: PreparedRequest,
	transport: Transport & { readonly clock: Clock },
	{ headers, timeoutMs, deadline }: AttemptOptions,
): Promise<AttemptResult> {
	const { clock } = transport;
	const sentAt = clock.now();
	const exchange = new Exchange(request, headers, transport);
	try {
		const { head, text } = await deadline.limit(exchange.run(), {
			timeoutMs,
			timedOut: ATTEMPT_TIMED_OUT,
			stop: (reason) => exchange.stop(reason),
		});
		return { response: { head, status: head.status, text, sentAt, receivedAt: clock.now() } };
	} catch (error) {
		deadline.throwIfOver();
		return { failure: describeFailure(error, exchange.head) };
	}
}

/** Describes why an attempt rejected; `head` is what had arrived of the response. */
export function describeFailure(error: unknown, head: ResponseHead | undefined): AttemptFailure {
	if (error === ATTEMPT_TIMED_OUT) return { kind: "timed_out", head, cause: undefined, rawMessage: "" };
	if (error === TOO_LARGE) return { kind: "too_large", head, cause: undefined, rawMessage: "" };
	if (error instanceof UnusableResponse) return { kind: "broken", head, cause: error, rawMessage: "" };
	try {
		const failure = readFailure(error);
		const kind = head === undefined && isNotSent(failure) ? "refused" : "broken";
		return { kind, head, cause: toSafeCause(error), rawMessage: failure.rawMessage };
	} catch {
		// The getters of a foreign error may throw.
		return { kind: "broken", head, cause: undefined, rawMessage: "" };
	}
}
