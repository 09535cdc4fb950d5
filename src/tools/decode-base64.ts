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
