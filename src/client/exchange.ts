import { supportsCacheMode } from "../runtime.ts";
import { concatenate, utf8, viewBytes } from "../signing/bytes.ts";
import type { CustomFetch, FetchInit } from "./custom-fetch.ts";
import type { PreparedRequest } from "./request.ts";
import { bareHead, isResponse, type ResponseHead, readHead, UnusableResponse } from "./response-head.ts";

/** How requests are sent, and how much of a response is read. */
export interface Transport {
	readonly fetch: CustomFetch;
	readonly maxResponseBytes: number;
}

/** The response was not read to its end. */
export const TOO_LARGE = new Error("the response is larger than maxResponseBytes");

/** Puts U+FFFD where the bytes are not UTF-8, and takes off a byte order mark, as `Response.text` does. */
const decoder = /* @__PURE__ */ new TextDecoder();

/** One HTTP request and its response, which can be stopped at any point. */
export class Exchange {
	/** The response's head, once it has arrived. */
	head: ResponseHead | undefined;
	readonly #request: PreparedRequest;
	readonly #headers: Record<string, string>;
	readonly #transport: Transport;
	readonly #controller = new AbortController();
	#reader: ReadableStreamDefaultReader<Uint8Array> | undefined;

	constructor(request: PreparedRequest, headers: Record<string, string>, transport: Transport) {
		this.#request = request;
		this.#headers = headers;
		this.#transport = transport;
	}

	/**
	 * Sends the request and reads its response.
	 * @throws what `fetch` and the reading throw, and {@link TOO_LARGE}.
	 */
	async run(): Promise<{ head: ResponseHead; text: string }> {
		const response = await this.#fetch();
		// The status is known even if the headers cannot be read.
		this.head = bareHead(response);
		const head = readHead(response);
		this.head = head;
		return { head, text: await this.#readText(response, head) };
	}

	/** Ends the transfer; whether that fails does not matter any more. */
	stop(reason: unknown): void {
		this.#controller.abort(reason);
		this.#stopReading();
	}

	/** For a `fetch` that ignores its signal, whose transfer would go on. */
	async #stopReading(): Promise<void> {
		try {
			await this.#reader?.cancel();
		} catch {
			// What failed to end has nobody to report to.
		}
	}

	/**
	 * The user's `fetch` gets `(url, init)`, because some implementations reject foreign `Request` objects. Redirects
	 * are not followed: the signature would go with them to another address.
	 */
	async #fetch(): Promise<Response> {
		const { method, url, body } = this.#request;
		const init: FetchInit = {
			method,
			headers: this.#headers,
			redirect: "manual",
			signal: this.#controller.signal,
		};
		if (body !== undefined) init.body = body;
		if (method === "GET" && supportsCacheMode()) init.cache = "no-store";
		const response: unknown = await this.#transport.fetch(url, init);
		if (isResponse(response)) return response;
		throw new UnusableResponse("fetch did not resolve to a Response");
	}

	/** Reads a body as UTF-8, and stops reading at the limit. */
	async #readText(response: Response, { headers }: ResponseHead): Promise<string> {
		const { maxResponseBytes } = this.#transport;
		const { body } = response;
		if (body === null) return "";
		// Some libraries' responses have no stream of the web, and can only be read whole.
		if (typeof body?.getReader !== "function") {
			const text: unknown = await response.text();
			if (typeof text !== "string") throw new UnusableResponse("its text() did not resolve to a string");
			if (utf8(text).length > maxResponseBytes) throw TOO_LARGE;
			return text;
		}
		const reader = body.getReader();
		this.#reader = reader;
		// It may have been stopped before the response arrived.
		if (this.#controller.signal.aborted) this.#stopReading();
		const chunks: Uint8Array[] = [];
		let length = 0;
		const announced = Number(headers.get("Content-Length"));
		for (;;) {
			if (announced > maxResponseBytes || length > maxResponseBytes) {
				this.#stopReading();
				throw TOO_LARGE;
			}
			const { done, value } = await reader.read();
			if (done) return decoder.decode(concatenate(chunks, length));
			const bytes = viewBytes(value);
			if (bytes === undefined) throw new UnusableResponse("its body is not a stream of bytes");
			length += bytes.length;
			chunks.push(bytes);
		}
	}
}
