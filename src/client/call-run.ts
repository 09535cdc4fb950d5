import { ApiError, type CallError } from "../errors.ts";
import { makeAttempt, type RawResponse } from "./attempt.ts";
import type { ClientState } from "./client-state.ts";
import { CALL_TIMED_OUT, type Deadline } from "./deadline.ts";
import { type Ending, Endings } from "./ending.ts";
import type { CallResult } from "./gateway-call.ts";
import type { AttemptEnding, AttemptInfo } from "./observer.ts";
import type { ReadyCall } from "./ready-call.ts";
import { isSuccess, metaTime, namesTimestamp, type ReadResponse, readResponse } from "./response.ts";
import type { ResponseHead } from "./response-head.ts";
import { isRetryable, retryDelayMs } from "./retry.ts";

/** An attempt that was made. */
interface Attempted<Data> {
	ending: Ending<Data>;
	/** The response, as far as it arrived. */
	read: ReadResponse | undefined;
	/** The 401 that it got. */
	rejection: Rejection | undefined;
}

/** A signed request that got a 401. */
interface Rejection {
	response: RawResponse;
	read: ReadResponse;
	/** The timestamp that it was signed with. */
	timestamp: number;
}

/** One call over all its attempts: signs each attempt, and retries if the call may be retried. */
export class CallRun<Data> {
	readonly #call: ReadyCall<Data>;
	readonly #state: ClientState;
	readonly #deadline: Deadline;
	/** The outcome of the call and of its attempts. */
	readonly endings: Endings<Data>;
	#hasCorrectedClock = false;
	#hasRefreshedSecret = false;

	constructor(call: ReadyCall<Data>, state: ClientState, deadline: Deadline) {
		this.#call = call;
		this.#state = state;
		this.#deadline = deadline;
		this.endings = new Endings(call, state);
	}

	/** Attempts until there is a result, an error that must not be retried, or no retry or time left. */
	async run(): Promise<CallResult<Data>> {
		let retries = 0;
		let last: CallError | undefined;
		for (;;) {
			const headers = await this.#headers(last);
			const { ending, read, rejection } = await this.#attempt(headers);
			if ("result" in ending) return ending.result;
			last = ending.error;
			if (rejection !== undefined && (await this.#canSignBetter(rejection))) {
				this.#state.observer.retry({ ...this.info(), delayMs: 0, reason: last.code });
				continue;
			}
			const { limits, retryClass } = this.#call;
			if (retries >= limits.maxRetries || !isRetryable(read?.status, ending.outcome, retryClass)) throw last;
			retries += 1;
			const delayMs = retryDelayMs(retries, last instanceof ApiError ? last.retryAfterMs : undefined);
			// Waiting until the time-out would only replace this error with a less specific one.
			if (delayMs >= this.#deadline.remainingMs()) throw last;
			this.#state.observer.retry({ ...this.info(), delayMs, reason: last.code });
			await this.#deadline.sleep(delayMs);
		}
	}

	/** Which attempt of which call this is. */
	info(): AttemptInfo {
		const { info, request } = this.#call;
		return { ...info, attempt: this.endings.attempts, baseUrl: request.base.href, call: info };
	}

	#attempt(headers: Record<string, string>): Promise<Attempted<Data>> {
		this.endings.attempts += 1;
		const info = this.info();
		const run = () => this.#send(info, headers);
		return this.#state.observer.aroundAttempt({ info, run, describe: describeAttempt });
	}

	async #send(info: AttemptInfo, headers: Record<string, string>): Promise<Attempted<Data>> {
		const { request, limits, operation } = this.#call;
		// Before a custom fetch has the headers in its hands.
		const timestamp = Number(headers["X-Timestamp"]);
		this.#state.observer.request(info);
		this.endings.isSending = true;
		const attempted = await makeAttempt(request, this.#state, {
			headers,
			timeoutMs: limits.attemptTimeoutMs,
			deadline: this.#deadline,
		});
		this.endings.isSending = false;
		if ("failure" in attempted) {
			const { head } = attempted.failure;
			const read = head === undefined ? undefined : this.#read(head, undefined);
			return { ending: this.endings.failed(attempted.failure, read), read, rejection: undefined };
		}
		const { response } = attempted;
		const read = this.#read(response.head, response.text);
		this.#observe(info, response, read);
		const ending = await this.endings.responded(response, read);
		const isRejected = read.status === 401 && operation.isSigned;
		const rejection = isRejected ? { response, read, timestamp } : undefined;
		return { ending, read, rejection };
	}

	/** Reports a response to the hooks, and learns the gateway's time from it. */
	#observe(info: AttemptInfo, response: RawResponse, read: ReadResponse): void {
		const { operation, request } = this.#call;
		const durationMs = response.receivedAt - response.sentAt;
		this.#state.observer.response({ ...info, status: read.status, durationMs, requestId: read.requestId });
		if (operation.isSigned && isSuccess(operation, read)) {
			this.#state.skew.observeSuccess(response, metaTime(read), request.parsedUrl);
		}
	}

	async #headers(last: CallError | undefined): Promise<Record<string, string>> {
		const { operation, request } = this.#call;
		const headers: Record<string, string> = { ...this.#call.headers };
		if (request.body !== undefined) headers["Content-Type"] = "application/json";
		if (!operation.isSigned) return headers;
		try {
			const createStamp = () => this.#state.createStamp();
			Object.assign(headers, await this.#state.credentials.sign(request, createStamp, this.#deadline));
			this.#deadline.throwIfOver();
			return headers;
		} catch (error) {
			this.#deadline.throwIfOver();
			// An earlier attempt may have reached the gateway, which only its error reports.
			throw last ?? error;
		}
	}

	/** After a 401: whether the clock or the secret was wrong and is now corrected, each once in a call. */
	async #canSignBetter({ response, read, timestamp }: Rejection): Promise<boolean> {
		const { skew, credentials } = this.#state;
		if (
			!this.#hasCorrectedClock &&
			skew.observeRejection(response, timestamp, namesTimestamp(read), this.#call.request.parsedUrl)
		) {
			this.#hasCorrectedClock = true;
			return true;
		}
		if (this.#hasRefreshedSecret) return false;
		this.#hasRefreshedSecret = true;
		try {
			return await credentials.refresh(this.#call.request, this.#deadline);
		} catch {
			// The 401 explains more than a secret that could not be fetched again.
			this.#deadline.throwIfOver();
			return false;
		}
	}

	#read(head: ResponseHead, text: string | undefined): ReadResponse {
		return readResponse(head, text, this.#state.skew.correct(this.#state.clock.now()));
	}
}

/** An attempt that was not made to its end was stopped from outside. */
function describeAttempt(settled: PromiseSettledResult<Attempted<unknown>>): AttemptEnding {
	if (settled.status === "rejected") {
		const errorCode = isCallTimeout(settled.reason) ? "timeout" : "aborted";
		return { status: undefined, requestId: undefined, errorCode };
	}
	const { ending, read } = settled.value;
	const errorCode = "error" in ending ? ending.error.code : undefined;
	return { status: read?.status, requestId: read?.requestId, errorCode };
}

/** Whether a rejection is the deadline's own, rather than the caller's. */
export function isCallTimeout(reason: unknown): boolean {
	return reason === CALL_TIMED_OUT;
}
