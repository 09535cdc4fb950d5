/** A request that a {@link Signer} signs. */
export interface RequestToSign {
	/** The HTTP method in upper case. */
	method: string;
	/** The absolute URL. */
	url: string;
	/** The canonical body to send, or `undefined` if there is none. */
	body: Uint8Array | undefined;
	/** The SHA-256 of the body, in lower-case hex. */
	bodyHash: string;
	/** The time to sign, in Unix milliseconds, corrected to the gateway's clock. */
	timestamp: number;
	/** A new UUID. */
	nonce: string;
	/** The string that the HMAC covers: method, path, body hash, timestamp and nonce, joined by newlines. */
	stringToSign: string;
}

/** The result of a {@link Signer}. */
export interface SignerResult {
	/** The HMAC-SHA-256 of the string to sign, as 64 lower-case hex digits. */
	signature: string;
	/** The app id, if it differs from the client's options. */
	appId?: string | undefined;
	/** The timestamp, if your signer used its own. */
	timestamp?: number | undefined;
	/** The nonce, if your signer used its own: a new UUID for each request. */
	nonce?: string | undefined;
}

/**
 * Signs a request outside the client, e.g. on your server. The client calls it for every attempt. If it throws, or
 * takes longer than `attemptTimeoutMs`, the call rejects with a `SignerError`, and nothing was sent.
 */
export type Signer = (request: RequestToSign) => SignerResult | Promise<SignerResult>;
