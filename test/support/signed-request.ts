import { memoryNonceStore, type ReceivedRequest, type VerifyRequestOptions } from "messaging-gateway/signing";
import { fixedClock } from "./fixed-clock.ts";
import { hmacSha256, sha256 } from "./node-crypto.ts";

/** The millisecond at which the requests of these tests were signed; the gateway's clock shows it. */
export const SIGNED_AT = 1767225600000;
export const NONCE = "3f1c9a52-8d0e-4b7a-9c63-5e2d71f0a4b8";
export const APP_SECRET = "app-secret-1";

/** What differs from a valid `POST /x` of `app-1` without a body. */
export interface SignedRequest {
	readonly method?: string;
	readonly url?: string;
	/** The path that the sender signed, if it is not the URL that arrives. */
	readonly signedPath?: string;
	/** What arrives. */
	readonly body?: string | Uint8Array;
	/** What the sender hashed, if it is not what arrives. */
	readonly hashed?: string;
	/** Headers to replace; `null` removes one. */
	readonly headers?: Readonly<Record<string, string | null>>;
	readonly timestamp?: number | string;
	readonly nonce?: string;
	readonly secret?: string;
}

/** A request as it reaches a gateway, signed by node:crypto over lines that are written by hand. */
export function signedRequest(given: SignedRequest = {}): ReceivedRequest & { readonly headers: Headers } {
	const { method = "POST", url = "/x", body, timestamp = SIGNED_AT, nonce = NONCE } = given;
	const lines = [method, given.signedPath ?? url, sha256(given.hashed ?? body ?? ""), timestamp, nonce];
	const headers = new Headers({
		"X-App-Id": "app-1",
		"X-Timestamp": String(timestamp),
		"X-Nonce": nonce,
		Authorization: `HMAC ${hmacSha256(given.secret ?? APP_SECRET, lines.join("\n"))}`,
	});
	for (const [name, value] of Object.entries(given.headers ?? {})) {
		if (value === null) headers.delete(name);
		else headers.set(name, value);
	}
	return { method, url, headers, ...(body === undefined ? {} : { body: Buffer.from(body) }) };
}

/** What a gateway knows that has an app, and a clock that stands at the signing time. */
export function verifierOptions(changes: Partial<VerifyRequestOptions> = {}): VerifyRequestOptions {
	const clock = fixedClock(SIGNED_AT);
	const secretFor = (appId: string) => (appId === "app-1" ? APP_SECRET : undefined);
	return { secretFor, nonceStore: memoryNonceStore({ clock }), clock, ...changes };
}
