import { findNativeCrypto, type NativeCrypto } from "../runtime.ts";
import { utf8 } from "./bytes.ts";
import { createNativeHashing } from "./hash-native.ts";
import { nobleHashing, toHex } from "./hash-noble.ts";

export { toHex };

/** Bytes of a SHA-256 digest, and so of an HMAC-SHA-256 signature. */
export const DIGEST_BYTES = 32;

/** What is hashed; a string stands for its UTF-8 bytes. */
export type Message = Uint8Array | string;

/** A secret made ready for HMAC-SHA-256 (RFC 2104). Signing does not change it. */
export interface HmacKey {
	/** The HMAC over the parts, one after the other. */
	sign(...parts: readonly Message[]): Uint8Array;
	/** The same as lower-case hex. */
	signHex(...parts: readonly Message[]): string;
}

/** An implementation of SHA-256 (FIPS 180-4) and HMAC-SHA-256. */
export interface Hashing {
	sha256Hex(message: Message): string;
	createHmacKey(secret: Uint8Array): HmacKey;
}

let chosen: Hashing | undefined;

/** SHA-256 as lower-case hex. */
export function sha256Hex(message: Message): string {
	return hashing().sha256Hex(message);
}

/** Prepares a secret once; each message then costs only its own hashing. */
export function createHmacKey(secret: Uint8Array): HmacKey {
	return hashing().createHmacKey(secret);
}

/** Chosen at the first hash: importing this package loads nothing of the runtime's. */
function hashing(): Hashing {
	chosen ??= chooseHashing(findNativeCrypto());
	return chosen;
}

/** The runtime's own hashing if it has one that passes the known-answer tests; @noble/hashes otherwise. */
export function chooseHashing(crypto: NativeCrypto | undefined): Hashing {
	if (crypto === undefined) return nobleHashing;
	try {
		const native = createNativeHashing(crypto);
		return isRight(native) ? native : nobleHashing;
	} catch {
		return nobleHashing;
	}
}

/** Known-answer tests for a string, for several parts (RFC 4231, test case 2), and for more than a native key copies. */
function isRight({ createHmacKey, sha256Hex }: Hashing): boolean {
	const key = createHmacKey(utf8("Jefe"));
	const expected = "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843";
	return (
		sha256Hex("abc") === "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" &&
		key.signHex("what do ya want ", utf8("for nothing?")) === expected &&
		toHex(key.sign("what do ya want for nothing?")) === expected &&
		key.signHex("a".repeat(10_000)) === "d6d46ce7cbdc692c354bfd78cfaea4bf7499fcbac52ce1704e18374472652321"
	);
}
