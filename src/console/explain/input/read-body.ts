import type { BodyInput } from "./explain-input.ts";

/** The body as the explanation takes it, or why it cannot be read. */
export type ReadBody = { readonly body: string | Uint8Array } | { readonly problem: string };

/** Reads a body from where it was given. */
export function readBody({ mode, text, base64, file }: BodyInput): ReadBody {
	if (mode === "text") return { body: text };
	if (mode === "file") return file === undefined ? { problem: "No file was chosen." } : { body: file.bytes };
	const bytes = decodeBase64(base64);
	return bytes === undefined ? { problem: "This is not base64." } : { body: bytes };
}

/** Base64 of either alphabet, with or without padding and line ends. */
function decodeBase64(text: string): Uint8Array | undefined {
	const plain = text.replace(/\s/g, "").replaceAll("-", "+").replaceAll("_", "/");
	try {
		return Uint8Array.from(atob(plain), (character) => character.charCodeAt(0));
	} catch {
		return undefined;
	}
}
