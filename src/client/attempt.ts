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
	/** Until when the whole call must have ended. */
	deadline: Deadline;
}

/** An answer whose body was read to its end. */
export interface Answer {
	response: ResponseHead;
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
	response: ResponseHead | undefined;
	cause: Error | undefined;
	/** What the network stack said: to be matched, never to be shown. */
	words: string;
}

/** What an attempt ended with. */
export type AttemptResult = { answer: Answer } | { failure: AttemptFailure };

/** What an attempt ends with when its time is over; a user's `fetch` may see it as its signal's reason. */
const ATTEMPT_TIMED_OUT = new Error("attemptTimeoutMs is over");

/**
 * Makes one attempt and reads its whole answer, within its time and size limits.
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
		return { answer: { response: head, status: head.status, text, sentAt, receivedAt: clock.now() } };
	} catch (error) {
		deadline.throwIfOver();
		return { failure: describeFailure(error, exchange.head) };
	}
}

/** What a rejection says of an attempt; `response` is the head that had arrived. */
export function describeFailure(error: unknown, response: ResponseHead | undefined): AttemptFailure {
	if (error === ATTEMPT_TIMED_OUT) return { kind: "timed_out", response, cause: undefined, words: "" };
	if (error === TOO_LARGE) return { kind: "too_large", response, cause: undefined, words: "" };
	if (error instanceof UnusableResponse) return { kind: "broken", response, cause: error, words: "" };
	try {
		const failure = readFailure(error);
		const kind = response === undefined && isNotSent(failure) ? "refused" : "broken";
		return { kind, response, cause: toSafeCause(error), words: failure.words };
	} catch {
		// An error of somebody else's may fail when it is looked at.
		return { kind: "broken", response, cause: undefined, words: "" };
	}
}
