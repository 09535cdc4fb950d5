import type { Input } from "ky";
import { describeFailure } from "../client/attempt.ts";
import type { ClientState } from "../client/client-state.ts";
import type { FetchInit } from "../client/custom-fetch.ts";
import { Deadline } from "../client/deadline.ts";
import { describeConnection } from "../client/ending.ts";
import { type ReadBody, readBody } from "../client/read-body.ts";
import type { PreparedRequest } from "../client/request.ts";
import { outcomeOf, readResponse } from "../client/response.ts";
import type { SentRequest } from "../client/response-errors.ts";
import { isResponse, type ResponseHead, readHead, UnusableResponse } from "../client/response-head.ts";
import { ConnectionError } from "../errors.ts";
import { supportsCacheMode } from "../runtime.ts";
import { CallRecord, withoutRecord } from "./call-record.ts";
import { ANY_OPERATION, describeRequest, findBodyError } from "./gateway-errors.ts";
import { readRequest } from "./read-request.ts";

/** ky ends the waiting: the longest that a timer can. */
const LONGEST_WAIT_MS = 2 ** 31 - 1;

const decoder = /* @__PURE__ */ new TextDecoder();

/** What one attempt works with. */
interface Attempt {
	readonly given: Request;
	readonly prepared: PreparedRequest;
	readonly sent: SentRequest;
	readonly record: CallRecord;
	/** Options that ky does not know, which are for the platform's `fetch`. */
	readonly platformOptions: object;
	readonly deadline: Deadline;
}

/** ky's `fetch` option: it is called for every attempt, so each is signed with a new nonce and timestamp. */
export class SignedFetch {
	readonly #state: ClientState;
	readonly #records = new WeakMap<Response, CallRecord>();

	constructor(state: ClientState) {
		this.#state = state;
	}

	/** The record of the call that a response belongs to. */
	recordOf(response: Response): CallRecord | undefined {
		return this.#records.get(response);
	}

	/** Signs and sends a request, and reads the whole response. */
	async fetch(input: Input, init?: RequestInit): Promise<Response> {
		const record = CallRecord.find(init) ?? CallRecord.unlimited();
		record.isObserved = true;
		const given = new Request(input, init);
		const { clock, credentials, profile } = this.#state;
		const base = credentials.baseUrl();
		const prepared = await readRequest(given, base, profile);
		const deadline = new Deadline(clock, LONGEST_WAIT_MS, given.signal);
		const attempt: Attempt = {
			given,
			prepared,
			sent: describeRequest(given, base),
			record,
			platformOptions: withoutRecord(init),
			deadline,
		};
		try {
			const response = await this.#attempt(attempt);
			return response.status === 401 && (await this.#hasOtherSecret(attempt))
				? await this.#attempt(attempt)
				: response;
		} finally {
			deadline.release();
		}
	}

	async #attempt(attempt: Attempt): Promise<Response> {
		const { given, record } = attempt;
		const init = await this.#sign(attempt);
		const current = record.begin();
		let response: Response;
		let head: ResponseHead;
		try {
			const resolved: unknown = await this.#state.fetch(attempt.prepared.url, init);
			if (!isResponse(resolved)) throw new UnusableResponse("fetch did not resolve to a Response");
			response = resolved;
			head = readHead(resolved);
		} catch (error) {
			given.signal.throwIfAborted();
			current.failure = describeFailure(error, undefined);
			if (current.failure.kind === "refused") current.outcome = "not_sent";
			// ky recognises a network error by these words alone, and some transports have others.
			throw new TypeError("fetch failed");
		}
		const body = await readBody(response, head, this.#state.maxResponseBytes);
		const text = "bytes" in body ? decoder.decode(body.bytes) : undefined;
		current.read = readResponse(head, text, this.#state.clock.now());
		current.outcome = outcomeOf(ANY_OPERATION, current.read);
		if (!("bytes" in body)) {
			given.signal.throwIfAborted();
			if (head.status >= 200 && head.status < 300) throw this.#createBodyError(attempt, head, body);
		}
		const rebuilt = rebuildResponse(response, head, "bytes" in body ? body.bytes : undefined);
		this.#records.set(rebuilt, record);
		return rebuilt;
	}

	/** What is sent: exactly the bytes that were hashed, to exactly the address that was signed. */
	async #sign({ given, prepared, platformOptions, deadline }: Attempt): Promise<FetchInit> {
		const { credentials } = this.#state;
		const signed = await credentials.sign(prepared, () => this.#state.createStamp(), deadline);
		deadline.throwIfOver();
		const headers = new Headers(given.headers);
		for (const [name, value] of Object.entries(signed)) headers.set(name, value);
		const init: FetchInit = {
			...platformOptions,
			method: given.method,
			headers: Object.fromEntries(headers),
			redirect: "manual",
			signal: given.signal,
		};
		if (prepared.body !== undefined) init.body = prepared.body;
		if (given.method === "GET" && supportsCacheMode()) init.cache = "no-store";
		return init;
	}

	async #hasOtherSecret({ prepared, deadline }: Attempt): Promise<boolean> {
		try {
			return await this.#state.credentials.refresh(prepared, deadline);
		} catch {
			// The 401 itself says more than a secret that could not be fetched again.
			deadline.throwIfOver();
			return false;
		}
	}

	/** The work was done as far as the status says, so this must not look like a network error, which ky retries. */
	#createBodyError({ sent, record }: Attempt, head: ResponseHead, body: ReadBody): Error {
		const { read } = record.last ?? {};
		const isTooLarge = "problem" in body && body.problem === "too_large";
		const tooLarge = isTooLarge && read !== undefined ? findBodyError(read, sent, record) : undefined;
		if (tooLarge !== undefined) return tooLarge;
		const failure = describeFailure("error" in body ? body.error : undefined, head);
		const where = `${sent.parts.method} ${sent.parts.pathTemplate}`;
		return new ConnectionError(describeConnection(where, failure), record.context, { cause: failure.cause });
	}
}

/** A response whose body ky can read; its own was read. Some statuses, such as the 0 of a redirect in a browser, cannot be built. */
function rebuildResponse(
	response: Response,
	{ status, statusText, headers }: ResponseHead,
	bytes: Uint8Array | undefined,
): Response {
	if (status < 200 || status > 599) return response;
	const hasBody = status !== 204 && status !== 205 && status !== 304;
	return new Response(hasBody && bytes !== undefined ? new Uint8Array(bytes) : null, {
		status,
		statusText,
		headers,
	});
}
