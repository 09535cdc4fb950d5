import { toHex } from "../library/runtime.ts";
import { encodeBase64 } from "../library/signing/base64.ts";
import { utf8 } from "../library/signing/bytes.ts";
import type { SigningProfile } from "../library/signing/dialect.ts";

/** What a secret that is a text can encode. */
export type EncodingOfSecret = NonNullable<SigningProfile["secret"]>;

/** What a secret encodes, to continue "in …". */
export const ENCODING_WORDS: Readonly<Record<EncodingOfSecret, string>> = {
	text: "text",
	hex: "hex",
	base64: "base64",
	prefixed_base64: "base64 after a prefix",
};

export const ENCODINGS_OF_SECRETS = Object.keys(ENCODING_WORDS) as readonly EncodingOfSecret[];

/** Writes a secret of this package's own as a profile has it: a text is no hex, and would be rejected. */
export function encodeSecret(text: string, encoding: EncodingOfSecret | undefined): string {
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
