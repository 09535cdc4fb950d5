import { viewBytes } from "./bytes.ts";

/** What a secret that is a text stands for: its UTF-8, or the bytes that it encodes. */
export const SECRET_ENCODINGS = ["text", "hex", "base64", "prefixed_base64"] as const;

export type SecretEncoding = (typeof SECRET_ENCODINGS)[number];

/** A secret whose bytes are a copy: the caller may clear its own, or use the memory for something else. */
export function copySecret<Secret>(secret: Secret): Secret | Uint8Array {
	const bytes = typeof secret === "string" ? undefined : viewBytes(secret);
	// A detached buffer has no bytes, and cannot be copied. Not `slice`: that of a Buffer shares its memory.
	return bytes?.length ? new Uint8Array(bytes) : secret;
}

/**
 * Around the digits of each encoding, which are of one alphabet. Some files of variables lose the padding, so base64 needs
 * none. With a prefix it could pass for base64url.
 */
const FORMS: Readonly<Record<string, RegExp>> = {
	hex: /^([\da-f]*)$/i,
	base64: /^(?!whsec_)([a-z\d+/]*|[\w-]*)={0,2}$/i,
	prefixed_base64: /^[a-z][a-z\d]*_([a-z\d+/]*|[\w-]*)={0,2}$/i,
};

const BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** The bytes that a text encodes, or what is wrong with it: a secret that was cut off is an error, and no other key. */
export function decodeSecret(text: string, encoding: SecretEncoding): Uint8Array | string {
	const digits = FORMS[encoding]?.exec(text)?.[1];
	const bytes = digits === undefined ? undefined : decodeDigits(digits, encoding === "hex");
	return bytes ?? `isn't ${encoding}, its encoding in the profile: ${findFault(text, encoding, digits)}`;
}

function findFault(text: string, encoding: SecretEncoding, digits: string | undefined): string {
	if (digits !== undefined) return "its end is missing or changed";
	if (FORMS[encoding] === undefined) return "there is no such encoding";
	if (/["'`]/.test(text)) return "it has quotes in it";
	if (encoding === "hex") return "it has a character that is no hex digit";
	return `it has another character, or ${encoding === "base64" ? "a" : "no"} prefix such as whsec_`;
}

/** The bytes of hex, or of base64 in either alphabet (RFC 4648). Not by `atob`, which not every host has. */
function decodeDigits(digits: string, isHex: boolean): Uint8Array | undefined {
	const bitsOfDigit = isHex ? 4 : 6;
	const bytes: number[] = [];
	let held = 0;
	let bits = 0;
	for (const digit of digits.replace(/-/g, "+").replace(/_/g, "/")) {
		held = (held << bitsOfDigit) | (isHex ? Number.parseInt(digit, 16) : BASE64.indexOf(digit));
		bits += bitsOfDigit;
		if (bits < 8) continue;
		bits -= 8;
		bytes.push((held >> bits) & 0xff);
	}
	// What is left is no whole digit, and 0.
	return bits < bitsOfDigit && (held & ((1 << bits) - 1)) === 0 ? Uint8Array.from(bytes) : undefined;
}
