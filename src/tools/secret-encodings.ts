import { toHex } from "../library/runtime.ts";
import { encodeBase64 } from "../library/signing/base64.ts";
import { utf8 } from "../library/signing/bytes.ts";
import type { SecretEncoding } from "../library/signing/decode-secret.ts";

/** What a secret encodes, to continue "in …". */
export const ENCODING_WORDS: Readonly<Record<SecretEncoding, string>> = {
	text: "text",
	hex: "hex",
	base64: "base64",
	prefixed_base64: "base64 after a prefix",
};

/** Writes a secret of this package's own as a profile has it: a text is no hex, and would be rejected. */
export function encodeSecret(text: string, encoding: SecretEncoding | undefined): string {
	switch (encoding) {
		case "hex":
			return toHex(utf8(text));
		case "base64":
			return encodeBase64(utf8(text));
		case "prefixed_base64":
			return `whsec_${encodeBase64(utf8(text))}`;
		default:
			return text;
	}
}
