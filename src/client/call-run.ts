import type { Operation, RetryClass } from "../catalogue/operation.ts";
import type { OperationProfile } from "../catalogue/profile.ts";
import {
	ApiError,
	type CallContext,
	type CallError,
	ConnectionError,
	type Outcome,
	TimeoutError,
} from "../errors.ts";
import {
	createApiError,
	createShapeError,
	describeEnvelopeProblem,
	isSuccess,
	metaTime,
	namesTimestamp,
	outcomeOf,
	type ReadAnswer,
	readAnswer,
	unwrapData,
} from "./answer.ts";
import { type Answer, type AttemptFailure, makeAttempt } from "./attempt.ts";
import type { ClientState } from "./client-state.ts";
import { CALL_TIMED_OUT, type Deadline } from "./deadline.ts";
import type { CallResult } from "./gateway-call.ts";
import type { AttemptEnding, AttemptInfo, CallInfo } from "./observer.ts";
import type { Limits } from "./options.ts";
import type { PreparedRequest, RequestParts } from "./request.ts";
import { combineOutcomes, isRetryable, retryDelayMs } from "./retry.ts";

/** A call whose input was checked. */
export interface ReadyCall<Data> {
	/** What the hooks are told of it. */
	info: CallInfo;
	operation: Operation<unknown, Data>;
	override: OperationProfile | undefined;
	retryClass: RetryClass;
	parts: RequestParts;
	request: PreparedRequest;
	/** The client's headers and the call's own. */
	headers: Readonly<Record<string, string>>;
	limits: Limits;
}

/** How an attempt ended: with the call's result, or with an error and the fate of this attempt alone. */
type Ending<Data> = { result: CallResult<Data> } | { error: CallError; outcome: Outcome };

/** An attempt that was made. */
interface Attempted<Data> {
	ending: Ending<Data>;
	/** The answer, as far as there is one. */
	read: ReadAnswer | undefined;
	/** What a 401 refused. */
	refused: Refused | undefined;
}

/** A signed request that was answered with 401. */
interface Refused {
	answer: Answer;
	read: ReadAnswer;
	/** The timestamp that it carried. */
	timestamp: number;
}

/** One call over all its attempts: signs each anew, and keeps track of what is known of its fate. */
export class CallRun<Data> {
	readonly #call: ReadyCall<Data>;
	readonly #state: ClientState;
	readonly #deadline: Deadline;
	#attempts = 0;
	#outcome: Outcome = "not_sent";
	#isSending = false;
	#hasCorrectedClock = false;
	#hasRefreshedSecret = false;

	constructor(call: ReadyCall<Data>, state: ClientState, deadline: Deadline) {
		this.#call = call;
		this.#state = state;
		this.#deadline = deadline;
	}

