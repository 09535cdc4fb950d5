import { joinIssues } from "../catalogue/check.ts";
import type { Operation, RetryClass } from "../catalogue/operation.ts";
import type { OperationProfile, Profile } from "../catalogue/profile.ts";
import {
	ApiError,
	type CallContext,
	type CallError,
	DuplicateMessageError,
	isMessagingGatewayError,
	type Outcome,
	type TimeoutError,
} from "../errors.ts";
import { assertHostHas } from "../host.ts";
import { type Clock, platformFetch, randomFraction, systemClock } from "../runtime.ts";
import { readTimestamp } from "../signing/dialect.ts";
import { type AttemptResult, makeAttempt } from "./attempt.ts";
import {
	type AttemptFailure,
	createConnectionError,
	createInputTimeout,
	createTimeoutError,
} from "./attempt-failure.ts";
import { ClockSkew, wasInTime } from "./clock-skew.ts";
import { Credentials, signerTimedOut } from "./credentials.ts";
import type { CustomFetch } from "./custom-fetch.ts";
import { CALL_TIMED_OUT, Deadline } from "./deadline.ts";
import type { CallResult } from "./gateway-call.ts";
import { type AttemptInfo, type CallInfo, Observer } from "./observer.ts";
import {
	type CallLimits,
	type CallOptions,
	type ClientOptions,
	MAX_RESPONSE_BYTES,
	mergeHeaders,
	resolveLimits,
} from "./options.ts";
import { isSend } from "./outcome-sentences.ts";
import { isBare401, namesTimestamp, namesUsedNonce } from "./refusals.ts";
import type { BaseUrl, PreparedRequest } from "./request.ts";
import {
	combineOutcomes,
	isSuccess,
	outcomeOf,
	prepareReading,
	type ReadResponse,
	rebuildResponse,
	summarizeResponse,
	unwrapData,
} from "./response.ts";
import { createApiError, createShapeError } from "./response-errors.ts";
import { WRITTEN } from "./written.ts";

/** What a call uses of the host, which a test may take away after the client was made. */
const NEEDED = ["Headers", "Response", "AbortController", "URL", "URLSearchParams", "setTimeout"] as const;

function assertHostCanCall(fetch: CustomFetch): void {
	// Our own transport is made for Node, which has the first two: asking for one of them loads all of undici.
	assertHostHas(...NEEDED.slice(WRITTEN in fetch ? 2 : 0));
}

/** What all calls of a client share: its options with their defaults, and what it has learned. */
export class CallTools {
	readonly options: ClientOptions;
	readonly profile: Profile | undefined;
	readonly clock: Clock;
	readonly fetch: CustomFetch;
	readonly headers: Readonly<Record<string, string>>;
	readonly limits: CallLimits;
	readonly maxResponseBytes: number;
	readonly credentials: Credentials;
	readonly skew: ClockSkew;
	readonly observer: Observer;

	/** @param shared - what is shared with a client for another app of the same gateway. */
	constructor(options: ClientOptions, shared?: Pick<CallTools, "skew" | "observer">) {
		this.options = options;
		this.profile = options.profile;
		this.clock = options.clock ?? systemClock;
		this.fetch = options.fetch ?? platformFetch;
		assertHostCanCall(this.fetch);
		this.headers = mergeHeaders(options.headers);
		this.limits = resolveLimits(options, {});
		this.maxResponseBytes = options.maxResponseBytes ?? MAX_RESPONSE_BYTES;
		this.skew = shared?.skew ?? new ClockSkew(options.correctClockSkew ?? true);
		this.observer = shared?.observer ?? new Observer(options);
		this.credentials = new Credentials(options, () => this.skew.correct(this.clock.now()));
	}
}

/** What a call is to do. */
export interface CallPlan<Data> {
	readonly info: CallInfo;
	readonly operation: Operation<unknown, Data>;
	readonly override: OperationProfile | undefined;
	readonly options: CallOptions | undefined;
	/** Checks the input, and writes the request. */
	readonly prepare: () => Promise<PreparedCall>;
	/** Called when an attempt is signed and about to leave. If it throws, the attempt is not made. */
	readonly beforeSending?: () => void;
	/** Whether a 401 without a reason leaves the secret as it is, so that a read can show what the 401 was for. @default false */
	readonly keepsSecret?: boolean;
}

