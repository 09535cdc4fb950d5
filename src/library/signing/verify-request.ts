import { assertAll, describeGiven, hasMethods } from "../assert-argument.ts";
import { assertKnownKeys, assertMethods, assertPositive } from "../check-options.ts";
import { CanonicalJsonError, ConfigurationError, RequestVerificationError } from "../errors.ts";
import { UUID } from "../host.ts";
import { type Clock, systemClock } from "../runtime.ts";
import { BOOLEAN, type CallLimit, callStore } from "../store-calls/call-store.ts";
import { describeStoreFailure } from "../store-calls/store-error.ts";
import { STORE_TIMEOUT_MS } from "../store-calls/with-timeout.ts";
import { constantTimeEqual, decodeHex, decodeUtf8 } from "./bytes.ts";
import {
	bodyBytes,
	hashBytes,
	readRequestLine,
	readTimestamp,
	type SigningProfile,
	signedPath,
	type WithSigningProfile,
} from "./dialect.ts";
import { DIGEST_BYTES, hmacKeyOf } from "./hash.ts";
import type { NonceStore } from "./nonce-store.ts";
import { rememberedMs } from "./remembered.ts";
import { isOverStructured, MAX_STRUCTURAL_CHARACTERS } from "./structural-characters.ts";

/** Specification, sections 5.1 and 8: "within five minutes". */
const TOLERANCE_SECONDS = 300;

/** Ours: section 8 shows no limit. An attachment of 10 MB in base64 fits. */
const MAX_BODY_BYTES = 16 * 1024 * 1024;

/** A request as it arrived. */
export interface ReceivedRequest {
	/** The HTTP method. */
	method: string;
	/** The absolute URL, or the path with its query, as it was on the request line. */
	url: string | URL;
	/** The headers. */
	headers: Headers;
	/** The raw body, or `undefined` or empty if there was none. */
	body?: Uint8Array | undefined;
}

/** The options of {@link verifyRequest}. */
export interface VerifyRequestOptions {
	/**
	 * Finds the App Secret of an app id. Return a string, which `profile.signing.secret` may decode, or bytes, or
	 * `undefined` for an unknown app.
	 */
	secretFor: (
		appId: string,
	) => string | Uint8Array | null | undefined | Promise<string | Uint8Array | null | undefined>;
	/** Remembers the nonces that were used. {@link memoryNonceStore} serves one process. */
	nonceStore: NonceStore;
	/**
	 * How far the timestamp may lie from your clock, in seconds. Exactly this far is accepted. A nonce is remembered
	 * for twice as long and 300 s more, so the clocks of processes that share a nonce store may differ by up to 300 s.
	 * @default 300
	 */
	toleranceSeconds?: number | undefined;
	/**
	 * The largest body, in bytes. The signature covers the body's canonical form, so a body is read, sorted and hashed
	 * before its sender is known: this limit bounds what anybody can make it cost. For the same reason a body has at
	 * most 100,000 brackets, braces, colons and commas outside its strings, with any limit.
	 * @default 16_777_216 (16 MiB)
	 */
	maxBodyBytes?: number | undefined;
	/**
	 * The longest one call of the nonce store may take, in milliseconds. After it the request is rejected.
	 * @default 5_000
	 */
	storeTimeoutMs?: number | undefined;
	/**
	 * The clock to use: an object with `now`. Without `setTimer`, the system's timers measure `storeTimeoutMs`.
	 * @default the system clock
	 */
	clock?: Pick<Clock, "now"> | Clock | undefined;
	/** The path of the base address, for `profile.signing.path: "without_base_path"`. */
	basePath?: string | undefined;
	/** Describes how your gateway signs. */
	profile?: WithSigningProfile | undefined;
}

/** The verified values of a request. */
export interface VerifiedRequest {
	/** The app that signed the request. */
	appId: string;
	/** The time of signing, in Unix milliseconds. */
	timestamp: number;
	/** The request's nonce. */
	nonce: string;
}

/**
 * Checks the signature of a request, as the gateway does. The cheap checks come first: headers, app id, timestamp,
 * whether the nonce was seen (if the store has `has`), and size; then the signature. It remembers a nonce only after a
 * valid signature, for twice `toleranceSeconds` and 300 s more, since a clock behind yours may accept its timestamp for
 * longer.
 * @throws RequestVerificationError with `code` and the `status` to respond with.
 * @throws ConfigurationError if an argument is missing or of another kind, such as headers that are no `Headers`, an option
 * is invalid, or the secret of a known app is unusable.
 * @see Specification, section 5.1
 */
