import { toHex } from "../../../library/runtime.ts";
import { encodeBase64 } from "../../../library/signing/base64.ts";
import { utf8, viewBytes } from "../../../library/signing/bytes.ts";
import { createHmacKey } from "../../../library/signing/hash.ts";
import { decodeBase64 } from "../../decode-base64.ts";
import { ENCODING_WORDS, ENCODINGS_OF_SECRETS, type EncodingOfSecret } from "../../secret-encodings.ts";
import { before, type Candidate, uniqueBytes } from "./candidate.ts";
import type { Mistake } from "./explanation.ts";
import { type GivenSecrets, isText, keyBytesOf, padded } from "./secrets.ts";

/** Longer than any secret of a dashboard; variants of a longer one are not worth their time. */
const MAX_VARIED_LENGTH = 1024;
const MAX_KEYS = 200;

/** One literal: bundlers do not drop an unused expression that is built from parts. */
const PADDING = /^(?:[\s"'`\u200b]|\\[nrt])+|(?:[\s"'`\u200b]|\\[nrt])+$/g;

/** A key that may have signed. */
export type SigningKey = ReturnType<typeof createHmacKey>;

/** Every key that may have signed, the given ones first and the likelier mistakes before the others. */
export function readKeys(secrets: GivenSecrets): Candidate<SigningKey>[] {
	const { given, others, appSecret, encoding, appEncoding } = secrets;
	const texts = given.filter(isText).filter((secret) => secret.length <= MAX_VARIED_LENGTH);
	const keys: Candidate<Uint8Array>[] = [
		...given.flatMap((secret) => toCandidates(keyBytesOf(secret, encoding), [])),
		...texts.flatMap((secret) =>
			[secret.trim(), secret.replace(PADDING, "")]
				.filter((bare) => bare !== "" && bare !== secret)
				.flatMap((bare) => toCandidates(keyBytesOf(bare, encoding), [padded(secret)])),
		),
		...toCandidates(keyBytesOf(appSecret, appEncoding), [SIGNED_AS_REQUEST]),
		...Object.entries(others).flatMap(([name, secret]) => otherKey(name, secret, encoding)),
		...texts.flatMap((secret) => otherReadings(secret, encoding)),
		...texts.flatMap((secret) => encodedSecrets([utf8(secret), fromSingleBytes(secret)])),
		...given.flatMap((secret) => mistakenBytes(secret)),
	];
	return uniqueBytes(keys.slice(0, MAX_KEYS)).map(({ value, mistakes }) => ({
		value: createHmacKey(value),
		mistakes,
	}));
}

function toCandidates(bytes: Uint8Array | undefined, mistakes: readonly Mistake[]): Candidate<Uint8Array>[] {
	return bytes === undefined ? [] : [{ value: bytes, mistakes }];
}

function otherKey(name: string, secret: unknown, encoding: EncodingOfSecret): Candidate<Uint8Array>[] {
	const bytes = keyBytesOf(secret, encoding) ?? keyBytesOf(secret, "text");
	if (bytes === undefined) return [];
	return [
		before(
			bytes,
			"other_secret",
			`The delivery was signed with another secret: "${name}".`,
			`Verify with the secret "${name}" here, or point the sender at the receiver that has it.`,
		),
	];
}

/** The keys of a sender that reads the secret's text otherwise than the profile does. */
function otherReadings(secret: string, encoding: EncodingOfSecret): Candidate<Uint8Array>[] {
	const notAsGiven =
		encoding === "text" ? "not with the undecoded secret" : `not in ${ENCODING_WORDS[encoding]}`;
	const strict = ENCODINGS_OF_SECRETS.flatMap((other) => {
		const bytes = keyBytesOf(secret, other);
		if (other === encoding || bytes === undefined) return [];
		const message =
			other === "text"
				? `The delivery was signed with the undecoded secret, though profile.events.secret is "${encoding}".`
				: `The delivery was signed with the bytes that the secret encodes in ${ENCODING_WORDS[other]}, ${notAsGiven}.`;
		const fix = `Set profile.events.secret to "${other}"${other === "text" ? ", its default" : ", or pass the decoded secret as bytes"}.`;
		return [before(bytes, "secret_encoded", message, fix)];
	});
	// Base64 that was changed at its end, or has line ends in it: decoders of other languages read it.
	const lenient = [secret, secret.replace(/^[a-z]{2,10}_/, "")].flatMap((base64) => {
		const bytes = decodeBase64(base64);
		if (bytes === undefined || bytes.length === 0) return [];
		const message = `The delivery was signed with the bytes that the secret encodes in base64, ${notAsGiven}.`;
		return [before(bytes, "secret_encoded", message, "Pass the decoded secret as bytes.")];
	});
	return [...strict, ...lenient];
}

/** The keys of a sender, if the bytes that were given are not the secret's: its text, or what encodes them. */
function mistakenBytes(secret: unknown): Candidate<Uint8Array>[] {
	const bytes = viewBytes(secret);
	if (bytes === undefined || bytes.length > MAX_VARIED_LENGTH) return [];
	const text = String.fromCharCode(...bytes);
	const decoded = ENCODINGS_OF_SECRETS.flatMap((encoding) => {
		const key = encoding === "text" ? undefined : keyBytesOf(text, encoding);
		if (key === undefined) return [];
		const message = `The delivery was signed with the bytes that the secret encodes in ${ENCODING_WORDS[encoding]}, and here the bytes of its text were given.`;
		const fix = `Pass the secret as a string, with profile.events.secret "${encoding}": bytes are never decoded.`;
		return [before(key, "secret_encoded", message, fix)];
	});
	return [...decoded, ...encodedSecrets([bytes])];
}

/** The keys of a sender that uses the encoded secret, if the receiver decoded it. */
function encodedSecrets(secrets: readonly (Uint8Array | undefined)[]): Candidate<Uint8Array>[] {
	const encoded = (original: string, form: string) =>
		before(
			utf8(original),
			"secret_decoded",
			`The delivery was signed with the secret in ${form}, which was decoded before it came here.`,
			"Pass the secret exactly as the account dashboard shows it, without decoding it.",
		);
	return secrets.flatMap((one) => {
		if (one === undefined) return [];
		const base64 = encodeBase64(one);
		const bare = base64.replace(/=+$/, "");
		return [
			encoded(toHex(one), "hex"),
			encoded(toHex(one).toUpperCase(), "hex"),
			encoded(base64, "base64"),
			encoded(bare, "base64"),
			encoded(base64.replaceAll("+", "-").replaceAll("/", "_"), "base64url"),
			encoded(bare.replaceAll("+", "-").replaceAll("/", "_"), "base64url"),
		];
	});
}

/** The bytes of a "binary string", in which each character stands for one byte. */
function fromSingleBytes(binary: string): Uint8Array | undefined {
	const codes = Array.from(binary, (character) => character.codePointAt(0) ?? 0);
	return codes.some((code) => code > 0xff) ? undefined : Uint8Array.from(codes);
}

const SIGNED_AS_REQUEST: Mistake = {
	cause: "request_signing_secret",
	message: "The delivery was signed with the App Secret, which is for signing requests.",
	fix: "Let the sender sign with the webhook secret of the account dashboard, and keep the App Secret for requests.",
};
