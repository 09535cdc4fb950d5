/** A request that a {@link Signer} signs. */
export interface RequestToSign {
	/** The HTTP method in upper case. */
	method: string;
	/** The absolute URL. */
	url: string;
	/** The canonical body that will be sent, or `undefined` if there is none. */
	body: Uint8Array | undefined;
	/** Lower-case hex SHA-256 of the body. */
	bodyHash: string;
	/** Unix time in milliseconds, corrected to the gateway's clock. */
	timestamp: number;
	/** A new UUID. */
	nonce: string;
	/** Method, path, body hash, timestamp and nonce, joined by newlines: what the HMAC covers. */
	stringToSign: string;
}

/** What a {@link Signer} returns. */
export interface SignerResult {
	/** HMAC-SHA-256 of the string to sign, as 64 lower-case hex digits. */
	signature: string;
	/** The app id, if it differs from the client's options. */
	appId?: string | undefined;
	/** The timestamp, if the signer used its own. */
	timestamp?: number | undefined;
	/** The nonce, if the signer used its own: a new UUID for each request. */
	nonce?: string | undefined;
}

/**
 * Signs a request outside the client, e.g. on your server; called for every attempt. If it throws, or takes longer than
 * `attemptTimeoutMs`, the call rejects with a `SignerError`, and nothing was sent.
 */
export type Signer = (request: RequestToSign) => SignerResult | Promise<SignerResult>;
