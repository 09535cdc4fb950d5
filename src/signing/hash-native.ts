import type { NativeCrypto } from "../runtime.ts";
import type { Hashing, HmacKey, Message } from "./hash.ts";

/** Block size of SHA-256 in bytes (FIPS 180-4, section 1). */
const BLOCK_BYTES = 64;
const DIGEST_BYTES = 32;

/** Up to here a message is copied into one piece; beyond, copying it costs more than the calls that it saves. */
const MAX_COPIED_BYTES = 8 * 1024;

const encoder = /* @__PURE__ */ new TextEncoder();

/**
 * Hashing by the runtime's own `node:crypto`. An HMAC is two hashes (RFC 2104): one over the padded key and the
 * message, and one over the padded key and the first one's result.
 *
 * In one-shot calls they make no object for the garbage collector: 2.5 times as fast as `createHmac` at 200 bytes,
 * 1.3 times at 4 kB. A long message goes through a stream as it is, without a copy.
 */
export function createNativeHashing({ createHash, hash }: NativeCrypto): Hashing {
	// All keys can share it, since nothing is awaited between filling it and hashing it.
	const inner = new Uint8Array(BLOCK_BYTES + MAX_COPIED_BYTES);

	function createHmacKey(secret: Uint8Array): HmacKey {
		const { innerPad, outerPad } = padKey(secret);
		const innerString = readAscii(innerPad);
		const outer = new Uint8Array(BLOCK_BYTES + DIGEST_BYTES);
		outer.set(outerPad);

		function digest(parts: readonly Message[], encoding: "hex" | "latin1"): string {
			const innerDigest =
				hashString(innerString, parts) ?? hashCopy(innerPad, parts) ?? hashStream(innerPad, parts);
			writeLatin1(innerDigest, outer, BLOCK_BYTES);
			return hash("sha256", outer, encoding);
		}

		return {
			signHex: (...parts) => digest(parts, "hex"),
			sign(...parts) {
				const signature = new Uint8Array(DIGEST_BYTES);
				writeLatin1(digest(parts, "latin1"), signature, 0);
				return signature;
			},
		};
	}

	/** Strings after a pad that is a string: nothing is encoded here, which makes 150 bytes 1.2 times as fast. */
	function hashString(pad: string | undefined, parts: readonly Message[]): string | undefined {
		const joined = pad === undefined ? undefined : joinStrings(parts);
		return joined === undefined ? undefined : hash("sha256", pad + joined, "latin1");
	}

	function hashCopy(pad: Uint8Array, parts: readonly Message[]): string | undefined {
		const end = copyParts(parts, inner);
		if (end === undefined) return undefined;
		inner.set(pad);
		return hash("sha256", inner.subarray(0, end), "latin1");
	}

	function hashStream(pad: Uint8Array, parts: readonly Message[]): string {
		const state = createHash("sha256");
		state.update(pad);
		for (const part of parts) state.update(part);
		return state.digest("latin1");
	}

	/** The key in one block, combined with each of the pads (RFC 2104, section 2). */
	function padKey(secret: Uint8Array): { innerPad: Uint8Array; outerPad: Uint8Array } {
		const key = new Uint8Array(BLOCK_BYTES);
		if (secret.length <= BLOCK_BYTES) key.set(secret);
		else writeLatin1(hash("sha256", secret, "latin1"), key, 0);
		return { innerPad: key.map((byte) => byte ^ 0x36), outerPad: key.map((byte) => byte ^ 0x5c) };
	}

	return { sha256Hex: (message) => hash("sha256", message, "hex"), createHmacKey };
}

/** The string of ASCII bytes, or `undefined` if they are not ASCII. The pads of an ASCII key are ASCII too. */
function readAscii(bytes: Uint8Array): string | undefined {
	return bytes.every((byte) => byte < 0x80) ? String.fromCharCode(...bytes) : undefined;
}

/** All parts as one string, or `undefined` if they are not short strings. */
function joinStrings(parts: readonly Message[]): string | undefined {
	let joined = "";
	for (const part of parts) {
		// Half of a surrogate pair at the end of one string could become a whole one with the next.
		if (typeof part !== "string" || !joined.isWellFormed()) return undefined;
		if (joined.length + part.length > MAX_COPIED_BYTES) return undefined;
		joined += part;
	}
	return joined;
}

/** Copies the parts after the first block; returns where they end, or `undefined` if they may not fit. */
function copyParts(parts: readonly Message[], target: Uint8Array): number | undefined {
	let end = BLOCK_BYTES;
	for (const part of parts) {
		// A UTF-16 code unit is three bytes of UTF-8 at most.
		const mostBytes = typeof part === "string" ? part.length * 3 : part.length;
		if (end + mostBytes > target.length) return undefined;
		if (typeof part === "string") end += encoder.encodeInto(part, target.subarray(end)).written;
		else {
			target.set(part, end);
			end += part.length;
		}
	}
	return end;
}

/** Each character of a digest in `latin1` is one of its bytes. */
function writeLatin1(digest: string, target: Uint8Array, at: number): void {
	for (let index = 0; index < digest.length; index++) target[at + index] = digest.charCodeAt(index);
}
