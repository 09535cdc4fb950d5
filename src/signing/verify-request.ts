import { CanonicalJsonError, ConfigurationError, RequestVerificationError } from "../errors.ts";
import { type Clock, systemClock } from "../runtime.ts";
import { constantTimeEqual, decodeHex, decodeUtf8 } from "./bytes.ts";
import {
	bodyBytes,
	hashBytes,
	readRequestLine,
	type SigningProfile,
	signedPath,
	type WithSigningProfile,
} from "./dialect.ts";
import { DIGEST_BYTES } from "./hash.ts";
import type { NonceStore } from "./nonce-store.ts";
import { describeSecretProblem, keyOf } from "./secret.ts";
import { UUID } from "./uuid.ts";

/** Specification, sections 5.1 and 8: "within five minutes". */
const TOLERANCE_MS = 300_000;

/** A request as it arrived. */
export interface ReceivedRequest {
	/** The HTTP method. */
	method: string;
	/** The absolute URL, or the path with its query, as it stood on the request line. */
	url: string | URL;
	/** The headers. */
	headers: Headers;
	/** The raw body; leave it out, or give no bytes, where there was none. */
	body?: Uint8Array | undefined;
}

/** How {@link verifyRequest} decides. */
export interface VerifyRequestOptions {
	/** The App Secret of an app id, or `undefined` where there is no such app. */
	secretFor: (appId: string) => string | null | undefined | Promise<string | null | undefined>;
	/** Where seen nonces are kept; {@link memoryNonceStore} serves one process. */
	nonceStore: NonceStore;
	/**
	 * How far the timestamp may lie from our clock, in milliseconds; exactly this far is accepted.
	 * @default 300_000
	 */
	toleranceMs?: number | undefined;
	/** Where the time comes from. @default the system clock */
	clock?: Clock | undefined;
	/** The path of the base address, for `profile.signing.path: "without_base_path"`. */
	basePath?: string | undefined;
	/** The choices that the specification leaves open. */
	profile?: WithSigningProfile | undefined;
}

/** What {@link verifyRequest} found to be true. */
export interface VerifiedRequest {
	/** The app that signed. */
	appId: string;
	/** Unix time in milliseconds at signing. */
	timestamp: number;
	/** The request's nonce. */
	nonce: string;
}

/**
 * Verifies a signed request, as the gateway does: headers, app id, timestamp, signature, nonce, in this
 * order. A nonce is remembered only after a valid signature, for as long as its timestamp is accepted.
 *
 * @throws RequestVerificationError with `code` and the `status` to answer.
 * @throws ConfigurationError when `toleranceMs` is not a number of milliseconds from 0 on, or the secret of
 * a known app is unusable.
 * @see specification, section 5.1
 */
export async function verifyRequest(
	request: ReceivedRequest,
	options: VerifyRequestOptions,
): Promise<VerifiedRequest> {
	const { toleranceMs = TOLERANCE_MS, clock = systemClock } = options;
	if (!Number.isFinite(toleranceMs) || toleranceMs < 0) {
		throw new ConfigurationError("toleranceMs must be a number of milliseconds from 0 on");
	}
	const headers = readHeaders(request.headers);
	const secret = await options.secretFor(headers.appId);
	// A data base that finds nothing often says null.
	if (secret == null) throw new RequestVerificationError("unknown_app_id", "the app id is not known");
	const problem = describeSecretProblem(secret);
	if (problem !== undefined) throw new ConfigurationError(`the secret that secretFor returned ${problem}`);

	const driftMs = headers.timestamp - clock.now();
	if (Math.abs(driftMs) > toleranceMs) {
		const direction = driftMs < 0 ? "behind" : "ahead of";
		throw new RequestVerificationError(
			"timestamp_out_of_range",
			`X-Timestamp is ${Math.round(Math.abs(driftMs) / 1000)} s ${direction} the gateway's clock; ${toleranceMs / 1000} s are accepted`,
		);
	}

	const signing = options.profile?.signing;
	const expected = keyOf(secret).sign(
		`${request.method.toUpperCase()}\n${signedPath(readRequestLine(request.url), options.basePath, signing)}\n` +
			`${hashReceivedBody(request.body, signing)}\n${headers.timestampText}\n${headers.nonce}`,
	);
	if (!constantTimeEqual(expected, headers.signature)) throw signatureMismatch();

	await rememberNonce(options.nonceStore, headers, toleranceMs + driftMs);
	return { appId: headers.appId, timestamp: headers.timestamp, nonce: headers.nonce };
}

function signatureMismatch(): RequestVerificationError {
	return new RequestVerificationError(
		"signature_mismatch",
		"the signature does not match: check the App Secret, the path and the canonical body",
	);
}

interface SignedHeaders {
	appId: string;
	timestampText: string;
	timestamp: number;
	nonce: string;
	signature: Uint8Array;
}

function readHeaders(headers: Headers): SignedHeaders {
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
	const timestampText = read("X-Timestamp", /^(0|[1-9]\d{0,15})$/, "Unix time in milliseconds");
	const nonce = read("X-Nonce", UUID, "a UUID");
	const authorization = read("Authorization", /^HMAC [0-9a-f]{64}$/, "HMAC and 64 lower-case hex digits");
	const signature = decodeHex(authorization.slice("HMAC ".length), DIGEST_BYTES);
	if (signature === undefined) throw signatureMismatch();
	return { appId, timestampText, timestamp: Number(timestampText), nonce, signature };
}

/** The hash covers the canonical form, so that a sender's own white space and key order do not matter. */
function hashReceivedBody(body: Uint8Array | undefined, signing: SigningProfile | undefined): string {
	if (body === undefined || body.length === 0) return hashBytes(undefined, signing);
	const value = parseJson(body);
	try {
		return hashBytes(bodyBytes(value, signing), signing);
	} catch (error) {
		// What has no canonical form cannot have been signed; anything else is a fault of the profile's own function.
		throw error instanceof CanonicalJsonError ? signatureMismatch() : error;
	}
}

function parseJson(body: Uint8Array): unknown {
	try {
		return JSON.parse(decodeUtf8(body));
	} catch {
		// Not JSON, so without a canonical form: no signature can be right for it.
		throw signatureMismatch();
	}
}

async function rememberNonce(store: NonceStore, headers: SignedHeaders, ttlMs: number): Promise<void> {
	let isNew: boolean;
	try {
		// Exactly at the tolerance a timestamp is still accepted, so its nonce must live one millisecond longer.
		isNew = await store.remember(`${headers.appId}:${headers.nonce.toLowerCase()}`, ttlMs + 1);
	} catch (cause) {
		throw new RequestVerificationError("nonce_store_unavailable", "the nonce could not be checked", {
			cause,
		});
	}
	if (!isNew)
		throw new RequestVerificationError(
			"nonce_replayed",
			"the nonce was used before: sign every request anew",
		);
}
