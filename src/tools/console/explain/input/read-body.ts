import { decodeBase64 } from "../../../decode-base64.ts";
import type { BodyInput } from "./explain-input.ts";

/** The body for the explanation, or why it cannot be read. */
export type ReadBody = { readonly body: string | Uint8Array } | { readonly problem: string };

/** Reads the body of the selected input mode. */
export function readBody({ mode, text, base64, file }: BodyInput): ReadBody {
	if (mode === "text") return { body: text };
	if (mode === "file") return file === undefined ? { problem: "No file was chosen." } : { body: file.bytes };
	const bytes = decodeBase64(base64);
	return bytes === undefined ? { problem: "This is not base64." } : { body: bytes };
}