export interface PreparedCall {
	readonly request: PreparedRequest;
	readonly retryClass: RetryClass;
	/** The operation's input, checked; an object of its own. @default an empty one */
	readonly input?: Record<string, unknown>;
}

/** How an attempt ended: with the call's result, or with an error. */
type Ending<Data> = { readonly result: CallResult<Data> } | { readonly error: CallError };

/** An attempt that was made, and how it ended. */
type Attempted<Data> = AttemptResult & {
	readonly ending: Ending<Data>;
	/** Whether it was rejected for its timestamp, and the clock is corrected. */
	readonly isClockCorrected: boolean;
	/** Whether a copy may have been rejected because it came too late, and the request itself accepted. */
	readonly mayBeLateCopy: boolean;
};

/** When an attempt was made. */
interface AttemptTimes {
	/** What was signed, in Unix milliseconds. */
	readonly timestamp: number;
	/** By our clock, in Unix milliseconds. */
	readonly sentAt: number;
}

/** How many differences a warning names. */
const MAX_SHOWN = 3;

/** The first delay is drawn from 0 to this, the next one from 0 to twice as much. */
const BASE_DELAY_MS = 500;
const MAX_DELAY_MS = 8_000;

/** Beside 429, which also follows a call that must not be repeated. */
const RETRIED_STATUSES: readonly number[] = [408, 500, 502, 503, 504];

/** Makes a call, inside its hook. */
export function makeCall<Data>(caller: CallTools, plan: CallPlan<Data>): Promise<CallResult<Data>> {
	let call: Call<Data> | undefined;
	return caller.observer.around("aroundCall", {
		info: plan.info,
		async run() {
			call = new Call(caller, plan);
			return call.run();
		},
		describe(settled) {
			const { attempts = 0, outcome = "not_sent" } = call ?? {};
			if (settled.status === "fulfilled") return { attempts, errorCode: undefined, outcome: undefined };
			// Anything but an error of ours is the reason of the caller's signal.
			const errorCode = isMessagingGatewayError(settled.reason) ? settled.reason.code : "aborted";
			return { attempts, errorCode, outcome };
		},
	});
}

/** Does what comes before a call's request leaves, which then does not. Rejects as the call would. */
export async function rehearseCall<Data>(caller: CallTools, plan: CallPlan<Data>): Promise<void> {
	const isSigned = new Error("the request is signed");
	const beforeSending = (): never => {
		throw isSigned;
	};
	await new Call(caller, { ...plan, beforeSending }).run().catch((error: unknown) => {
		if (error !== isSigned) throw error;
	});
}

/** One call, from its input to its result: it signs each attempt, and retries if the call may be retried. */
class Call<Data> {
	readonly #caller: CallTools;
	readonly #plan: CallPlan<Data>;
	readonly #limits: CallLimits;
	readonly #headers: Readonly<Record<string, string>>;
	readonly #deadline: Deadline;
	/** How many attempts were started. */
	attempts = 0;
	/** Of the attempts that have ended. */
	#outcome: Outcome = "not_sent";
	/** Whether an attempt is under way, whose outcome is unknown. */
	#isSending = false;
	#hasCorrectedClock = false;
	#hasRefreshedSecret = false;

	/** @throws ConfigurationError if an option of the call is invalid. */
	constructor(caller: CallTools, plan: CallPlan<Data>) {
		assertHostCanCall(caller.fetch);
		const { options } = plan;
		this.#caller = caller;
		this.#plan = plan;
		this.#limits = options === undefined ? caller.limits : resolveLimits(caller.options, options);
		this.#headers = options?.headers ? mergeHeaders(caller.headers, options.headers) : caller.headers;
		this.#deadline = new Deadline(caller.clock, this.#limits.timeoutMs, options?.signal);
	}

	get outcome(): Outcome {
		return this.#isSending ? combineOutcomes(this.#outcome, "unknown") : this.#outcome;
	}

