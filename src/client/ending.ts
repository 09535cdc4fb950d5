import { type CallContext, type CallError, ConnectionError, type Outcome, TimeoutError } from "../errors.ts";
import type { AttemptFailure, RawResponse } from "./attempt.ts";
import type { ClientState } from "./client-state.ts";
import { DOCTOR_HINT } from "./doctor-hint.ts";
import type { CallResult } from "./gateway-call.ts";
import type { ReadyCall } from "./ready-call.ts";
import { describeProblem, isSuccess, outcomeOf, type ReadResponse, unwrapData } from "./response.ts";
import { createApiError, createShapeError } from "./response-errors.ts";
import { UnusableResponse } from "./response-head.ts";
import { combineOutcomes } from "./retry.ts";

/** How an attempt ended: with the call's result, or with an error and the outcome of this attempt alone. */
export type Ending<Data> = { result: CallResult<Data> } | { error: CallError; outcome: Outcome };

/** Turns the ends of a call's attempts into results or errors, and tracks the call's outcome. */
export class Endings<Data> {
	readonly #call: ReadyCall<Data>;
	readonly #state: ClientState;
	#outcome: Outcome = "not_sent";
	/** How many attempts were started. */
	attempts = 0;
	/** Whether an attempt is under way, whose outcome is unknown. */
	isSending = false;

	constructor(call: ReadyCall<Data>, state: ClientState) {
		this.#call = call;
		this.#state = state;
	}

	/** What is known about the call. */
	get outcome(): Outcome {
		return this.isSending ? combineOutcomes(this.#outcome, "unknown") : this.#outcome;
	}

	/** An attempt got a complete response. */
	responded(response: RawResponse, read: ReadResponse): Ending<Data> | Promise<Ending<Data>> {
		const { operation } = this.#call;
		if (isSuccess(operation, read)) return this.#succeeded(response, read);
		if (this.#isGoneAfterLostResponse(read)) {
			return { result: this.#result(operation.dataWhenGone as Data, response, read) };
		}
		const outcome = this.#note(outcomeOf(operation, read));
		return { error: createApiError(operation, this.#call, read, this.#context()), outcome };
	}

	/** An attempt got no complete response; `read` is what arrived of it. */
	failed(failure: AttemptFailure, read: ReadResponse | undefined): Ending<Data> {
		const { operation, override, parts } = this.#call;
		const { kind } = failure;
		const certain = kind === "refused" ? "not_sent" : "unknown";
		const outcome = this.#note(read === undefined ? certain : outcomeOf(operation, read));
		if (read === undefined) return { error: this.#createFailure(failure), outcome };
		const issue = describeProblem(operation, read, override);
		if (!isSuccess(operation, read)) {
			return { error: createApiError(operation, this.#call, read, this.#context()), outcome };
		}
		if (kind !== "too_large" || issue === undefined) return { error: this.#createFailure(failure), outcome };
		const misfit = { issues: [issue], schemaIssues: [issue] };
		return { error: createShapeError(operation, parts, read, misfit, this.#context()), outcome };
	}

	/** The error for a call that timed out. */
	timedOut(): TimeoutError {
		return this.#createTimeout("call", "timeoutMs", ` over ${this.attempts} attempts`);
	}

	async #succeeded(response: RawResponse, read: ReadResponse): Promise<Ending<Data>> {
		const { operation, override, parts } = this.#call;
		const { value, issues, schemaIssues } = await unwrapData(operation, read, override);
		if (issues.length > 0) {
			const mode = this.#state.validationMode(operation);
			const isUsable = describeProblem(operation, read, override) === undefined;
			if (!isUsable || mode === "throw") {
				const outcome = this.#note(outcomeOf(operation, read));
				const misfit = { issues, schemaIssues };
				return { error: createShapeError(operation, parts, read, misfit, this.#context()), outcome };
			}
			if (mode === "warn") {
				const fields = issues.map(({ path, message }) => `${path || "data"} ${message}`).join("; ");
				this.#state.observer.warnOnce(
					`shape ${operation.id}`,
					`the response to ${this.#where} does not have the assumed shape: ${fields}. ` +
						`It is returned unchanged; set profile.operations["${operation.id}"].response to convert it`,
				);
			}
		}
		// With issues, the value is returned unchanged: its type is an assumption, which the warning reports.
		return { result: this.#result(value as Data, response, read) };
	}

	#isGoneAfterLostResponse(read: ReadResponse): boolean {
		return (
			this.#call.operation.dataWhenGone !== undefined &&
			this.#outcome === "unknown" &&
			read.status === 404 &&
			read.error !== undefined
		);
	}

	#result(data: Data, response: RawResponse, read: ReadResponse): CallResult<Data> {
		return {
			data,
			meta: read.success?.meta,
			attempts: this.attempts,
			clockOffsetMs: this.#state.skew.offsetMs,
			createResponse: () => rebuildResponse(response),
		};
	}

	#createFailure(failure: AttemptFailure): CallError {
		if (failure.kind === "timed_out") return this.#createTimeout("attempt", "attemptTimeoutMs", "");
		return new ConnectionError(describeConnection(this.#where, failure), this.#context(), {
			cause: failure.cause,
		});
	}

	#createTimeout(
		scope: TimeoutError["scope"],
		option: "timeoutMs" | "attemptTimeoutMs",
		after: string,
	): TimeoutError {
		const limitMs = this.#call.limits[option];
		const message = `${this.#where} took longer than ${option}, ${limitMs} ms${after}${DOCTOR_HINT}`;
		return new TimeoutError(message, this.#context(), { scope, limitMs });
	}

	get #where(): string {
		const { method, pathTemplate } = this.#call.parts;
		return `${method} ${pathTemplate}`;
	}

	/** Combines an attempt's outcome with the call's, and returns it. */
	#note(outcome: Outcome): Outcome {
		this.#outcome = combineOutcomes(this.#outcome, outcome);
		return outcome;
	}

	#context(): CallContext {
		return {
			operationId: this.#call.operation.id,
			outcome: this.outcome,
			attempts: this.attempts,
			clockOffsetMs: this.#state.skew.offsetMs,
		};
	}
}

/** The raw response, whose body can be read again. */
function rebuildResponse({ head: { status, statusText, headers }, text }: RawResponse): Response {
	const hasBody = status !== 204 && status !== 205 && status !== 304;
	return new Response(hasBody ? text : null, { status, statusText, headers });
}

/** The message for an attempt without a complete response. */
export function describeConnection(where: string, { kind, cause, head }: AttemptFailure): string {
	if (cause instanceof UnusableResponse) {
		return head === undefined
			? `${where}: ${cause.message}; the gateway may have processed the request`
			: `${where} got ${head.status}, but ${cause.message}`;
	}
	const code = cause !== undefined && "code" in cause ? ` (${String(cause.code)})` : "";
	if (kind === "refused")
		return `${where} did not reach the gateway${code}: check baseUrl and the network${DOCTOR_HINT}`;
	if (head !== undefined)
		return `${where} got ${head.status}, but the connection broke during the response${code}${DOCTOR_HINT}`;
	return `${where}: the connection broke before a response arrived${code}; the gateway may have processed the request${DOCTOR_HINT}`;
}
