import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { findBuiltin, type NativeCrypto } from "../../../../src/library/host.ts";
import { toHex } from "../../../../src/library/runtime.ts";
import {
	constantTimeEqual,
	constantTimeEqualHex,
	decodeHex,
	utf8,
} from "../../../../src/library/signing/bytes.ts";
import { chooseNative, DIGEST_BYTES } from "../../../../src/library/signing/hash.ts";
import { nobleHashing } from "../../../../src/library/signing/hash-noble.ts";
import type { Hashing } from "../../../../src/library/signing/hashing.ts";
import { hmacSha256, sha256 } from "../../../support/node-crypto.ts";
import { throwing } from "../../../support/throwing.ts";
import rfc4231 from "../../../vectors/rfc4231.json" with { type: "json" };

const bytes = fc.uint8Array({ maxLength: 300 });
/** Keys of ASCII, as most secrets are, and of any bytes. */
const keyBytes = fc.oneof(bytes, fc.string({ maxLength: 80 }).map(utf8));
/** Bytes, or any string: a string stands for its UTF-8, with U+FFFD for half of a surrogate pair. */
const part = fc.oneof(
	bytes,
	fc.string({ unit: "binary", maxLength: 100 }),
	fc.constantFrom("\ud800", "a\udc00"),
);

