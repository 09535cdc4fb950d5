/** What is hashed; a string stands for its UTF-8 bytes. */
export type HashInput = Uint8Array | string;

/** A secret made ready for HMAC-SHA-256 (RFC 2104). Signing does not change it. */
export interface HmacKey {
	/** The HMAC over the parts, one after the other. */
	sign(...parts: readonly HashInput[]): Uint8Array;
	/** The same as lower-case hex. */
	signHex(...parts: readonly HashInput[]): string;
}

/** An implementation of SHA-256 (FIPS 180-4) and HMAC-SHA-256. */
export interface Hashing {
	sha256Hex(message: HashInput): string;
	createHmacKey(secret: Uint8Array): HmacKey;
}
