import type { Input } from "ky";
import type { Profile } from "../catalogue/profile.ts";
import { makeAttempt, type Transport } from "../client/attempt.ts";
import { createConnectionError } from "../client/attempt-failure.ts";
import { wasInTime } from "../client/clock-skew.ts";
import type { Credentials } from "../client/credentials.ts";
import { Deadline } from "../client/deadline.ts";
import { isBare401, namesTimestamp, namesUsedNonce } from "../client/refusals.ts";
import type { PreparedRequest } from "../client/request.ts";
import { isSuccessStatus, outcomeOf, type ReadResponse, rebuildResponse } from "../client/response.ts";
import { MAX_TIMER_MS } from "../runtime.ts";
import { readTimestamp } from "../signing/dialect.ts";
import { CallRecord, type SentAttempt, withoutRecord } from "./call-record.ts";
import { ANY_OPERATION, findBodyError, toCallTarget } from "./gateway-errors.ts";
import { readRequest } from "./read-request.ts";

/** The methods whose requests may be repeated (RFC 9110, section 9.2.2). */
const REPEATABLE_METHODS = ["GET", "HEAD", "OPTIONS", "PUT", "DELETE", "TRACE"];

interface FetchAttempt {
	readonly given: Request;
	readonly prepared: PreparedRequest;
	readonly record: CallRecord;
	/** The options that ky passes to `fetch`, such as Next.js's `next`. */
	readonly platformOptions: object;
	readonly deadline: Deadline;
}

/** ky's `fetch` option: it is called for every attempt, so each is signed with a new nonce and timestamp. */
export class SignedFetch {
	readonly #transport: Transport;
	readonly #credentials: Credentials;
	readonly #profile: Profile | undefined;
	readonly #records = new WeakMap<Response, CallRecord>();

	constructor(transport: Transport, credentials: Credentials, profile: Profile | undefined) {
		this.#transport = transport;
		this.#credentials = credentials;
		this.#profile = profile;
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
		const prepared = await readRequest(given, this.#credentials.baseUrl(), this.#profile);
		// ky's own limits end an attempt.
		const deadline = new Deadline(this.#transport.clock, MAX_TIMER_MS, given.signal);
		const attempt: FetchAttempt = { given, prepared, record, platformOptions: withoutRecord(init), deadline };
		try {
			const response = await this.#attempt(attempt);
			return (await this.#canRepeat(attempt)) ? await this.#attempt(attempt) : response;
		} finally {
			deadline.release();
		}
	}

	async #attempt({ given, prepared, record, platformOptions, deadline }: FetchAttempt): Promise<Response> {
		const signed = await this.#credentials.sign(prepared, deadline);
		deadline.throwIfOver();
		const headers = new Headers(given.headers);
		for (const [name, value] of Object.entries(signed)) headers.set(name, value);
		const timestamp = readTimestamp(signed["X-Timestamp"], this.#profile?.signing);
		const sentAt = this.#transport.clock.now();
		const current = record.begin();
		// Exactly the bytes that were hashed go to exactly the address that was signed.
		const { response: read, failure } = await makeAttempt(prepared, this.#transport, {
			headers: Object.fromEntries(headers),
			timeoutMs: MAX_TIMER_MS,
			deadline,
			init: platformOptions,
		});
		Object.assign(current, { read, failure } satisfies Partial<SentAttempt>);
		if (read === undefined) {
			if (failure.kind === "refused") current.outcome = "not_sent";
			// ky recognises a network error by this message, and some transports have another one.
			throw new TypeError("fetch failed");
		}
		current.mayBeLateCopy = read.status === 401 && wasInTime(read, timestamp, sentAt);
		const isUncertain = current.mayBeLateCopy && namesTimestamp(read);
		current.outcome = isUncertain ? "unknown" : outcomeOf(ANY_OPERATION, read, this.#profile);
		if (failure !== undefined && isSuccessStatus(read.status)) {
			// The 2xx status says that the work was done, and ky would retry a network error.
			const sent = toCallTarget(given, prepared.base, this.#profile);
			const tooLarge = failure.kind === "too_large" ? findBodyError(read, sent, record) : undefined;
			if (tooLarge !== undefined) throw tooLarge;
			throw createConnectionError({ ...sent, failure, status: read.status }, record.context);
		}
		const response = buildResponse(read);
		this.#records.set(response, record);
		return response;
	}

	/** Whether a request that was refused may be signed again: with another secret, or a read of which a copy was refused. */
	async #canRepeat({ given, prepared, record, deadline }: FetchAttempt): Promise<boolean> {
		const { read, mayBeLateCopy } = record.last ?? {};
		if (read === undefined) return false;
		const isRepeatable = REPEATABLE_METHODS.includes(given.method);
		if (namesUsedNonce(read, this.#profile)) return isRepeatable;
		if (read.status !== 401) return false;
		try {
			const isRenewed = await this.#credentials.refresh(prepared, deadline);
			return isRenewed && (isRepeatable || !(mayBeLateCopy || isBare401(read)));
		} catch (error) {
			// The 401 is the more useful error: the secret's function merely failed to fetch it again.
			deadline.throwIfOver(error);
			return false;
		}
	}
}

/**
 * A new response, since the body of the received one has been read. The constructor of `Response` rejects some statuses,
 * such as the 0 of a redirect in a browser.
 */
function buildResponse(read: ReadResponse): Response {
	const { status } = read;
	const canBeBuilt = status >= 200 && status <= 599;
	return canBeBuilt
		? rebuildResponse(read)
		: Object.defineProperty(Response.error(), "status", { value: status });
}
