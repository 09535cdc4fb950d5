import { dropUndefined } from "../catalogue/check.ts";
import { defineOperation, type HttpMethod, type Operation, type RetryClass } from "../catalogue/operation.ts";
import type { OperationProfile } from "../catalogue/profile.ts";
import { PHONE_NUMBER_MESSAGE, type Schema } from "../catalogue/schema.ts";
import { InputError, isMessagingGatewayError, type ShapeIssue, TimeoutError } from "../errors.ts";
import { CallRun, isCallTimeout } from "./call-run.ts";
import { checkOf } from "./check-of.ts";
import type { ClientState } from "./client-state.ts";
import { Deadline } from "./deadline.ts";
import { type CallResult, GatewayCall } from "./gateway-call.ts";
import { ListCall } from "./list-call.ts";
import type { CallEnding, CallInfo } from "./observer.ts";
import { assertHeaders, type CallOptions, mergeHeaders, resolveLimits } from "./options.ts";
import type { ReadyCall } from "./ready-call.ts";
import { normalizeInput, prepareRequest, routeOf, splitInput, writePath } from "./request.ts";

/** Options of `gateway.request`. */
export interface RequestOptions extends CallOptions {
	/** Values for the `{name}` parts of the path; they are escaped. */
	params?: Readonly<Record<string, string | number>> | undefined;
	/** The query; an array repeats its name. */
	query?: Readonly<Record<string, string | number | boolean | readonly (string | number)[] | undefined>>;
	/** The JSON body. */
	body?: unknown | undefined;
	/** Whether the request has the signed headers. @default true */
	signed?: boolean | undefined;
	/** Whether the call may be retried after a failure. @default "never" */
	retry?: RetryClass | undefined;
}

/** Checks a call's input, and writes its request. */
type Prepare<Data> = (
	shared: Pick<ReadyCall<Data>, "info" | "limits" | "headers">,
) => Promise<ReadyCall<Data>>;

/** Accepts every value: for calls whose path is in no catalogue. */
export const anything: Schema<unknown> = {
	"~standard": { version: 1, vendor: "messaging-gateway", validate: (value) => ({ value }) },
};

/** Makes calls: from an input and an operation to a {@link GatewayCall}. */
export class Caller {
	readonly #state: ClientState;

	constructor(state: ClientState) {
		this.#state = state;
	}

	/** Calls an operation. An input that must first be read, such as an attachment, comes as a function. */
	call<Input, Data>(
		operation: Operation<Input, Data>,
		input: NoInfer<Input> | (() => Promise<NoInfer<Input>>),
		options: CallOptions = {},
	): GatewayCall<Data> {
		return new GatewayCall(this.#start(operation, input, options));
	}

	/** Calls an operation that returns pages. */
	list<Input extends { cursor?: string | undefined }, Page, Item>(
		operation: Operation<Input, Page>,
		input: Input,
		itemsOf: (page: Page) => readonly Item[],
		options: CallOptions = {},
	): ListCall<Page, Item> {
		// What the caller changes later must not reach the pages to come.
		const filter = { ...input };
		const pageOptions = dropUndefined(options) as CallOptions;
		return new ListCall(this.#start(operation, filter, pageOptions), {
			operation,
			start: filter.cursor,
			itemsOf,
			next: (cursor) => this.call(operation, { ...filter, cursor }, pageOptions),
		});
	}

