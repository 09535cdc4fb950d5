import { type CallContext, type CallError, ConnectionError, type Outcome, TimeoutError } from "../errors.ts";
import { describeProblem, isSuccess, outcomeOf, type ReadResponse, unwrapData } from "./answer.ts";
import { createApiError, createShapeError } from "./answer-errors.ts";
import { ASK_DOCTOR } from "./ask-doctor.ts";
import type { Answer, AttemptFailure } from "./attempt.ts";
import type { ClientState } from "./client-state.ts";
import type { CallResult } from "./gateway-call.ts";
import type { ReadyCall } from "./ready-call.ts";
import { UnusableResponse } from "./response-head.ts";
import { combineOutcomes } from "./retry.ts";

/** How an attempt ended: with the call's result, or with an error and the fate of this attempt alone. */
export type Ending<Data> = { result: CallResult<Data> } | { error: CallError; outcome: Outcome };

/** Tells what the attempts of a call end with, and keeps what is known of the call's fate. */
export class Endings<Data> {
	readonly #call: ReadyCall<Data>;
	readonly #state: ClientState;
	#outcome: Outcome = "not_sent";
	/** How many attempts were begun. */
	attempts = 0;
	/** Whether an attempt is under way, which may be carried out. */
	isSending = false;

	constructor(call: ReadyCall<Data>, state: ClientState) {
		this.#call = call;
		this.#state = state;
	}

	/** What is known of the call's fate. */
	get outcome(): Outcome {
		return this.isSending ? combineOutcomes(this.#outcome, "unknown") : this.#outcome;
	}

	/** An attempt was answered. */
	answered(answer: Answer, read: ReadResponse): Ending<Data> | Promise<Ending<Data>> {
		const { operation } = this.#call;
		if (isSuccess(operation, read)) return this.#succeeded(answer, read);
		if (this.#isGoneAfterLostResponse(read)) {
			return { result: this.#result(operation.dataWhenGone as Data, answer, read) };
		}
		const outcome = this.#note(outcomeOf(operation, read));
		return { error: createApiError(operation, this.#call, read, this.#context()), outcome };
	}

	/** An attempt brought no complete answer; `read` is what there is of one. */
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

	/** The error for a call whose time is over; what was under way has an unknown fate. */
	timedOut(): TimeoutError {
		return this.#createTimeout("call", "timeoutMs", ` over ${this.attempts} attempts`);
	}

	async #succeeded(answer: Answer, read: ReadResponse): Promise<Ending<Data>> {
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
					`the answer of ${this.#where} does not have the assumed shape: ${fields}. ` +
						`It is handed over as it came; set profile.operations["${operation.id}"].response to translate it`,
				);
			}
		}
		// Where it misfits, the value is handed over as it came: its type is then an assumption, and was warned about.
		return { result: this.#result(value as Data, answer, read) };
	}

	#isGoneAfterLostResponse(read: ReadResponse): boolean {
		return (
			this.#call.operation.dataWhenGone !== undefined &&
			this.#outcome === "unknown" &&
			read.status === 404 &&
			read.error !== undefined
		);
	}

	#result(data: Data, answer: Answer, read: ReadResponse): CallResult<Data> {
		return {
			data,
			meta: read.success?.meta,
			attempts: this.attempts,
			clockOffsetMs: this.#state.skew.offsetMs,
			createResponse: () => rebuildResponse(answer),
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
		const message = `${this.#where} took longer than ${option}, ${limitMs} ms${after}${ASK_DOCTOR}`;
		return new TimeoutError(message, this.#context(), { scope, limitMs });
	}

	get #where(): string {
		const { method, pathTemplate } = this.#call.parts;
		return `${method} ${pathTemplate}`;
	}

	/** Takes an attempt's fate into the call's, and hands it on. */
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

/** The raw answer, whose body can be read again. */
function rebuildResponse({ response: { status, statusText, headers }, text }: Answer): Response {
	const hasBody = status !== 204 && status !== 205 && status !== 304;
	return new Response(hasBody ? text : null, { status, statusText, headers });
}

/** The message for an attempt that brought no complete answer. */
export function describeConnection(where: string, { kind, cause, response }: AttemptFailure): string {
	if (cause instanceof UnusableResponse) {
		return response === undefined
			? `${where}: ${cause.message}; the gateway may have carried it out`
			: `${where} was answered ${response.status}, but ${cause.message}`;
	}
	const code = cause !== undefined && "code" in cause ? ` (${String(cause.code)})` : "";
	if (kind === "refused")
		return `${where} did not reach the gateway${code}: check baseUrl and the network${ASK_DOCTOR}`;
	if (response !== undefined)
		return `${where} was answered ${response.status}, but the connection broke within the answer${code}${ASK_DOCTOR}`;
	return `${where}: the connection broke before an answer came${code}; the gateway may have carried it out${ASK_DOCTOR}`;
}
