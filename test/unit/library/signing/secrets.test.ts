import { runInNewContext } from "node:vm";
import { signRequest, verifyRequest } from "messaging-gateway/signing";
import { signWebhook, verifySignature } from "messaging-gateway/webhooks";
import { describe, expect, test } from "vitest";
import { copySecret, type SecretEncoding } from "../../../../src/library/signing/decode-secret.ts";
import { describeSecretProblem, hmacKeyOf, readSecretBytes } from "../../../../src/library/signing/hash.ts";
import { catchError } from "../../../support/catch-error.ts";
import { hmacSha256 } from "../../../support/node-crypto.ts";
import { type Outcomes, testOutcomes } from "../../../support/outcomes.ts";
import { NONCE, SIGNED_AT, verifierOptions } from "../../../support/signed-request.ts";

const KEY = Buffer.from("00ff7e3f112233445566778899aabbccfbefbe", "hex");
const HEX = KEY.toString("hex");
const BASE64 = KEY.toString("base64");

/** What stands for a key: a text, whose encoding a profile has, or bytes. */
type Secret = readonly [secret: unknown, encoding?: SecretEncoding];

/** The key in hex, which signs, the second time too; or what makes the secret unusable. */
function keyOf([secret, encoding]: Secret): string {
	const read = readSecretBytes(secret, encoding);
	const problem = typeof read === "string" ? read : undefined;
	expect(describeSecretProblem(secret, encoding)).toBe(problem);
	const sign = () => hmacKeyOf(secret, (text) => new RangeError(text), encoding).signHex("x");
	if (typeof read === "string") {
		expect(sign).toThrow(new RangeError(read));
		return read;
	}
	expect([sign(), sign()]).toEqual(Array(2).fill(hmacSha256(read, "x")));
	return Buffer.from(read).toString("hex");
}

const IS_CLEARED = "is empty, or all its bytes are 0: it was cleared";
const IS_NOT_BASE64 = "isn't base64, its encoding in the profile:";
const HAS_SPACE = "has whitespace or an invisible character around it: remove it";
const HAS_BREAK = "has a line break in it: remove it";

