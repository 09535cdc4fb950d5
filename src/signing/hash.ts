import { hmac } from "@noble/hashes/hmac.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";

/** Bytes of a SHA-256 digest, and so of an HMAC-SHA-256 signature. */
export const DIGEST_BYTES = 32;

/** A secret made ready for HMAC-SHA-256 (RFC 2104). Signing does not change it. */
export interface HmacKey {
	/** The HMAC over the parts, one after the other. */
	sign(...parts: readonly Uint8Array[]): Uint8Array;
}

/** SHA-256 (FIPS 180-4) as lower-case hex. */
export function sha256Hex(message: Uint8Array): string {
	return bytesToHex(sha256(message));
}

/** Lower-case hex. */
export function toHex(bytes: Uint8Array): string {
	return bytesToHex(bytes);
}

/** Prepares a secret once, so that each message costs only its own hashing. */
export function createHmacKey(secret: Uint8Array): HmacKey {
	const keyed = hmac.create(sha256, secret);
	return {
		sign(...parts) {
			const state = keyed.clone();
			for (const part of parts) state.update(part);
			return state.digest();
		},
	};
}