export async function verifyRequest(
	request: ReceivedRequest,
	options: VerifyRequestOptions,
): Promise<VerifiedRequest> {
	const { toleranceMs, maxBodyBytes, storeTimeoutMs, clock } = resolveOptions(request, options);
	const signing = options.profile?.signing;
	const headers = readHeaders(request.headers, signing);
	const secret = await options.secretFor(headers.appId);
	// Databases often return null for no result.
	if (secret == null)
		throw new RequestVerificationError(
			"unknown_app_id",
			"no App Secret is known for this app id: set the client's appId to one that the gateway has",
		);
	const key = hmacKeyOf(
		secret,
		(problem) => new ConfigurationError(`The secret that secretFor returned ${problem}`),
		signing?.secret,
	);

	const driftMs = headers.timestamp - clock.now();
	if (Math.abs(driftMs) > toleranceMs) {
		const direction = driftMs < 0 ? "behind" : "ahead of";
		throw new RequestVerificationError(
			"timestamp_out_of_range",
			`X-Timestamp is ${Math.round(Math.abs(driftMs) / 1000)} s ${direction} the gateway's clock; ${toleranceMs / 1000} s are accepted`,
		);
	}

	const nonces = new Nonces(options.nonceStore, {
		storeTimeoutMs,
		clock: hasTimers(clock) ? clock : systemClock,
	});
	await nonces.assertUnseen(headers);
	if (request.body !== undefined) assertSmall(request.body, maxBodyBytes);

	const expected = key.sign(
		`${request.method.toUpperCase()}\n${readPath(request.url, options.basePath, signing)}\n` +
			`${hashReceivedBody(request.body, signing)}\n${headers.timestampString}\n${headers.nonce}`,
	);
	if (!constantTimeEqual(expected, headers.signature)) throw signatureMismatch();

	await nonces.remember(headers, rememberedMs(toleranceMs, toleranceMs));
	return { appId: headers.appId, timestamp: headers.timestamp, nonce: headers.nonce };
}

/** Every option; the type ensures that none is missing here. */
const OPTIONS: Readonly<Record<keyof VerifyRequestOptions, true>> = {
	secretFor: true,
	nonceStore: true,
	toleranceSeconds: true,
	maxBodyBytes: true,
	storeTimeoutMs: true,
	clock: true,
	basePath: true,
	profile: true,
};

/** Rejects what untyped code passes: its TypeError would look like a bug in here. */
function assertArguments(request: ReceivedRequest, options: VerifyRequestOptions): void {
	if (Object(request) !== request || Object(options) !== options)
		throw new ConfigurationError(
			"verifyRequest needs two arguments: verifyRequest({ method, url, headers, body }, { secretFor, nonceStore })",
		);
}

function resolveOptions(request: ReceivedRequest, options: VerifyRequestOptions) {
	assertArguments(request, options);
	const { method, headers, body }: Partial<ReceivedRequest> = request;
	const { secretFor, nonceStore }: Partial<VerifyRequestOptions> = options;
	const {
		toleranceSeconds = TOLERANCE_SECONDS,
		maxBodyBytes = MAX_BODY_BYTES,
		storeTimeoutMs = STORE_TIMEOUT_MS,
		clock = systemClock,
	} = options;
	const check = (isRight: boolean, problem: string) => () => {
		if (!isRight) throw new ConfigurationError(problem);
	};
	assertAll([
		() =>
			assertKnownKeys("verifyRequest options", options, Object.keys(OPTIONS), {
				toleranceMs: "use toleranceSeconds",
			}),
		check(
			typeof secretFor === "function",
			"secretFor is required: a function that returns the App Secret of an app id",
		),
		check(
			hasMethods(nonceStore, ["remember"]),
			nonceStore === undefined
				? "nonceStore is required. Use memoryNonceStore() for one process, and redisStore, postgresStore, … for several"
				: `nonceStore must be what memoryNonceStore(), redisStore(…) or another store returns${describeGiven(nonceStore)}`,
		),
		check(typeof method === "string", "method must be a string"),
		// A Map has `get`, too, which tells capitals from small letters.
		check(
			typeof headers?.get === "function" && !(headers instanceof Map),
			"headers must be a Headers object: new Headers(request.headers)",
		),
		check(
			body === undefined || ArrayBuffer.isView(body),
			"body must be the raw bytes, a Uint8Array, as they came before anything parsed them",
		),
		check(
			Number.isFinite(toleranceSeconds) && toleranceSeconds >= 0,
			"toleranceSeconds must be a number of at least 0",
		),
		check(typeof maxBodyBytes === "number" && maxBodyBytes > 0, "maxBodyBytes must be a number above 0"),
		() => assertPositive("storeTimeoutMs", storeTimeoutMs),
		() => assertMethods("clock", clock, hasTimers(Object(clock)) ? ["now", "setTimer"] : ["now"]),
	]);
	return { toleranceMs: toleranceSeconds * 1000, maxBodyBytes, storeTimeoutMs, clock };
}

function hasTimers(clock: Pick<Clock, "now"> | Clock): clock is Clock {
	return "setTimer" in clock;
}