	/** Attempts until there is a result, an error that must not be repeated, or no retry or time left. */
	async run(): Promise<CallResult<Data>> {
		let retries = 0;
		let last: CallError | undefined;
		for (;;) {
			const headers = await this.#headers(last);
			const { ending, refused } = await this.#attempt(headers);
			if ("result" in ending) return ending.result;
			last = ending.error;
			if (refused !== undefined && (await this.#canSignBetter(refused))) {
				this.#state.observer.retry({ ...this.info(), delayMs: 0, reason: last.code });
				continue;
			}
			const { limits, retryClass } = this.#call;
			if (retries >= limits.maxRetries || !isRetryable(last, ending.outcome, retryClass)) throw last;
			retries += 1;
			const delayMs = retryDelayMs(retries, last instanceof ApiError ? last.retryAfterMs : undefined);
			// Waiting into the time-out would only replace this error by a less telling one.
			if (delayMs >= this.#deadline.remainingMs()) throw last;
			this.#state.observer.retry({ ...this.info(), delayMs, reason: last.code });
			await this.#deadline.sleep(delayMs);
		}
	}

	/** Which attempt of which call this is. */
	info(): AttemptInfo {
		const { info, request } = this.#call;
		return { ...info, attempt: this.#attempts, baseUrl: request.baseUrl, call: info };
	}

	/** How many attempts were begun. */
	get attempts(): number {
		return this.#attempts;
	}

	/** What is known of the call's fate; what is under way may be carried out. */
	get outcome(): Outcome {
		return this.#isSending ? combineOutcomes(this.#outcome, "unknown") : this.#outcome;
	}

	/** The error for a call whose time is over; what was under way has an unknown fate. */
	timeoutError(): TimeoutError {
		const { parts, limits } = this.#call;
		return new TimeoutError(
			`${parts.method} ${parts.pathTemplate} took longer than timeoutMs, ${limits.timeoutMs} ms over ${this.#attempts} attempts`,
			{ ...this.#context(), outcome: this.outcome },
			{ scope: "call", limitMs: limits.timeoutMs },
		);
	}

	#attempt(headers: Record<string, string>): Promise<Attempted<Data>> {
		this.#attempts += 1;
		const info = this.info();
		const run = () => this.#send(info, headers);
		return this.#state.observer.aroundAttempt({ info, run, describe: describeAttempt });
	}

	async #send(info: AttemptInfo, headers: Record<string, string>): Promise<Attempted<Data>> {
		const { request, limits, parts, operation } = this.#call;
		// Before a custom fetch has the headers in its hands.
		const timestamp = Number(headers["X-Timestamp"]);
		this.#state.observer.request(info);
		this.#isSending = true;
		const attempted = await makeAttempt(request, {
			headers,
			fetch: this.#state.fetch,
			clock: this.#state.clock,
			maxResponseBytes: this.#state.maxResponseBytes,
			timeoutMs: limits.attemptTimeoutMs,
			sent: [parts.params, parts.query, parts.body],
			deadline: this.#deadline,
		});
		this.#isSending = false;
		if ("failure" in attempted) {
			const { response } = attempted.failure;
			const read = response === undefined ? undefined : this.#read(response, undefined);
			return { ending: this.#endFailed(attempted.failure, read), read, refused: undefined };
		}
		const { answer } = attempted;
		const read = this.#read(answer.response, answer.text);
		const ending = await this.#endAnswered(info, answer, read);
		const isRefused = read.status === 401 && operation.isSigned;
		const refused = isRefused ? { answer, read, timestamp } : undefined;
		return { ending, read, refused };
	}

	async #headers(last: CallError | undefined): Promise<Record<string, string>> {
		const { operation, request } = this.#call;
		const headers: Record<string, string> = { ...this.#call.headers };
		if (request.body !== undefined) headers["Content-Type"] = "application/json";
		if (!operation.isSigned) return headers;
		try {
			const signed = this.#state.credentials.sign(request, () => this.#state.createStamp());
			return Object.assign(headers, await this.#deadline.limit(signed));
		} catch (error) {
			// An earlier attempt may have reached the gateway, which its own error tells.
			if (last !== undefined && !this.#deadline.isOver) throw last;
			throw error;
		}
	}

	#endAnswered(info: AttemptInfo, answer: Answer, read: ReadAnswer): Ending<Data> | Promise<Ending<Data>> {
		const { operation, parts, request } = this.#call;
		this.#state.observer.response({
			...info,
			status: read.status,
			durationMs: answer.receivedAt - answer.sentAt,
			requestId: read.requestId,
		});
		if (isSuccess(operation, read)) {
			if (operation.isSigned) this.#state.skew.observeSuccess(answer, metaTime(read), request.parsedUrl);
			return this.#endSucceeded(answer, read);
		}
		if (this.#isGoneAfterLostAnswer(read)) {
			return { result: this.#result(operation.dataWhenGone as Data, answer, read) };
		}
		const outcome = this.#note(outcomeOf(read));
		return { error: createApiError(operation, parts, read, this.#context()), outcome };
	}

	async #endSucceeded(answer: Answer, read: ReadAnswer): Promise<Ending<Data>> {
		const { operation, override, parts } = this.#call;
		const { value, issues } = await unwrapData(operation, read, override);
		const mode = this.#state.validationMode(operation);
		const isUsable = !operation.hasEnvelope || describeEnvelopeProblem(read) === undefined;
		if (issues.length > 0 && (!isUsable || mode === "throw")) {
			const outcome = this.#note("accepted");
			return { error: createShapeError(parts, read, issues, this.#context()), outcome };
		}
		if (issues.length > 0 && mode === "warn") {
			const fields = issues.map(({ path, message }) => `${path || "data"} ${message}`).join("; ");
			this.#state.observer.warnOnce(
				`shape ${operation.id}`,
				`the answer of ${parts.method} ${parts.pathTemplate} does not have the assumed shape: ${fields}. ` +
					`It is handed over as it came; set profile.operations["${operation.id}"].response to translate it`,
			);
		}
		// Where it misfits, the value is handed over as it came: its type is then an assumption, and was warned about.
		return { result: this.#result(value as Data, answer, read) };
	}

	#endFailed(failure: AttemptFailure, read: ReadAnswer | undefined): Ending<Data> {
		const { operation, parts, limits } = this.#call;
		const { response, kind, cause } = failure;
		if (read !== undefined && (!isSuccess(operation, read) || kind === "too_large")) {
			const outcome = this.#note(outcomeOf(read));
			const issue = describeEnvelopeProblem(read);
			const error =
				isSuccess(operation, read) && issue !== undefined
					? createShapeError(parts, read, [issue], this.#context())
					: createApiError(operation, parts, read, this.#context());
			return { error, outcome };
		}
		const outcome = this.#note(read !== undefined ? "accepted" : kind === "refused" ? "not_sent" : "unknown");
		const where = `${parts.method} ${parts.pathTemplate}`;
		const error =
			kind === "timed_out"
				? new TimeoutError(
						`${where} took longer than attemptTimeoutMs, ${limits.attemptTimeoutMs} ms`,
						this.#context(),
						{
							scope: "attempt",
							limitMs: limits.attemptTimeoutMs,
						},
					)
				: new ConnectionError(describeConnection(where, kind, cause, response), this.#context(), { cause });
		return { error, outcome };
	}

	/** After a 401: whether the clock or the secret was at fault and is now put right, each once in a call. */
	async #canSignBetter({ answer, read, timestamp }: Refused): Promise<boolean> {
		const { skew, credentials } = this.#state;
		if (
			!this.#hasCorrectedClock &&
			skew.observeRefusal(answer, timestamp, namesTimestamp(read), this.#call.request.parsedUrl)
		) {
			this.#hasCorrectedClock = true;
			return true;
		}
		if (this.#hasRefreshedSecret) return false;
		this.#hasRefreshedSecret = true;
		try {
			return await this.#deadline.limit(credentials.refresh(this.#call.request));
		} catch {
			// The 401 itself says more than a secret that could not be fetched again.
			this.#deadline.throwIfOver();
			return false;
		}
	}

	#isGoneAfterLostAnswer(read: ReadAnswer): boolean {
		return (
			this.#call.operation.dataWhenGone !== undefined &&
			this.#outcome === "unknown" &&
			read.status === 404 &&
			read.error !== undefined
		);
	}

	#read(response: Response, text: string | undefined): ReadAnswer {
		return readAnswer(response, text, this.#state.skew.correct(this.#state.clock.now()));
	}

	#result(data: Data, answer: Answer, read: ReadAnswer): CallResult<Data> {
		return {
			data,
			meta: read.success?.meta,
			attempts: this.#attempts,
			clockOffsetMs: this.#state.skew.offsetMs,
			createResponse: () => rebuildResponse(answer),
		};
	}

	/** Takes an attempt's fate into the call's, and hands it on. */
	#note(outcome: Outcome): Outcome {
		this.#outcome = combineOutcomes(this.#outcome, outcome);
		return outcome;
	}

	#context(): CallContext {
		return {
			operationId: this.#call.operation.id,
			outcome: this.#outcome,
			attempts: this.#attempts,
			clockOffsetMs: this.#state.skew.offsetMs,
		};
	}
}

/** The raw answer, whose body can be read again. */
function rebuildResponse({ response: { status, statusText, headers }, text }: Answer): Response {
	const hasBody = status !== 204 && status !== 205 && status !== 304;
	return new Response(hasBody ? text : null, { status, statusText, headers });
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

function describeConnection(
	where: string,
	kind: AttemptFailure["kind"],
	cause: Error | undefined,
	response: Response | undefined,
): string {
	const code = cause !== undefined && "code" in cause ? ` (${String(cause.code)})` : "";
	if (kind === "refused") return `${where} did not reach the gateway${code}: check baseUrl and the network`;
	if (response !== undefined)
		return `${where} was answered ${response.status}, but the connection broke within the answer${code}`;
	return `${where}: the connection broke before an answer came${code}; the gateway may have carried it out`;
}
