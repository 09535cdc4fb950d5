/** A multiple of three, so that no chunk needs padding but the last; small enough for one call's arguments. */
const CHUNK_BYTES = 3 * 8192;

/** Base64 with padding (RFC 4648, section 4). */
export function encodeBase64(bytes: Uint8Array): string {
	let text = "";
	for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
		text += btoa(String.fromCharCode(...bytes.subarray(at, at + CHUNK_BYTES)));
	}
	return text;
}
