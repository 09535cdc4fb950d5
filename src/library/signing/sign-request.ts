import { ConfigurationError } from "../errors.ts";
import { randomUuid, systemClock } from "../runtime.ts";
import type { Bytes } from "./bytes.ts";
import {
	bodyBytes,
	hashBytes,
	signedPath,
	toSignedRequestLine,
	type WithSigningProfile,
	writeTimestamp,
} from "./dialect.ts";
import { describeSecretProblem, keyOf } from "./hash.ts";

/** The four headers of a signed request (specification, section 5.1). */
export interface SignatureHeaders {
	/** The app id, in clear. */
	"X-App-Id": string;
	/** Unix time in milliseconds at signing. */
	"X-Timestamp": string;
	/** A UUID, unique to this request. */
	"X-Nonce": string;
	/** `HMAC ` and the signature in lower-case hex. */
	Authorization: string;
}

/** What {@link signRequest} signs. */
export interface SignRequestInput {
	/** The HTTP method; it is signed in upper case. */
	method: string;
	/**
	 * The absolute URL of the request, or its path. The path is signed as it is on the request line. A string with a dot
	 * segment, `.` or `..` in any spelling, is rejected, since the request line would have another path.
	 */
	url: string | URL;
	/** The body as a value, not as JSON: a string is signed as a JSON string. Leave it out for a request without a body. */
	body?: unknown | undefined;
	/** The app id, sent in clear. */
	appId: string;
	/** The App Secret. It is only the HMAC key and never leaves. */
	appSecret: string;
	/**
	 * Unix time in milliseconds. The gateway accepts five minutes of difference (section 5.1).
	 * @default the current time
	 */
	timestamp?: number | undefined;
	/**
	 * A UUID that no other request has; a repeated one is rejected.
	 * @default a random UUID
	 */
	nonce?: string | undefined;
	/** The path of the base address, for gateways that sign without it (`profile.signing.path`). */
	basePath?: string | undefined;
	/** Choices that the specification leaves open. */
	profile?: WithSigningProfile | undefined;
}

/** A request as {@link signRequest} signed it: send these headers with exactly these bytes. */
export interface SignedRequest {
	/** The method in upper case. */
	method: string;
	/** The four signed headers, and `Content-Type` if there is a body. */
	headers: SignatureHeaders & { "Content-Type"?: "application/json" };
	/** The canonical bytes that were hashed, or `undefined` for a request without a body. Send these. */
	body: Bytes | undefined;
	/** Lower-case hex SHA-256 of the body. */
	bodyHash: string;
	/** The signed string: method, path, body hash, timestamp and nonce, joined by newlines. */
	stringToSign: string;
	/** Lower-case hex HMAC-SHA-256 of that string. With the next three, it is what a `signer` of the client returns. */
	signature: string;
	appId: string;
	/** In Unix milliseconds. */
	timestamp: number;
	nonce: string;
}

/**
 * The lower-case hex SHA-256 of a body's canonical JSON form, or of the empty string when there is no body.
 *
 * @throws CanonicalJsonError if the body has no canonical form.
 * @see specification, section 5.1, step 1
 */
export function hashBody(body?: unknown, options: { profile?: WithSigningProfile } = {}): string {
	const signing = options.profile?.signing;
	return hashBytes(bodyBytes(body, signing), signing);
}

/** Joins the five parts, as they are on the wire, in the order of section 5.1, step 2. */
export function createStringToSign(parts: {
	method: string;
	path: string;
	bodyHash: string;
	timestamp: number;
	nonce: string;
}): string {
	const { method, path, bodyHash, timestamp, nonce } = parts;
	return `${method.toUpperCase()}\n${path}\n${bodyHash}\n${timestamp}\n${nonce}`;
}

/**
 * Signs a request for the gateway. Sync, and the same in every runtime.
 *
 * @example
 * ```ts
 * const url = "https://gateway.example/mapping/%2B15551234567";
 * const signed = signRequest({ method: "GET", url, appId, appSecret });
 * const response = await fetch(url, { headers: { ...signed.headers } });
 * ```
 * @throws ConfigurationError if the app id, the secret, the nonce, the timestamp or the URL is unusable.
 * @throws CanonicalJsonError if the body has no canonical form.
 * @see specification, section 5.1
 */
export function signRequest(input: SignRequestInput): SignedRequest {
	const { appId, appSecret, timestamp: timestampMs = systemClock.now() } = input;
	const signing = input.profile?.signing;
	assertHeaderValue("appId", appId);
	if (input.nonce !== undefined) assertHeaderValue("nonce", input.nonce);
	const nonce = input.nonce ?? randomUuid();
	if (!Number.isSafeInteger(timestampMs) || timestampMs < 0) {
		throw new ConfigurationError("timestamp must be Unix time in whole milliseconds");
	}
	const timestamp = writeTimestamp(timestampMs, signing);
	const method = input.method.toUpperCase();
	const body = bodyBytes(input.body, signing);
	const bodyHash = hashBytes(body, signing);
	const path = signedPath(toSignedRequestLine(input.url), input.basePath, signing);
	const stringToSign = createStringToSign({ method, path, bodyHash, timestamp, nonce });
	const signature = signString(stringToSign, appSecret);
	const headers: SignedRequest["headers"] = signatureHeaders({ appId, timestamp, nonce, signature });
	if (body !== undefined) headers["Content-Type"] = "application/json";
	return { method, headers, body, bodyHash, stringToSign, signature, appId, timestamp: timestampMs, nonce };
}

/**
 * HMAC-SHA-256 of the string to sign, in lower-case hex (section 5.1, step 3).
 * @throws ConfigurationError when the secret is unusable.
 */
export function signString(stringToSign: string, appSecret: string): string {
	const problem = describeSecretProblem(appSecret);
	if (problem !== undefined) throw new ConfigurationError(`appSecret ${problem}`);
	return keyOf(appSecret).signHex(stringToSign);
}

export function signatureHeaders(parts: {
	appId: string;
	timestamp: number;
	nonce: string;
	signature: string;
}): SignatureHeaders {
	return {
		"X-App-Id": parts.appId,
		"X-Timestamp": String(parts.timestamp),
		"X-Nonce": parts.nonce,
		Authorization: `HMAC ${parts.signature}`,
	};
}

/** Allows visible ASCII only: anything else is invalid in a header, or would arrive as another value. */
export function assertHeaderValue(name: string, value: unknown): asserts value is string {
	if (typeof value !== "string" || !/^[\x21-\x7e]{1,256}$/.test(value)) {
		throw new ConfigurationError(`${name} must be 1 to 256 visible ASCII characters`);
	}
}
