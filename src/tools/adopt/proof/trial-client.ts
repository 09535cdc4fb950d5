import { MessagingGateway } from "#client";
import type { Operation } from "../../../library/catalogue/operation.ts";
import type { ClientOptions } from "../../../library/client/options.ts";
import {
	ApiError,
	DuplicateMessageError,
	type FieldError,
	isMessagingGatewayError,
	ResponseShapeError,
} from "../../../library/errors.ts";
import { profileFromJson } from "../../../library/maps/profile-from-json.ts";
import type { CatalogueOperation } from "../../routes.ts";

/** How a call ended, as a program sees it that has the profile. */
export type TrialResult =
	| { readonly kind: "success"; readonly data: unknown; readonly seen: SeenResponse }
	/** A success of which the profile does not make what the method promises. */
	| {
			readonly kind: "other_shape";
			readonly seen: SeenResponse;
			readonly problem: string;
			/** Where the data differs, as names with dots. */
			readonly places: readonly string[];
	  }
	| {
			readonly kind: "rejected";
			readonly seen: SeenResponse;
			readonly code: string | undefined;
			readonly fieldErrors: readonly FieldError[];
			readonly isDuplicate: boolean;
	  }
	| { readonly kind: "failed"; readonly problem: string };

/** What the gateway responded. */
export interface SeenResponse {
	readonly status: number;
	readonly text: string;
}

/** What a call would send. */
export interface RehearsedRequest {
	readonly method: string;
	readonly url: string;
	readonly body: string | undefined;
}

/** Keeps a request from being sent. */
const REHEARSED = new Error("rehearsed");

/** Calls a gateway as a program with the profile does: one attempt a call, and every response is checked. */
export class TrialClient {
	readonly #options: ClientOptions;

	constructor(options: ClientOptions) {
		this.#options = {
			...options,
			maxRetries: 0,
			logLevel: "off",
			responseValidation: { documented: "throw", provisional: "throw" },
		};
	}

	/** @param profile - what its file would hold. */
	async call(operation: CatalogueOperation, input: unknown, profile: unknown): Promise<TrialResult> {
		return this.#call(operation, input, { ...this.#options, profile: profileFromJson(profile) });
	}

	/**
	 * What a call would make of a response that came, with another profile. Nothing is requested.
	 * @param isChecked - whether data of another shape is none.
	 */
	async replay(
		operation: CatalogueOperation,
		input: unknown,
		profile: unknown,
		{ status, text }: SeenResponse,
		isChecked = true,
	): Promise<TrialResult> {
		const isBodiless = status === 204 || status === 205;
		const fetch = () => Promise.resolve(new Response(isBodiless ? null : text, { status }));
		const options = { ...this.#options, fetch, profile: profileFromJson(profile) };
		const loose = { ...options, responseValidation: { documented: "off", provisional: "off" } } as const;
		return this.#call(operation, input, isChecked ? options : loose);
	}

	/** What a call would send; `undefined` if its input is not accepted. */
	async rehearse(
		operation: CatalogueOperation,
		input: unknown,
		profile: unknown,
	): Promise<RehearsedRequest | undefined> {
		let rehearsed: RehearsedRequest | undefined;
		const fetch: ClientOptions["fetch"] = (url, { method, body }) => {
			rehearsed = { method, url, body: body === undefined ? undefined : new TextDecoder().decode(body) };
			return Promise.reject(REHEARSED);
		};
		await this.#call(operation, input, { ...this.#options, fetch, profile: profileFromJson(profile) });
		return rehearsed;
	}

	/** How the gateway responds to a path that no gateway has. */
	async requestUnknown(profile: unknown): Promise<TrialResult> {
		const client = new MessagingGateway({ ...this.#options, profile: profileFromJson(profile) });
		return observe(client.request("GET", "/path-that-no-gateway-has"));
	}

	async #call(operation: Operation<unknown, unknown>, input: unknown, options: ClientOptions) {
		return observe(new MessagingGateway(options).call(operation, input));
	}
}

async function observe(call: ReturnType<MessagingGateway["call"]>): Promise<TrialResult> {
	try {
		const { data, response } = await call.withResponse();
		return { kind: "success", data, seen: { status: response.status, text: await response.text() } };
	} catch (error) {
		if (!isMessagingGatewayError(error)) throw error;
		if (error instanceof ResponseShapeError) {
			const [first] = error.issues;
			const problem = first === undefined ? error.message : `${first.path} ${first.message}`.trim();
			const places = error.issues.map(({ path }) => path);
			return { kind: "other_shape", seen: seenOf(error), problem, places };
		}
		if (!(error instanceof ApiError)) return { kind: "failed", problem: error.message };
		const { gatewayCode: code, fieldErrors } = error;
		const isDuplicate = error instanceof DuplicateMessageError;
		return { kind: "rejected", seen: seenOf(error), code, fieldErrors, isDuplicate };
	}
}

function seenOf(error: ApiError | ResponseShapeError): SeenResponse {
	return { status: error.status, text: error.readBody() ?? "" };
}
