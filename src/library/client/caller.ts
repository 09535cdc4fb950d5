import { checkShape, dropUndefined, joinIssues } from "../catalogue/check.ts";
import { allowsHandles } from "../catalogue/handle.ts";
import { neededFields } from "../catalogue/known-path.ts";
import { findExcesses } from "../catalogue/limits.ts";
import { defineOperation, type HttpMethod, type Operation, type RetryClass } from "../catalogue/operation.ts";
import type { OperationProfile } from "../catalogue/profile.ts";
import type { Schema } from "../catalogue/schema.ts";
import { assertObject } from "../check-options.ts";
import { InputError } from "../errors.ts";
import { type CallPlan, CallTools, makeCall } from "./call.ts";
import { GatewayCall } from "./gateway-call.ts";
import { ListCall } from "./list-call.ts";
import { CALL_OPTIONS, type CallOptions, type ClientOptions } from "./options.ts";
import { normalizeInput, prepareRequest, routeOf, splitInput, writePath } from "./request.ts";

/** The options of `gateway.request`. */
export interface RequestOptions extends CallOptions {
	/** Values for the `{name}` parts of the path. The client escapes them. */
	params?: Readonly<Record<string, string | number>> | undefined;
	/** The query. An array repeats its name. */
	query?: Readonly<Record<string, string | number | boolean | readonly (string | number)[] | undefined>>;
	/** The JSON body. */
	body?: unknown | undefined;
	/** Whether the request carries the signed headers. @default true */
	signed?: boolean | undefined;
	/** Whether the client may retry the call after a failure. @default "never" */
	retry?: RetryClass | undefined;
}

/** Accepts every value: for calls whose path is in no catalogue. */
export const anything: Schema<unknown> = {
	"~standard": { version: 1, vendor: "messaging-gateway", validate: (value) => ({ value }) },
};

/** Makes calls, from an operation and an input. */
export class Caller extends CallTools {
	/** A caller that differs in some options, and has learned nothing yet. */
	withOptions(changes: ClientOptions): Caller {
		return new Caller({ ...this.options, ...changes });
	}

	/** Calls an operation. */
	call<Input, Data>(
		operation: Operation<Input, Data>,
		input: NoInfer<Input>,
		options?: CallOptions,
	): GatewayCall<Data> {
		return new GatewayCall(
			makeCall(this, { ...this.plan(operation, input), options: optionsBeside(input, options) }),
		);
	}

	/**
	 * Calls an operation with an input that is first read.
	 * @param read - reads its attachments of up to so many bytes.
	 */
	callWhenRead<Given, Input, Data>(
		operation: Operation<Input, Data>,
		input: Given,
		read: (input: Given, maxBytes: number | undefined) => Promise<NoInfer<Input>>,
		options?: CallOptions,
	): GatewayCall<Data> {
		const plan = this.plan(operation, input, () => read(input, this.profile?.limits?.attachmentBytes));
		return new GatewayCall(makeCall(this, { ...plan, options: optionsBeside(input, options) }));
	}