const SECRETS: Outcomes<Secret> = {
	[HEX]: {
		hex: [HEX, "hex"],
		"hex in upper case": [HEX.toUpperCase(), "hex"],
		base64: [BASE64, "base64"],
		"base64 without its padding": [BASE64.replace(/=+$/, ""), "base64"],
		base64url: [KEY.toString("base64url"), "base64"],
		"base64url with padding": [BASE64.replaceAll("+", "-").replaceAll("/", "_"), "base64"],
		standardwebhooks: [`whsec_${BASE64}`, "prefixed_base64"],
		"another prefix": [`Sk1_${KEY.toString("base64url")}`, "prefixed_base64"],
		bytes: [KEY, "text"],
	},
	[Buffer.from(HEX).toString("hex")]: { "bytes, which are never decoded": [Buffer.from(HEX), "hex"] },
	"7e3f": { "a part of a buffer": [KEY.subarray(2, 4), "base64"] },
	"0102": { "bytes of another realm": [runInNewContext("Uint8Array.of(1, 2)"), "text"] },
	ff: { "base64 of one byte": ["/w==", "base64"], "base64 with a part of its padding": ["/w=", "base64"] },
	ffff: { "base64 of two bytes": ["//8=", "base64"] },
	ffffff: { "base64 of three bytes": ["____", "base64"] },
	"676568c3a9696d": { "a text beyond ASCII": ["gehéim", "text"], "a text by default": ["gehéim"] },
	"30306666": { "a text that looks like hex": ["00ff", "text"] },
	"73": { "a text of one character": ["s"] },
	"30": { "the text 0": ["0"] },
	"6120622063": { "a text with spaces inside": ["a b c"] },
	"6e756c6c32": { "a text that begins like null": ["null2"] },
	[IS_CLEARED]: {
		"no bytes": [new Uint8Array()],
		"cleared bytes": [new Uint8Array(32)],
		"zeros in hex": ["0000", "hex"],
		"a prefix alone": ["whsec_", "prefixed_base64"],
	},
	"must be a string or bytes, got object": {
		"other numbers": [Float64Array.of(1)],
		"a list of bytes": [[1, 2]],
	},
	"must be a string or bytes, got number": { "a number": [53_531] },
	"is missing": { undefined: [undefined, "hex"], null: [null] },
	"is empty": {
		"an empty text": [""],
		"a space": [" "],
		"a zero-width space": ["\u200b"],
		"a byte order mark, a word joiner and a newline": ["\ufeff\u2060\n"],
	},
	'is the string "undefined": set the variable it comes from': { "the text undefined": ["undefined"] },
	'is the string "null": set the variable it comes from': { "the text null": ["null"] },
	[HAS_SPACE]: {
		...Object.fromEntries(
			[" s", "\ufeffs", "s\u200b", "\u2060s", "s\u200f", "\u00ads"].map((text) => [
				`the text ${JSON.stringify(text)}`,
				[text],
			]),
		),
	},
	[HAS_BREAK]: { "hex before a newline": [`${HEX}\n`, "hex"], "a text before a newline": ["s\n"] },
	"isn't well-formed Unicode": { "half of a surrogate pair": ["s3cr3t\ud800"] },
	"has quotes around it: remove them": {
		"base64 in quotes": [`"${BASE64}"`, "base64"],
		"hex in quotes": [`"${HEX}"`, "hex"],
		"hex in single quotes": [`'${HEX}'`, "hex"],
		"hex in backticks": [`\`${HEX}\``, "hex"],
	},
	"isn't hex, its encoding in the profile: it has a character that is no hex digit": {
		"hex with another letter": [`${HEX.slice(1)}g`, "hex"],
		"hex with a prefix": [`0x${HEX}`, "hex"],
	},
	"isn't hex, its encoding in the profile: its end is missing or changed": {
		"hex without a digit": [HEX.slice(1), "hex"],
	},
	[`${IS_NOT_BASE64} it has another character, or a prefix such as whsec_`]: {
		"base64 with a space": [`${BASE64.slice(0, 8)} ${BASE64.slice(8)}`, "base64"],
		"both alphabets": ["ab+_", "base64"],
		"a prefix with what could be base64url": ["whsec_YWJjYWJjYW", "base64"],
		"a prefix with base64": [`whsec_${BASE64}`, "base64"],
		"padding inside": ["YQ==YQ==", "base64"],
	},
	[`${IS_NOT_BASE64} it has quotes in it`]: { "base64 before a quote": [`${BASE64}"`, "base64"] },
	"isn't hex, its encoding in the profile: it has quotes in it": {
		"hex before a quote": [`${HEX}"`, "hex"],
		"hex before a single quote": [`${HEX}'`, "hex"],
		"hex before a backtick": [`${HEX}\``, "hex"],
	},
	[`${IS_NOT_BASE64} its end is missing or changed`]: {
		"a digit alone": ["YWJjZ", "base64"],
		"another last digit": ["YR==", "base64"],
		"another last digit of two bytes": ["YWJ", "base64"],
	},
	"isn't prefixed_base64, its encoding in the profile: it has another character, or no prefix such as whsec_":
		{
			"no prefix": [BASE64, "prefixed_base64"],
		},
	"isn't HEX, its encoding in the profile: there is no such encoding": {
		"an unknown encoding": [HEX, "HEX" as SecretEncoding],
	},
};

testOutcomes(SECRETS, keyOf);

test("base64 of any length is what Buffer decodes", () => {
	for (let length = 1; length < 70; length++) {
		const bytes = Buffer.from(Array.from({ length }, (_, at) => (at * 89 + length) & 0xff));
		expect(keyOf([bytes.toString("base64"), "base64"])).toBe(bytes.toString("hex"));
	}
});

