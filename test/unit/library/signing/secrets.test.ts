import { runInNewContext } from "node:vm";
import { signRequest, verifyRequest } from "messaging-gateway/signing";
import { signWebhook, verifySignature } from "messaging-gateway/webhooks";
import { describe, expect, test } from "vitest";
import { copySecret, type SecretEncoding } from "../../../../src/library/signing/decode-secret.ts";
import { describeSecretProblem, hmacKeyOf, readSecretBytes } from "../../../../src/library/signing/hash.ts";
import { catchError } from "../../../support/catch-error.ts";
import { hmacSha256 } from "../../../support/node-crypto.ts";
import { NONCE, SIGNED_AT, verifierOptions } from "../../../support/signed-request.ts";

const KEY = Buffer.from("00ff7e3f112233445566778899aabbccfbefbe", "hex");
const HEX = KEY.toString("hex");
const BASE64 = KEY.toString("base64");

const keyOf = (secret: unknown, encoding?: SecretEncoding) => {
	const read = readSecretBytes(secret, encoding);
	return typeof read === "string" ? read : Buffer.from(read).toString("hex");
};

describe("the key", () => {
	test.each<[title: string, secret: unknown, encoding: SecretEncoding, key: string]>([
		["a text", "gehéim", "text", Buffer.from("gehéim").toString("hex")],
		["a text that looks like hex", "00ff", "text", "30306666"],
		["hex", HEX, "hex", HEX],
		["hex in upper case", HEX.toUpperCase(), "hex", HEX],
		["base64", BASE64, "base64", HEX],
		["base64 without its padding", BASE64.replace(/=+$/, ""), "base64", HEX],
		["base64url", KEY.toString("base64url"), "base64", HEX],
		["base64url with padding", BASE64.replaceAll("+", "-").replaceAll("/", "_"), "base64", HEX],
		["base64 of one byte", "/w==", "base64", "ff"],
		["base64 with a part of its padding", "/w=", "base64", "ff"],
		["base64 of two bytes", "//8=", "base64", "ffff"],
		["base64 of three bytes", "____", "base64", "ffffff"],
		["standardwebhooks", `whsec_${BASE64}`, "prefixed_base64", HEX],
		["another prefix", `Sk1_${KEY.toString("base64url")}`, "prefixed_base64", HEX],
		["bytes", KEY, "text", HEX],
		["bytes, which are never decoded", Buffer.from(HEX), "hex", Buffer.from(HEX).toString("hex")],
		["a part of a buffer", KEY.subarray(2, 4), "base64", "7e3f"],
		["bytes of another realm", runInNewContext("Uint8Array.of(1, 2)"), "text", "0102"],
	])("of %s", (_title, secret, encoding, key) => {
		expect(keyOf(secret, encoding)).toBe(key);
		expect(describeSecretProblem(secret, encoding)).toBeUndefined();
		const expected = hmacSha256(Buffer.from(key, "hex"), "x");
		for (const _ of [1, 2]) {
			expect(hmacKeyOf(secret, (problem) => new Error(problem), encoding).signHex("x")).toBe(expected);
		}
	});

	test("base64 of any length is what Buffer decodes", () => {
		for (let length = 1; length < 70; length++) {
			const bytes = Buffer.from(Array.from({ length }, (_, at) => (at * 89 + length) & 0xff));
			expect(keyOf(bytes.toString("base64"), "base64")).toBe(bytes.toString("hex"));
		}
	});

	test("one text has a key for each encoding", () => {
		const text = "abcdef012345";
		const keys = (["text", "hex", "base64"] as const).map((encoding) =>
			hmacKeyOf(text, (problem) => new Error(problem), encoding).signHex("x"),
		);
		expect(new Set(keys).size).toBe(3);
	});
});

describe("an unusable secret", () => {
	test.each<[title: string, secret: unknown, encoding: SecretEncoding, problem: string]>([
		["no bytes", new Uint8Array(), "text", "is empty, or all its bytes are 0: it was cleared"],
		["cleared bytes", new Uint8Array(32), "text", "is empty, or all its bytes are 0: it was cleared"],
		["zeros in hex", "0000", "hex", "is empty, or all its bytes are 0: it was cleared"],
		["a prefix alone", "whsec_", "prefixed_base64", "is empty, or all its bytes are 0: it was cleared"],
		["other numbers", Float64Array.of(1), "text", "must be a string or bytes, got object"],
		["a list of bytes", [1, 2], "text", "must be a string or bytes, got object"],
		["nothing", undefined, "hex", "is missing"],
		["whitespace around hex", `${HEX}\n`, "hex", "has a line break in it: remove it"],
		["quotes around hex", `"${HEX}"`, "hex", "has quotes around it: remove them"],
		["a quote", `${HEX}"`, "hex", "is not hex, its encoding in the profile: it has quotes in it"],
		[
			"another letter",
			`${HEX.slice(1)}g`,
			"hex",
			"is not hex, its encoding in the profile: it has a character that is no hex digit",
		],
		[
			"a prefix of hex",
			`0x${HEX}`,
			"hex",
			"is not hex, its encoding in the profile: it has a character that is no hex digit",
		],
		[
			"hex without a digit",
			HEX.slice(1),
			"hex",
			"is not hex, its encoding in the profile: its end is missing or changed",
		],
		[
			"base64 with a space",
			`${BASE64.slice(0, 8)} ${BASE64.slice(8)}`,
			"base64",
			"is not base64, its encoding in the profile: it has another character, or a prefix such as whsec_",
		],
		[
			"both alphabets",
			"ab+_",
			"base64",
			"is not base64, its encoding in the profile: it has another character, or a prefix such as whsec_",
		],
		[
			"a prefix with what could be base64url",
			"whsec_YWJjYWJjYW",
			"base64",
			"is not base64, its encoding in the profile: it has another character, or a prefix such as whsec_",
		],
		[
			"padding inside",
			"YQ==YQ==",
			"base64",
			"is not base64, its encoding in the profile: it has another character, or a prefix such as whsec_",
		],
		[
			"a digit alone",
			"YWJjZ",
			"base64",
			"is not base64, its encoding in the profile: its end is missing or changed",
		],
		[
			"another last digit",
			"YR==",
			"base64",
			"is not base64, its encoding in the profile: its end is missing or changed",
		],
		[
			"another last digit of two bytes",
			"YWJ",
			"base64",
			"is not base64, its encoding in the profile: its end is missing or changed",
		],
		[
			"no prefix",
			BASE64,
			"prefixed_base64",
			"is not prefixed_base64, its encoding in the profile: it has another character, or no prefix such as whsec_",
		],
		[
			"a prefix with base64",
			`whsec_${BASE64}`,
			"base64",
			"is not base64, its encoding in the profile: it has another character, or a prefix such as whsec_",
		],
		[
			"an unknown encoding",
			HEX,
			"HEX" as SecretEncoding,
			"is not HEX, its encoding in the profile: there is no such encoding",
		],
	])("%s", (_title, secret, encoding, problem) => {
		expect(describeSecretProblem(secret, encoding)).toBe(problem);
		const error = catchError(() => hmacKeyOf(secret, (text) => new Error(text), encoding));
		expect(error).toMatchObject({ message: problem });
	});
});

describe("a copy", () => {
	test.each([
		["bytes", Uint8Array.of(1, 2)],
		["a Buffer, whose slice shares its memory", Buffer.from([1, 2])],
		["a part of a buffer", Buffer.from([0, 1, 2]).subarray(1)],
	])("does not change with the original: %s", (_title, bytes) => {
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