	/** Calls an operation that returns pages. */
	list<Input extends { cursor?: string | undefined }, Page, Item>(
		operation: Operation<Input, Page>,
		input: Input,
		itemsOf: (page: Page) => readonly Item[],
		options?: CallOptions,
	): ListCall<Page, Item> {
		// Later changes by the caller must not reach further pages.
		const filter = { ...input };
		const pageOptions = dropUndefined(options) as CallOptions | undefined;
		return new ListCall(makeCall(this, { ...this.plan(operation, filter), options: pageOptions }), {
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

	/**
	 * The plan of a call, without its options.
	 * @param read - reads what `input` stands for.
	 * @param id - 32 hex digits, from which maps of the profile make the UUID of the call. @default random ones
	 */
	plan<Data>(
		operation: Operation<unknown, Data>,
		input: unknown,
		read?: () => Promise<unknown>,
		id?: string,
	): Omit<CallPlan<Data>, "options"> {
		const { profile = {} } = this;
		const overrides: Readonly<Record<string, OperationProfile | undefined>> = profile.operations ?? {};
		const override = Object.hasOwn(overrides, operation.id) ? overrides[operation.id] : undefined;
		const { method, pathTemplate } = routeOf(operation, override, profile, input);
		const info = { operationId: operation.id, method, pathTemplate };
		return {
			info,
			operation,
			override,
			prepare: async () => {
				if (Object(input) !== input) throw notAnObject(operation);
				// Without an await if possible, so that later changes to the input are not sent.
				const given = read === undefined ? input : await read();
				const plain = normalizeInput(given);
				const whole = profile.mapper?.addDefaults(operation, profile, plain) ?? plain;
				const checked = await this.#check(operation, whole);
				const { neverRetryWith, retry } = operation;
				const isNever = neverRetryWith !== undefined && Object.hasOwn(checked, neverRetryWith);
				const parts = splitInput(operation, checked, override, profile, id);
				const request = prepareRequest(parts, this.credentials.baseUrl(), profile);
				return { request, retryClass: isNever ? "never" : retry, input: checked };
			},
		};
	}

	async #request(method: HttpMethod, path: string, options: RequestOptions = {}) {
		assertObject("The call's options", options);
		const { params = {}, query = {}, body, signed = true, retry = "never", ...callOptions } = options;
		assertObject("params", params);
		assertObject("query", query);
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
		return makeCall(this, {
			info: { operationId: operation.id, method, pathTemplate },
			operation,
			override: undefined,
			options: callOptions,
			prepare: async () => {
				const parts = { method, pathTemplate, path: writePath(path, params), params, query, body };
				const request = prepareRequest(parts, this.credentials.baseUrl(), this.profile);
				return { request, retryClass: retry };
			},
		});
	}

	async #check(
		operation: Operation<unknown, unknown>,
		input: Record<string, unknown>,
	): Promise<Record<string, unknown>> {
		const checked = await checkShape(operation.input, input, "input", operation, allowsHandles(this.profile));
		const isCustom = operation.provenance === "custom";
		if (checked.ok) {
			const limits = isCustom ? undefined : this.profile?.limits;
			const [excess] = limits ? findExcesses(input, limits) : [];
			// Our schemas change nothing; a user's may return anything.
			if (excess === undefined) return isCustom ? normalizeInput(checked.value) : input;
			throw new InputError(`${operation.id}: ${excess.path} ${excess.message}, by profile.limits`, [excess]);
		}
		const { issues, schemaIssues } = checked;
		// No input of the catalogue has a field of such a name.
		const option = isCustom
			? undefined
			: Object.keys(input).find((name) => Object.hasOwn(CALL_OPTIONS, name));
		const hint =
			(option ? `. ${option} is an option: pass it in the last argument` : "") +
			(isCustom && schemaIssues !== issues ? ". schemaIssues says it in your schema's words" : "");
		throw new InputError(`${operation.id}: ${joinIssues(issues, "the input")}${hint}`, issues, {
			schemaIssues,
		});
	}
}

/** Arguments in a row: what stands in the place of the options is a field, and the input's error says so. */
function optionsBeside(input: unknown, options: CallOptions | undefined): CallOptions | undefined {
	return Object(input) === input ? options : undefined;
}

function notAnObject({ id, input }: Operation<unknown, unknown>): InputError {
	const fields = neededFields(input);
	const example = fields.length === 0 ? "" : `: write ${id}({ ${fields.join(", ")} })`;
	return new InputError(`The input must be an object${example}`, [
		{ path: "", message: "must be an object" },
	]);
}

/** Hides the parts of a custom path that are neither parameters nor plain words: they could be values, such as a number. */
export function toTemplate(path: string): string {
	return path.replace(/[^/]+/g, (part) =>
		/^(\{[a-z_]+\d?\}|[a-z][a-z._-]*\d?)$/i.test(part) ? part : "{…}",
	);
}