test("one text has a key for each encoding", () => {
	const keys = (["text", "hex", "base64"] as const).map((encoding) => keyOf(["abcdef012345", encoding]));
	expect(new Set(keys).size).toBe(3);
});

test("more secrets than are kept ready still sign rightly, old ones too", () => {
	const secrets = Array.from({ length: 200 }, (_, at) => `secret-${at}`);
	for (const secret of [...secrets, ...secrets]) {
		expect(hmacKeyOf(secret, Error).signHex("message")).toBe(hmacSha256(secret, "message"));
	}
});

describe("a copy", () => {
	test.each([
		["bytes", Uint8Array.of(1, 2)],
		["a Buffer, whose slice shares its memory", Buffer.from([1, 2])],
		["a part of a buffer", Buffer.from([0, 1, 2]).subarray(1)],
	])("doesn't change with the original: %s", (_title, bytes) => {
		const copy = copySecret(bytes);
		bytes.fill(0);
		expect(copy).toEqual(Uint8Array.of(1, 2));
	});

	test("of anything else is the same, and a detached buffer stays unusable", () => {
		const find = () => "secret";
		expect([copySecret("a"), copySecret(find), copySecret(undefined)]).toEqual(["a", find, undefined]);
		const detached = new Uint8Array(8).fill(1);
		structuredClone(detached, { transfer: [detached.buffer] });
		expect(describeSecretProblem(copySecret(detached))).toMatch(/^is empty/);
	});
});

describe("the signer and the verifier", () => {
	const request = { method: "GET", url: "/x", appId: "app-1", timestamp: SIGNED_AT, nonce: NONCE };
	const toSign = signRequest({ ...request, appSecret: "any" }).stringToSign;

	test.each<[secret: string | Uint8Array, encoding: SecretEncoding]>([
		[KEY, "hex"],
		[HEX, "hex"],
		[BASE64, "base64"],
		[`whsec_${BASE64}`, "prefixed_base64"],
	])("agree on a request: %#", async (secret, encoding) => {
		const profile = { signing: { secret: encoding } };
		const { headers, signature } = signRequest({ ...request, appSecret: secret, profile });
		expect(signature).toBe(hmacSha256(KEY, toSign));
		const received = { method: "GET", url: "/x", headers: new Headers({ ...headers }) };
		const options = verifierOptions({ secretFor: () => secret, profile });
		expect(await verifyRequest(received, options)).toMatchObject({ nonce: NONCE });
	});

	test.each<[secret: string | Uint8Array, encoding: SecretEncoding]>([
		[KEY, "base64"],
		[HEX, "hex"],
		[BASE64, "base64"],
		[`whsec_${BASE64}`, "prefixed_base64"],
	])("agree on a webhook, among several secrets: %#", (secret, encoding) => {
		// The App Secret's encoding is another one.
		const profile = { events: { secret: encoding }, signing: { secret: "text" } } as const;
		const timestamp = SIGNED_AT / 1000;
		const headers = signWebhook({ body: "{}", secret, timestamp, profile });
		expect(headers["X-SVC-Signature"]).toBe(`v1=${hmacSha256(KEY, `${timestamp}.{}`)}`);
		const clock = { now: () => SIGNED_AT };
		for (const given of [secret, [Uint8Array.of(1), secret]]) {
			expect(verifySignature({ body: "{}", headers }, { secret: given, clock, profile }).body).toBe("{}");
		}
		const wrong = { secret: Uint8Array.of(1), clock, profile };
		expect(catchError(() => verifySignature({ body: "{}", headers }, wrong))).toMatchObject({
			code: "signature_mismatch",
		});
	});

	test("sign with the bytes as they are now", () => {
		const bytes = Uint8Array.of(1, 2, 3);
		const sign = () => signRequest({ ...request, appSecret: bytes }).signature;
		const first = sign();
		bytes.fill(9);
		expect(sign()).toBe(hmacSha256(Uint8Array.of(9, 9, 9), toSign));
		expect(sign()).not.toBe(first);
	});
});
