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

/** Decodes base64 of either alphabet, with or without padding and line ends; `undefined` if the string is not base64. */
export function decodeBase64(base64: string): Uint8Array | undefined {
	let binary: string;
	try {
		binary = atob(base64.replaceAll("-", "+").replaceAll("_", "/"));
	} catch {
		return undefined;
	}
	const bytes = new Uint8Array(binary.length);
	for (let at = 0; at < binary.length; at++) bytes[at] = binary.charCodeAt(at);
	return bytes;
}
