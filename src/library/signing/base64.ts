/** A multiple of three, so that only the last chunk needs padding; small enough for one call's arguments. */
const CHUNK_BYTES = 3 * 8192;

/** Base64 with padding (RFC 4648, section 4). */
export function encodeBase64(bytes: Uint8Array): string {
	let base64 = "";
	for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
		base64 += btoa(String.fromCharCode(...bytes.subarray(at, at + CHUNK_BYTES)));
	}
	return base64;
}