	/** Calls a path that no operation describes. */
	request(method: HttpMethod, path: string, options?: RequestOptions): GatewayCall<unknown> {
		return new GatewayCall(this.#request(method, path, options));
	}

	async #request(
		method: HttpMethod,
		path: string,
		options: RequestOptions = {},
	): Promise<CallResult<unknown>> {
		const { params = {}, query = {}, body, signed = true, retry = "never", ...callOptions } = options;
		const operation = defineOperation({
			id: "request",
			method,
			path,
			input: anything,
			data: anything,
			isSigned: signed,
			retry,
		});
		const pathTemplate = toTemplate(path);
		const info = { operationId: operation.id, method, pathTemplate };
		return this.#observe(info, callOptions, async (shared) => {
			const parts = { method, pathTemplate, path: writePath(path, params), params, query, body };
			return this.#ready({ operation, override: undefined, retryClass: retry, parts, ...shared });
		});
	}

	#start<Data>(
		operation: Operation<unknown, Data>,
		input: unknown,
		options: CallOptions,
	): Promise<CallResult<Data>> {
		const override = this.#override(operation.id);
		const info = { operationId: operation.id, ...routeOf(operation, override) };
		return this.#observe(info, options, async (shared) => {
			const given: unknown = typeof input === "function" ? await input() : input;
			const checked = await this.#check(operation, normalizeInput(given));
			const isNever =
				operation.neverRetryWith !== undefined && Object.hasOwn(checked, operation.neverRetryWith);
			const parts = splitInput(operation, checked, override);
			const retryClass = isNever ? "never" : operation.retry;
			return this.#ready({ operation, override, retryClass, parts, ...shared });
		});
	}

	#observe<Data>(info: CallInfo, options: CallOptions, prepare: Prepare<Data>): Promise<CallResult<Data>> {
		let run: CallRun<Data> | undefined;
		const make = async (): Promise<CallResult<Data>> => {
			const limits = resolveLimits(this.#state.options, options);
			assertHeaders(options.headers);
			const headers =
				options.headers === undefined
					? this.#state.headers
					: mergeHeaders(this.#state.headers, options.headers);
			const deadline = new Deadline(this.#state.clock, limits.timeoutMs, options.signal);
			try {
				deadline.throwIfOver();
				const ready = await deadline.limit(prepare({ info, limits, headers }));
				run = new CallRun(ready, this.#state, deadline);
				return await run.run();
			} catch (thrown) {
				const error = isCallTimeout(thrown)
					? (run?.endings.timedOut() ?? lateInputError(info.operationId, limits.timeoutMs))
					: thrown;
				if (run !== undefined && isMessagingGatewayError(error))
					this.#state.observer.failure({ ...run.info(), error });
				throw error;
			} finally {
				deadline.release();
			}
		};
		return this.#state.observer.aroundCall({
			info,
			run: make,
			describe: (settled) => describeCall(settled, run),
		});
	}

	async #check(
		operation: Operation<unknown, unknown>,
		input: Record<string, unknown>,
	): Promise<Record<string, unknown>> {
		const checked = await checkOf(operation, operation.input, input, "input");
		if (checked.ok) return normalizeInput(checked.value);
		const isReported = ({ message }: ShapeIssue): boolean =>
			this.#state.checkPhoneNumbers || message !== PHONE_NUMBER_MESSAGE;
		const issues = checked.issues.filter(isReported);
		const schemaIssues = checked.schemaIssues.filter(isReported);
		if (issues.length === 0 && checked.issues.length > 0) return input;
		const details = issues.map(({ path, message }) => `${path || "the input"} ${message}`).join("; ");
		const hasDetails = schemaIssues.some(({ message }, at) => message !== issues[at]?.message);
		const hint = hasDetails ? ". schemaIssues has the schema's own messages" : "";
		throw new InputError(`${operation.id}: ${details}${hint}`, issues, { schemaIssues });
	}

	#ready<Data>(call: Omit<ReadyCall<Data>, "request">): ReadyCall<Data> {
		return {
			...call,
			request: prepareRequest(call.parts, this.#state.credentials.baseUrl(), this.#state.profile),
		};
	}

	#override(id: string): OperationProfile | undefined {
		const operations: Readonly<Record<string, OperationProfile | undefined>> =
			this.#state.profile?.operations ?? {};
		return Object.hasOwn(operations, id) ? operations[id] : undefined;
	}
}

/** Hides the parts of a custom path that are neither parameters nor plain words: they could be values, such as a number. */
export function toTemplate(path: string): string {
	return path.replace(/[^/]+/g, (part) =>
		/^(\{[a-z_]+\d?\}|[a-z][a-z._-]*\d?)$/i.test(part) ? part : "{…}",
	);
}

function describeCall(
	settled: PromiseSettledResult<CallResult<unknown>>,
	run: CallRun<unknown> | undefined,
): CallEnding {
	const attempts = run?.endings.attempts ?? 0;
	if (settled.status === "fulfilled") return { attempts, errorCode: undefined, outcome: undefined };
	const errorCode = isMessagingGatewayError(settled.reason) ? settled.reason.code : "aborted";
	return { attempts, errorCode, outcome: run?.endings.outcome ?? "not_sent" };
}

function lateInputError(operationId: string, timeoutMs: number): TimeoutError {
	return new TimeoutError(
		`${operationId}: the input was not ready within timeoutMs, ${timeoutMs} ms; nothing was sent`,
		{ operationId, outcome: "not_sent", attempts: 0, clockOffsetMs: undefined },
		{ scope: "call", limitMs: timeoutMs },
	);
}