describe.each([
	["the runtime's own", requireNative()],
	["noble's", nobleHashing],
])("HMAC-SHA-256, %s", (_title, { createHmacKey, sha256Hex }) => {
	test.each(rfc4231.tests)("RFC 4231, test case $case", ({ key, msg, tag }) => {
		const signature = toHex(createHmacKey(Buffer.from(key, "hex")).sign(Buffer.from(msg, "hex")));
		expect(signature).toHaveLength(DIGEST_BYTES * 2);
		// Case 5 states the first 128 bits only.
		expect(signature.slice(0, tag.length)).toBe(tag);
	});

	test("any key and message give what node:crypto gives, however the message is cut into parts", () => {
		fc.assert(
			fc.property(keyBytes, fc.array(part, { maxLength: 4 }), (key, parts) => {
				const expected = hmacSha256(key, ...parts);
				expect(createHmacKey(key).signHex(...parts)).toBe(expected);
				expect(toHex(createHmacKey(key).sign(...parts))).toBe(expected);
			}),
		);
	});

	test("messages of every length around a block, and around what is copied into one piece", () => {
		const key = createHmacKey(utf8("secret"));
		const lengths = [0, 1, 63, 64, 65, 2_730, 2_731, 8_191, 8_192, 8_193, 100_000];
		for (const length of lengths) {
			const bytes = Uint8Array.from({ length }, (_, at) => at);
			expect(key.signHex("1767225600.", bytes)).toBe(hmacSha256("secret", "1767225600.", bytes));
			for (const text of ["é".repeat(length), "€".repeat(length)]) {
				expect(key.signHex(text, "x")).toBe(hmacSha256("secret", text, "x"));
			}
		}
	});

	test.each(["secret", "gehéim"])(
		"the halves of a surrogate pair in two strings stay halves, key %s",
		(secret) => {
			const parts = ["a\ud83d", "\ude02b"];
			expect(createHmacKey(utf8(secret)).signHex(...parts)).toBe(hmacSha256(secret, ...parts));
		},
	);

	test("two keys in turn, and keys of a block and more", () => {
		const secrets = [1, 63, 64, 65, 200].map((length) => "k".repeat(length));
		const keys = secrets.map((secret) => createHmacKey(utf8(secret)));
		for (const message of ["a", "b"]) {
			expect(keys.map((key) => key.signHex(message))).toEqual(
				secrets.map((secret) => hmacSha256(secret, message)),
			);
		}
	});

	test("a signature that was handed out does not change with the next one, nor does its message's", () => {
		const key = createHmacKey(utf8("secret"));
		const first = key.sign("a");
		const copy = first.slice();
		key.sign("b");
		expect(first).toEqual(copy);
		expect(key.sign("a")).toEqual(copy);
	});

	test("the SHA-256 of any bytes is what node:crypto gives", () => {
		fc.assert(
			fc.property(fc.uint8Array({ maxLength: 5_000 }), (message) => {
				expect(sha256Hex(message)).toBe(sha256(message));
			}),
		);
	});

	test("the SHA-256 of the empty message and of abc (FIPS 180-4 examples)", () => {
		expect(sha256Hex(utf8(""))).toBe("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
		expect(sha256Hex(utf8("abc"))).toBe("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	});
});

describe("choosing", () => {
	const { hash, createHash } = findBuiltin<NativeCrypto>("node:crypto") ?? {};
	if (hash === undefined || createHash === undefined) throw new Error("Node has its own hashing");
	const crypto: NativeCrypto = { hash, createHash };
	const wrong: [title: string, native: NativeCrypto][] = [
		["computes something else", { ...crypto, hash: () => "00".repeat(32) }],
		[
			"computes something else of long messages",
			{ ...crypto, createHash: () => ({ update: () => undefined, digest: () => "00".repeat(32) }) },
		],
		[
			"throws",
			{
				...crypto,
				hash: throwing(new Error("not implemented")),
			},
		],
	];

	test("the runtime's own hashing is chosen if it is right", () => {
		expect(chooseNative(crypto)).toBeDefined();
	});

	test.each([undefined, {}, { hash }, { createHash }])(
		"a runtime without it, or with a part of it, has none: %o",
		(native) => {
			expect(chooseNative(native)).toBeUndefined();
		},
	);

	test.each(wrong)("one that %s is not", (_title, native) => {
		expect(chooseNative(native)).toBeUndefined();
	});
});

describe("hex", () => {
	test("any bytes come back from hex of either case", () => {
		fc.assert(
			fc.property(bytes, (data) => {
				expect(toHex(data)).toBe(Buffer.from(data).toString("hex"));
				expect(decodeHex(toHex(data), data.length)).toEqual(data);
				expect(decodeHex(toHex(data).toUpperCase(), data.length)).toEqual(data);
			}),
		);
	});

	test.each([
		["a digit too few", "abc", 2],
		["a digit too many", "abcde", 2],
		["another length", "abcd", 3],
		["nothing where a byte is expected", "", 1],
		["a letter beyond f", "abcg", 2],
		["a space", "ab d", 2],
		["a newline at the end", "abc\n", 2],
		["a sign, which parseInt would accept", "+1-1", 2],
		["a prefix, which parseInt would accept", "0x0f", 2],
		["full-width digits", "\uff11\uff12\uff13\uff14", 2],
	])("%s is not hex", (_title, text, length) => {
		expect(decodeHex(text, length)).toBeUndefined();
	});
});

describe("constantTimeEqual", () => {
	test("agrees with a plain comparison of any bytes", () => {
		fc.assert(
			fc.property(bytes, bytes, (left, right) => {
				expect(constantTimeEqual(left, right)).toBe(Buffer.compare(left, right) === 0);
				expect(constantTimeEqual(left, left.slice())).toBe(true);
			}),
		);
	});

	test("one changed bit anywhere is seen", () => {
		const data = Uint8Array.from({ length: DIGEST_BYTES }, (_, at) => at * 7);
		for (let bit = 0; bit < DIGEST_BYTES * 8; bit++) {
			const changed = data.slice();
			changed[bit >> 3] = (data[bit >> 3] ?? 0) ^ (1 << (bit & 7));
			expect(constantTimeEqual(data, changed)).toBe(false);
		}
	});

	test("a prefix is not equal, in either order", () => {
		const data = Uint8Array.of(1, 2, 0);
		expect(constantTimeEqual(data, data.subarray(0, 2))).toBe(false);
		expect(constantTimeEqual(data.subarray(0, 2), data)).toBe(false);
	});
});

describe("constantTimeEqualHex", () => {
	test("hex of either case equals that of the same bytes, and no other", () => {
		fc.assert(
			fc.property(bytes, bytes, (left, right) => {
				expect(constantTimeEqualHex(toHex(left), toHex(left).toUpperCase())).toBe(true);
				expect(constantTimeEqualHex(toHex(left), toHex(right))).toBe(Buffer.compare(left, right) === 0);
			}),
		);
	});

	test.each([
		["a digit too few", "ff0"],
		["a digit too many", "ff000"],
		["a letter beyond f", "fg00"],
		["a sign", "ff+0"],
		["a letter beyond ASCII", "ff0é"],
		["full-width digits", "ff\uff10\uff10"],
		["characters of which a byte is the right digit", "ff\u0130\u0130"],
	])("%s is not equal", (_title, hex) => {
		expect(constantTimeEqualHex("ff00", hex)).toBe(false);
	});
});

function requireNative(): Hashing {
	const native = chooseNative(findBuiltin("node:crypto"));
	if (native === undefined) throw new Error("this runtime has no hashing of its own");
	return native;
}
