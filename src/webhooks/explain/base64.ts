/** Decodes base64 of either alphabet, with or without padding and line ends; `undefined` if the string is not base64. */
export function decodeBase64(text: string): Uint8Array | undefined {
	const standard = text.replace(/\s+/g, "").replaceAll("-", "+").replaceAll("_", "/");
	if (!/^[A-Za-z0-9+/]+={0,2}$/.test(standard)) return undefined;
	try {
		return Uint8Array.from(atob(standard), (character) => character.charCodeAt(0));
	} catch {
		return undefined;
	}
}

/** Encodes in the standard alphabet, with padding. */
export function encodeBase64(bytes: Uint8Array): string {
	return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
}
