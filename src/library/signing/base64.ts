import { nativeBase64 } from "../host.ts";

/** A multiple of three, so that only the last chunk needs padding; with more arguments a call takes many times longer. */
const CHUNK_BYTES = 3 * 1024;

/** Base64 with padding (RFC 4648, section 4). */
export function encodeBase64(bytes: Uint8Array): string {
	const base64 = nativeBase64(bytes);
	return base64?.length === 4 * Math.ceil(bytes.length / 3) ? base64 : encodeInChunks(bytes);
}

function encodeInChunks(bytes: Uint8Array): string {
	let base64 = "";
	for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
		// A spread would copy the bytes one by one.
		const binary: string = Reflect.apply(String.fromCharCode, null, bytes.subarray(at, at + CHUNK_BYTES));
		base64 += btoa(binary);
	}
	return base64;
}
