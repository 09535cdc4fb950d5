import type { ResponseMeta } from "../catalogue/response-meta.ts";

/** The data of a call, with its response. */
export interface WithResponse<Data> {
	/** The envelope's `data`. */
	data: Data;
	/** The envelope's `meta`, if the response has one. */
	meta: ResponseMeta | undefined;
	/** The raw response. You can read its body again. */
	response: Response;
	/** How many attempts the call took. */
	attempts: number;
	/** How far the gateway's clock is ahead of yours, in milliseconds, if known. */
	clockOffsetMs: number | undefined;
}

/**
 * A part of the client with calls that you only await. A function with such a parameter accepts the client, and a fake
 * with `async` methods, whose promises lack `withResponse`.
 * @example
 * ```ts
 * async function remind(messages: AwaitedMethods<Pick<Messages, "sendText">>, to: string) {
 *   await messages.sendText({ to, text: "Your table is free" });
 * }
 * ```
 */
export type AwaitedMethods<Part> = {
	readonly [Name in keyof Part]: Part[Name] extends (...given: infer Given) => PromiseLike<infer Data>
		? (...given: Given) => PromiseLike<Data>
		: Part[Name];
};

/** The result of a call; the raw response is only created on demand. */
export interface CallResult<Data> extends Omit<WithResponse<Data>, "response"> {
	createResponse: () => Response;
}

/**
 * A running call. Await it for the data, or call `withResponse()` for the data with its response. It starts when it is
 * created, and both share the one call.
 */
export class GatewayCall<Data> implements Promise<Data> {
	readonly #result: Promise<CallResult<Data>>;

	/** @internal */
	constructor(result: Promise<CallResult<Data>>) {
		this.#result = result;
	}

	/**
	 * Gets the data with `meta`, the raw response and the number of attempts.
	 * @example
	 * ```ts
	 * const { data, meta, attempts } = await gateway.mappings.get("+15551234567").withResponse();
	 * ```
	 */
	async withResponse(): Promise<WithResponse<Data>> {
		const { createResponse, ...rest } = await this.#result;
		return { ...rest, response: createResponse() };
	}

	// biome-ignore lint/suspicious/noThenProperty: being awaitable is what this class is for
	then<Fulfilled = Data, Rejected = never>(
		onFulfilled?: ((value: Data) => Fulfilled | PromiseLike<Fulfilled>) | null,
		onRejected?: ((reason: unknown) => Rejected | PromiseLike<Rejected>) | null,
	): Promise<Fulfilled | Rejected> {
		return this.#result.then((result) => result.data).then(onFulfilled, onRejected);
	}

	catch<Rejected = never>(
		onRejected?: ((reason: unknown) => Rejected | PromiseLike<Rejected>) | null,
	): Promise<Data | Rejected> {
		return this.then(undefined, onRejected);
	}

	finally(onFinally?: (() => void) | null): Promise<Data> {
		return this.then().finally(onFinally);
	}

	get [Symbol.toStringTag](): string {
		return "GatewayCall";
	}
}
