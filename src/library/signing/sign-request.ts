import { assertAll, assertArgument } from "../assert-argument.ts";
import { ConfigurationError } from "../errors.ts";
import { randomUuid, systemClock } from "../runtime.ts";
import type { Bytes } from "./bytes.ts";
import {
	bodyBytes,
	hashBytes,
	type SignatureHeaders,
	signWithSecret,
	toSignedRequestLine,
	type WithSigningProfile,
} from "./dialect.ts";

/** The request that {@link signRequest} signs. */
export interface SignRequestInput {
	/** The HTTP method. It is signed in upper case. */
	method: string;
	/**
	 * The absolute URL of the request, or its path. The path is signed as it is on the request line. A string with a dot
	 * segment, `.` or `..` in any spelling, is rejected, since the request line would have another path.
	 */
	url: string | URL;
	/**
	 * The body as a value, not as JSON: a string is signed as a JSON string. Leave it out for a request without a body.
	 */
	body?: unknown | undefined;
	/** The app id, which the request carries in clear. */
	appId: string;
	/**
	 * The App Secret: a string, which `profile.signing.secret` may decode, or bytes. It is only the HMAC key, and never
	 * leaves.
	 */
	appSecret: string | Uint8Array;
	/**
	 * The time of signing, in Unix milliseconds. The gateway accepts five minutes of difference.
	 * @default the current time
	 */
	timestamp?: number | undefined;
	/**
	 * A UUID that no other request has. The gateway rejects a repeated one.
	 * @default a random UUID
	 */
	nonce?: string | undefined;
	/** The path of the base address, for gateways that sign without it (`profile.signing.path`). */
	basePath?: string | undefined;
	/** Describes how your gateway signs. */
	profile?: WithSigningProfile | undefined;
}

/** A signed request. Send these headers with exactly these bytes. */
export interface SignedRequest {
	/** The method in upper case. */
	method: string;
	/** The four signed headers, and `Content-Type` if there is a body. */
	headers: SignatureHeaders & { "Content-Type"?: "application/json" };
	/** The canonical bytes that were hashed, or `undefined` for a request without a body. Send these. */
	body: Bytes | undefined;
	/** The SHA-256 of the body, in lower-case hex. */
	bodyHash: string;
	/** The signed string: method, path, body hash, timestamp and nonce, joined by newlines. */
	stringToSign: string;
	/**
	 * The HMAC-SHA-256 of that string, in lower-case hex. With the next three fields, it is what a `signer` of the
	 * client returns.
	 */
	signature: string;
	appId: string;
	/** The time of signing, in Unix milliseconds. */
	timestamp: number;
	nonce: string;
}

/**
 * Hashes a body: the SHA-256 of its canonical JSON, or of the empty string without a body, in lower-case hex.
 * @throws CanonicalJsonError if the body has no canonical form.
 * @see Specification, section 5.1, step 1
 */
export function hashBody(body?: unknown, options: { profile?: WithSigningProfile } = {}): string {
	const signing = options.profile?.signing;
	return hashBytes(bodyBytes(body, signing), signing);
}

/**
 * Signs a request for the gateway. It is synchronous, and the same in every runtime.
 *
 * @example
 * ```ts
 * const url = "https://gateway.example/mapping/%2B15551234567";
 * const signed = signRequest({ method: "GET", url, appId, appSecret });
 * const response = await fetch(url, { headers: { ...signed.headers } });
 * ```
 * @throws ConfigurationError if the app id, the secret, the nonce, the timestamp or the URL is unusable.
 * @throws CanonicalJsonError if the body has no canonical form.
 * @see Specification, section 5.1
 */
export function signRequest(input: SignRequestInput): SignedRequest {
	assertArgument("signRequest", "a request", "{ method, url, body, appId, appSecret }", input);
	const { appId, appSecret, basePath, timestamp = systemClock.now(), nonce = randomUuid() } = input;
	const signing = input.profile?.signing;
	assertAll([
		() => assertHeaderValue("appId", appId),
		() => assertHeaderValue("nonce", nonce),
		() => assertMethod(input.method),
		() => assertTimestamp(timestamp),
	]);
	const method = input.method.toUpperCase();
	const body = bodyBytes(input.body, signing);
	const line = toSignedRequestLine(input.url);
	const request = { method, body, appId, timestamp, nonce };
	const signed = signWithSecret({ ...request, line, basePath }, appSecret, signing);
	return {
		...request,
		...signed,
		headers: { ...signed.headers, ...(body && { "Content-Type": "application/json" }) },
	};
}

function assertMethod(method: unknown): void {
	if (typeof method !== "string") throw new ConfigurationError("method must be a string");
}

function assertTimestamp(timestamp: number): void {
	if (!Number.isSafeInteger(timestamp) || timestamp < 0) {
		throw new ConfigurationError("timestamp must be Unix time in whole milliseconds");
	}
}

/** Allows visible ASCII only: anything else is invalid in a header, or would arrive as another value. */
export function assertHeaderValue(name: string, value: unknown): asserts value is string {
	if (typeof value !== "string" || !/^[\x21-\x7e]{1,256}$/.test(value)) {
		throw new ConfigurationError(`${name} must be 1 to 256 visible ASCII characters`);
	}
}