	/** Prepares the request and attempts it, within the call's time. */
	async run(): Promise<CallResult<Data>> {
		let prepared: PreparedCall | undefined;
		try {
			this.#deadline.throwIfOver();
			// Now, since a mock may be installed late; once something is sent it would be too late.
			if (this.#caller.fetch === platformFetch) assertHostHas("fetch");
			prepareReading();
			prepared = await this.#deadline.limit(this.#plan.prepare());
			return await this.#attemptUntilDone(prepared);
		} catch (thrown) {
			const error = thrown === CALL_TIMED_OUT ? this.#createTimeout("call", prepared !== undefined) : thrown;
			if (prepared !== undefined && isMessagingGatewayError(error)) {
				const info = this.#info(prepared);
				this.#caller.observer.report("onError", () => ({ ...info, error }));
			}
			throw error;
		} finally {
			this.#deadline.release();
		}
	}

	/** Attempts until there is a result, an error that must not be retried, or no retry or time left. */
	async #attemptUntilDone(prepared: PreparedCall): Promise<CallResult<Data>> {
		const { observer } = this.#caller;
		let retries = 0;
		let last: CallError | undefined;
		for (;;) {
			const headers = await this.#sign(prepared.request, last);
			// Read before the attempt: a custom fetch may change the headers.
			const timestamp = readTimestamp(headers["X-Timestamp"] ?? null, this.#caller.profile?.signing);
			const times = { timestamp, sentAt: this.#caller.clock.now() };
			const attempted = await this.#attempt(prepared, headers, times);
			const { ending, response, failure } = attempted;
			if ("result" in ending) return ending.result;
			last = ending.error;
			let delayMs = 0;
			if (!attempted.isClockCorrected && !(await this.#hasOtherSecret(prepared, attempted))) {
				// A duplicate may have the status of a rate limit.
				const canPass = !(last instanceof DuplicateMessageError);
				if (retries >= this.#limits.maxRetries || !canPass) throw last;
				if (!isRetryable(response, failure, prepared.retryClass, this.#caller.profile)) throw last;
				retries += 1;
				const retryAfterMs = last instanceof ApiError ? last.retryAfterMs : undefined;
				// Exponential back-off with full jitter; a `Retry-After` takes precedence.
				delayMs =
					retryAfterMs ?? randomFraction() * Math.min(MAX_DELAY_MS, BASE_DELAY_MS * 2 ** (retries - 1));
				// Waiting until the time-out would only replace this error with a less specific one.
				if (delayMs >= this.#deadline.remainingMs()) throw last;
			}
			const { code: reason } = last;
			observer.report("onRetry", () => ({ ...this.#info(prepared), delayMs, reason }));
			if (delayMs > 0) await this.#deadline.sleep(delayMs);
		}
	}

	async #sign(request: PreparedRequest, last: CallError | undefined): Promise<Record<string, string>> {
		// What the caller says wins over the profile.
		const headers = request.headers ? mergeHeaders(request.headers, this.#headers) : { ...this.#headers };
		if (request.body !== undefined) headers["Content-Type"] = "application/json";
		if (!this.#plan.operation.isSigned) return headers;
		try {
			const { credentials } = this.#caller;
			const signerTimeoutMs = this.#limits.attemptTimeoutMs;
			Object.assign(headers, await credentials.sign(request, this.#deadline, signerTimeoutMs));
			this.#deadline.throwIfOver();
			this.#plan.beforeSending?.();
			return headers;
		} catch (error) {
			const isSignerLate = error === CALL_TIMED_OUT && this.#caller.options.signer !== undefined;
			if (isSignerLate) throw last ?? signerTimedOut("timeoutMs", this.#limits.timeoutMs);
			this.#deadline.throwIfOver(error);
			// An earlier attempt may have reached the gateway, which only its error reports.
			throw last ?? error;
		}
	}

	#attempt(
		prepared: PreparedCall,
		headers: Record<string, string>,
		times: AttemptTimes,
	): Promise<Attempted<Data>> {
		const { observer, skew } = this.#caller;
		const { request } = prepared;
		this.attempts += 1;
		const info = this.#info(prepared);
		return observer.around("aroundAttempt", {
			info,
			run: async () => {
				observer.report("onRequest", () => info);
				this.#isSending = true;
				const result = await makeAttempt(request, this.#caller, {
					headers,
					timeoutMs: this.#limits.attemptTimeoutMs,
					deadline: this.#deadline,
				});
				this.#isSending = false;
				const { response, failure } = result;
				if (failure === undefined) {
					observer.report("onResponse", () => ({ ...info, ...summarizeResponse(response) }));
					const { operation } = this.#plan;
					if (operation.isSigned && isSuccess(operation, response))
						skew.observeSuccess(response, request.parsedUrl);
				}
				const isLate = this.#isReadable401(response) && wasInTime(response, times.timestamp, times.sentAt);
				const mayBeLateCopy = isLate && prepared.retryClass === "never";
				const isClockCorrected = !mayBeLateCopy && this.#correctClock(prepared, response, times.timestamp);
				const isUncertain = mayBeLateCopy && namesTimestamp(response);
				const byTime = isClockCorrected ? "rejected" : isUncertain ? "unknown" : undefined;
				const ending = await this.#conclude(result, prepared, byTime);
				return { ...result, ending, isClockCorrected, mayBeLateCopy };
			},
			describe(settled) {
				if (settled.status === "rejected") {
					// It was stopped from outside.
					const errorCode = settled.reason === CALL_TIMED_OUT ? "timeout" : "aborted";
					return { status: undefined, requestId: undefined, errorCode };
				}
				const { ending, response } = settled.value;
				const errorCode = "error" in ending ? ending.error.code : undefined;
				const { status, requestId } = response ? summarizeResponse(response) : {};
				return { status, requestId, errorCode };
			},
		});
	}

	/**
	 * Turns the end of an attempt into the call's result or an error, and notes its outcome.
	 * @param byTime - what the times of a 401 prove.
	 */
	async #conclude(
		{ response, failure }: AttemptResult,
		{ request, input = {} }: PreparedCall,
		byTime: Outcome | undefined,
	): Promise<Ending<Data>> {
		const { operation, override, info } = this.#plan;
		if (response === undefined) {
			this.#note(failure.kind === "refused" ? "not_sent" : "unknown");
			return { error: this.#createConnectionError(request.base, failure, undefined) };
		}
		const { profile } = this.#caller;
		const sent = { ...info, base: request.base, profile };
		if (!isSuccess(operation, response)) {
			const wasLost = this.#outcome === "unknown" && response.status === 404 && response.error !== undefined;
			if (operation.dataWhenGone !== undefined && wasLost)
				return { result: this.#createResult(operation.dataWhenGone, response) };
			this.#note(byTime ?? outcomeOf(operation, response, profile));
			return {
				error: createApiError(operation, sent, response, this.#context()),
			};
		}
		if (failure !== undefined && failure.kind !== "too_large") {
			this.#note(outcomeOf(operation, response, profile));
			return { error: this.#createConnectionError(request.base, failure, response) };
		}
		const { value, hasData, ...misfit } = await unwrapData(operation, response, override, input, profile);
		const { documented = "throw", provisional = "warn" } = this.#caller.options.responseValidation ?? {};
		const mode = operation.isDataDocumented ? documented : provisional;
		if (misfit.issues.length > 0 && (!hasData || mode === "throw")) {
			this.#note(outcomeOf(operation, response, profile));
			return { error: createShapeError(operation, sent, response, misfit, this.#context()) };
		}
		if (misfit.issues.length > 0 && mode === "warn") {
			this.#caller.observer.warnOnce(
				`shape ${operation.id}`,
				`${isSend(this.#context()) ? "The message was sent" : `${this.#where} succeeded`}. ` +
					`Its response differs from the assumed shape: ${joinIssues(misfit.issues, "data", MAX_SHOWN)}. ` +
					`You get it unchanged; profile.operations["${operation.id}"].response can convert it`,
			);
		}
		// With issues, the value is returned unchanged: its type is an assumption, which the warning reports.
		return { result: this.#createResult(value as Data, response) };
	}

	/** After a 401: whether the clock was wrong and is now corrected, once in a call. */
	#correctClock(
		{ request, retryClass }: PreparedCall,
		response: ReadResponse | undefined,
		timestamp: number,
	): boolean {
		if (!this.#isReadable401(response) || this.#hasCorrectedClock) return false;
		const { skew, profile } = this.#caller;
		const isCopy = namesUsedNonce(response, profile) || (retryClass === "never" && isBare401(response));
		if (!skew.observeRejection(response, timestamp, request.parsedUrl, isCopy)) return false;
		this.#hasCorrectedClock = true;
		this.#warnOfClock(skew.offsetMs ?? 0);
		return true;
	}

	/**
	 * After a 401: whether the secret was wrong and is now renewed, once in a call. A call that must not be repeated is not
	 * signed again if the 401 may be that of a copy: two messages are worse than a call that fails.
	 */
	async #hasOtherSecret(
		{ request, retryClass }: PreparedCall,
		{ response, mayBeLateCopy }: Attempted<Data>,
	): Promise<boolean> {
		if (!this.#isReadable401(response) || this.#hasRefreshedSecret) return false;
		const { credentials, profile } = this.#caller;
		const mayBeOfCopy = mayBeLateCopy || (retryClass === "never" && isBare401(response));
		if (namesUsedNonce(response, profile) || (mayBeOfCopy && this.#plan.keepsSecret)) return false;
		this.#hasRefreshedSecret = true;
		try {
			const isRenewed = await credentials.refresh(request, this.#deadline);
			return isRenewed && !mayBeOfCopy;
		} catch (error) {
			// The 401 explains more than a secret that could not be fetched again.
			this.#deadline.throwIfOver(error);
			return false;
		}
	}

	#isReadable401(response: ReadResponse | undefined): response is ReadResponse {
		return response?.status === 401 && response.text !== undefined && this.#plan.operation.isSigned;
	}

	#warnOfClock(offsetMs: number): void {
		const seconds = Math.round(Math.abs(offsetMs) / 1000);
		this.#caller.observer.warnOnce(
			"clock",
			`this machine's clock is ${seconds} s ${offsetMs < 0 ? "ahead of" : "behind"} the gateway's, which rejected it: ` +
				"requests are signed with the gateway's time. Set the clock, for example with NTP",
		);
	}

	#createResult(data: Data, response: ReadResponse): CallResult<Data> {
		return {
			data,
			meta: response.success?.meta,
			attempts: this.attempts,
			clockOffsetMs: this.#caller.skew.offsetMs,
			createResponse: () => rebuildResponse(response),
		};
	}

	#createConnectionError(
		base: BaseUrl,
		failure: AttemptFailure,
		response: ReadResponse | undefined,
	): CallError {
		if (failure.kind === "timed_out") return this.#createTimeout("attempt", true);
		const { method, pathTemplate } = this.#plan.info;
		const attempt = { method, pathTemplate, base, failure, status: response?.status };
		return createConnectionError(attempt, this.#context());
	}

	#createTimeout(scope: TimeoutError["scope"], isPrepared: boolean): TimeoutError {
		const option = scope === "call" ? "timeoutMs" : "attemptTimeoutMs";
		const limitMs = this.#limits[option];
		if (!isPrepared) return createInputTimeout(this.#context(), limitMs);
		return createTimeoutError(this.#where, this.#context(), { scope, limitMs });
	}

	#note(outcome: Outcome): void {
		this.#outcome = combineOutcomes(this.#outcome, outcome);
	}

	#context(): CallContext {
		return {
			operationId: this.#plan.operation.id,
			outcome: this.outcome,
			attempts: this.attempts,
			clockOffsetMs: this.#caller.skew.offsetMs,
		};
	}

	get #where(): string {
		const { method, pathTemplate } = this.#plan.info;
		return `${method} ${pathTemplate}`;
	}

	#info({ request }: PreparedCall): AttemptInfo {
		const { info } = this.#plan;
		return { ...info, attempt: this.attempts, baseUrl: request.base.href, call: info };
	}
}

/** Whether an attempt may be followed by another one: never after a 2xx, whatever its body contains. */
function isRetryable(
	response: ReadResponse | undefined,
	failure: AttemptFailure | undefined,
	retryClass: RetryClass,
	profile: Profile | undefined,
): boolean {
	// A list of the classes that may be retried, so that an unknown class is not.
	const isRepeatable = retryClass === "safe" || retryClass === "idempotent";
	if (response === undefined) return failure?.kind === "refused" || isRepeatable;
	if (namesUsedNonce(response, profile)) return isRepeatable;
	return response.status === 429 || (isRepeatable && RETRIED_STATUSES.includes(response.status));
}
