import { toHex } from "../../../library/runtime.ts";
import { encodeBase64 } from "../../../library/signing/base64.ts";
import { decodeHex, utf8 } from "../../../library/signing/bytes.ts";
import { createHmacKey } from "../../../library/signing/hash.ts";
import { decodeBase64 } from "../../decode-base64.ts";
import { asGiven, before, type Candidate, uniqueBytes } from "./candidate.ts";
import type { Mistake } from "./explanation.ts";
import { type GivenSecrets, isUsable, PADDED } from "./secrets.ts";

/** Longer than any secret of a dashboard; variants of a longer one are not worth their time. */
const MAX_VARIED_LENGTH = 1024;
const MAX_KEYS = 200;

/** One literal: bundlers do not drop an unused expression that is built from parts. */
const PADDING = /^(?:[\s"'`\u200b]|\\[nrt])+|(?:[\s"'`\u200b]|\\[nrt])+$/g;

/** A key that may have signed. */
export type SigningKey = ReturnType<typeof createHmacKey>;

/** Every key that may have signed, the given ones first and the likelier mistakes before the others. */
export function readKeys({ given, others, appSecret }: GivenSecrets): Candidate<SigningKey>[] {
	const usable = given.filter(isUsable);
	const varied = usable.filter((secret) => secret.length <= MAX_VARIED_LENGTH);
	const keys: Candidate<Uint8Array>[] = [
		...usable.map((secret) => asGiven(utf8(secret))),
		...varied.flatMap((secret) =>
			[secret.trim(), secret.replace(PADDING, "")]
				.filter((bare) => bare !== "" && bare !== secret)
				.map((bare) => ({ value: utf8(bare), mistakes: [PADDED] })),
		),
		...(isUsable(appSecret) ? [{ value: utf8(appSecret), mistakes: [SIGNED_AS_REQUEST] }] : []),
		...Object.entries(others).flatMap(([name, secret]) => (isUsable(secret) ? [otherKey(name, secret)] : [])),
		...varied.flatMap((secret) => [...decodedSecrets(secret), ...encodedSecrets(secret)]),
	];
	return uniqueBytes(keys.slice(0, MAX_KEYS)).map(({ value, mistakes }) => ({
		value: createHmacKey(value),
		mistakes,
	}));
}

function otherKey(name: string, secret: string): Candidate<Uint8Array> {
	return before(
		utf8(secret),
		"other_secret",
		`The delivery was signed with another secret: "${name}".`,
		`Verify with the secret "${name}" here, or point the sender at the receiver that has it.`,
	);
}

/** The keys of a sender that decodes the secret first. */
function decodedSecrets(secret: string): Candidate<Uint8Array>[] {
	const decoded = (bytes: Uint8Array | undefined, form: string) =>
		bytes === undefined || bytes.length === 0
			? []
			: [
					before(
						bytes,
						"secret_encoded",
						`The delivery was signed with the bytes that the secret encodes in ${form}, not with the undecoded secret.`,
						"Let the sender use the undecoded secret as the key, as this package does, or pass the decoded secret if it is a string.",
					),
				];
	return [
		...decoded(decodeHex(secret, secret.length / 2), "hex"),
		...decoded(decodeBase64(secret), "base64"),
		...decoded(decodeBase64(secret.replace(/^[a-z]{2,10}_/, "")), "base64"),
	];
}

/** The keys of a sender that uses the encoded secret, if the receiver decoded it. */
function encodedSecrets(secret: string): Candidate<Uint8Array>[] {
	const encoded = (original: string, form: string) =>
		before(
			utf8(original),
			"secret_decoded",
			`The delivery was signed with the secret in ${form}, which was decoded before it came here.`,
			"Pass the secret exactly as the account dashboard shows it, without decoding it.",
		);
	const bytes = [utf8(secret), fromSingleBytes(secret)].filter((one) => one !== undefined);
	return bytes.flatMap((one) => {
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