/** Bounds what a body can cost before its sender is known. */
function assertSmall(body: Uint8Array, maxBodyBytes: number): void {
	if (body.length > maxBodyBytes) {
		throw bodyTooLarge(`the body is larger than maxBodyBytes, ${maxBodyBytes} bytes`);
	}
	if (isOverStructured(body)) {
		throw bodyTooLarge(
			`the body has more than ${MAX_STRUCTURAL_CHARACTERS} brackets, braces, colons and commas outside its strings`,
		);
	}
}

function bodyTooLarge(message: string): RequestVerificationError {
	return new RequestVerificationError("body_too_large", message);
}

function signatureMismatch(): RequestVerificationError {
	return new RequestVerificationError(
		"signature_mismatch",
		"the signature doesn't match. Check the App Secret first. If you sign yourself, check the path too, and that you sign the body as canonical JSON",
	);
}

interface SignedHeaders {
	appId: string;
	timestampString: string;
	timestamp: number;
	nonce: string;
	signature: Uint8Array;
}

function readHeaders(headers: Headers, signing: SigningProfile | undefined): SignedHeaders {
	const read = (name: string, form: RegExp, expected: string): string => {
		const value = headers.get(name);
		if (value === null || value === "") {
			throw new RequestVerificationError("missing_header", `${name} is missing`);
		}
		if (!form.test(value))
			throw new RequestVerificationError("malformed_header", `${name} must be ${expected}`);
		return value;
	};
	const appId = read("X-App-Id", /^[\x21-\x7e]{1,256}$/, "1 to 256 visible ASCII characters");
	const unit = signing?.timestamp ?? "milliseconds";
	const timestampString = read("X-Timestamp", /^(0|[1-9]\d{0,15})$/, `Unix time in ${unit}`);
	const nonce = read("X-Nonce", UUID, "a UUID");
	const authorization = read("Authorization", /^HMAC [0-9a-f]{64}$/, "HMAC and 64 lower-case hex digits");
	const signature = decodeHex(authorization.slice("HMAC ".length), DIGEST_BYTES);
	if (signature === undefined) throw signatureMismatch();
	return { appId, timestampString, timestamp: readTimestamp(timestampString, signing), nonce, signature };
}

function readPath(
	url: string | URL,
	basePath: string | undefined,
	signing: SigningProfile | undefined,
): string {
	const parts = readRequestLine(url);
	try {
		return signedPath(parts, basePath, signing);
	} catch {
		// A path that cannot be decoded cannot have been signed.
		throw signatureMismatch();
	}
}

/** The hash covers the canonical form, so that the sender's whitespace and key order do not matter. */
function hashReceivedBody(body: Uint8Array | undefined, signing: SigningProfile | undefined): string {
	if (body === undefined || body.length === 0) return hashBytes(undefined, signing);
	try {
		return hashBytes(bodyBytes(parseJson(body), signing), signing);
	} catch (error) {
		// A body without a canonical form cannot have been signed; other errors come from the profile's own function.
		throw error instanceof CanonicalJsonError ? signatureMismatch() : error;
	}
}

function parseJson(body: Uint8Array): unknown {
	try {
		return JSON.parse(decodeUtf8(body));
	} catch (error) {
		if (error instanceof ConfigurationError) throw error;
		// No signature can be valid for a body without a canonical form.
		throw signatureMismatch();
	}
}

/** The nonces of one receiver. Only `true` says that a nonce is new: a store of somebody else's may resolve to anything. */
class Nonces {
	readonly #store: NonceStore;
	readonly #limit: CallLimit;

	constructor(store: NonceStore, limit: CallLimit) {
		this.#store = store;
		this.#limit = limit;
	}

	/** Does not remember the nonce: until the signature is checked, anybody may have chosen it. */
	async assertUnseen(headers: SignedHeaders): Promise<void> {
		const { has } = this.#store;
		if (has === undefined) return;
		if (await this.#call("has", async () => has.call(this.#store, nonceKey(headers)))) throw nonceReplayed();
	}

	async remember(headers: SignedHeaders, ttlMs: number): Promise<void> {
		// Exactly at the tolerance a timestamp is still accepted, so its nonce must live one millisecond longer.
		const isNew = await this.#call("remember", () => this.#store.remember(nonceKey(headers), ttlMs + 1));
		if (!isNew) throw nonceReplayed();
	}

	async #call(name: keyof NonceStore, call: () => Promise<boolean>): Promise<boolean> {
		try {
			return await callStore(this.#store, name, call, BOOLEAN, this.#limit);
		} catch (cause) {
			const problem = describeStoreFailure(cause);
			throw new RequestVerificationError(
				"nonce_store_unavailable",
				`the nonce couldn't be checked: ${problem}`,
				{ cause },
			);
		}
	}
}

function nonceKey({ appId, nonce }: SignedHeaders): string {
	return `${appId}:${nonce.toLowerCase()}`;
}

function nonceReplayed(): RequestVerificationError {
	return new RequestVerificationError(
		"nonce_replayed",
		"the nonce was used before: sign each request with a new nonce",
	);
}
