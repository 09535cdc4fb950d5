import { utf8 } from "../../../../../library/signing/bytes.ts";
import { decodeBase64 } from "../../../../decode-base64.ts";

/** A body that a receiver got, in one of three forms. */
export interface BodyInput {
	readonly form: "text" | "base64" | "file";
	readonly text: string;
	/** The bytes of the file; `undefined` until one is chosen. */
	readonly file: Uint8Array | undefined;
}

export const NO_BODY: BodyInput = { form: "text", text: "", file: undefined };

export interface ReadBody {
	/** `undefined` if nothing was pasted. An empty file is an empty body. */
	readonly bytes?: Uint8Array | undefined;
	/** Why it cannot be read. */
	readonly problem?: string;
}

export function readBodyInput({ form, text, file }: BodyInput): ReadBody {
	if (form === "file") return { bytes: file };
	if (form === "text") return { bytes: text === "" ? undefined : utf8(text) };
	const bytes = decodeBase64(text);
	if (bytes === undefined) return { problem: "This isn't base64. Encode the body again, or choose a file." };
	return { bytes: bytes.length === 0 ? undefined : bytes };
}
