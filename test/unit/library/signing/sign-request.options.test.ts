import { ConfigurationError, signRequest } from "messaging-gateway/signing";
import { describe, expect, test } from "vitest";
import { catchError } from "../../../support/catch-error.ts";

const usable = {
	method: "GET",
	url: "/health",
	appId: "app-1",
	appSecret: "app-secret-1",
	timestamp: 1767225600000,
	nonce: "3f1c9a52-8d0e-4b7a-9c63-5e2d71f0a4b8",
};

describe("defaults", () => {
	test("every call has the current timestamp and its own UUID", () => {
		const before = Date.now();
		const [first, second] = [0, 1].map(
			() => signRequest({ method: "GET", url: "/x", appId: "app-1", appSecret: "app-secret-1" }).headers,
		);
		const after = Date.now();
		expect(first?.["X-Nonce"]).toMatch(
			/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
		);
		expect(first?.["X-Nonce"]).not.toBe(second?.["X-Nonce"]);
		expect(Number(first?.["X-Timestamp"])).toBeGreaterThanOrEqual(before);
		expect(Number(first?.["X-Timestamp"])).toBeLessThanOrEqual(after);
	});
});

describe("unusable options", () => {
	test.each<[title: string, changes: Record<string, unknown>, message: RegExp]>([
		["a secret that is undefined", { appSecret: undefined }, /^appSecret is missing/],
		["a secret that is null", { appSecret: null }, /^appSecret is missing/],
		["a secret that is not a string", { appSecret: 12345 }, /^appSecret must be a string, got number/],
		["an empty secret", { appSecret: "" }, /^appSecret is empty/],
		["a secret of whitespace", { appSecret: " \t\n" }, /^appSecret is empty/],
		["the string undefined as a secret", { appSecret: "undefined" }, /^appSecret is the string "undefined"/],
		["the string null as a secret", { appSecret: "null" }, /^appSecret is the string "null"/],
		["a secret with a space before it", { appSecret: " s3cr3t" }, /^appSecret has whitespace/],
		["a secret with a newline after it", { appSecret: "s3cr3t\n" }, /^appSecret has whitespace/],
		["a secret with half a surrogate pair", { appSecret: "s3cr3t\ud83d" }, /^appSecret is not well-formed/],
		["an app id that is undefined", { appId: undefined }, /^appId must be/],
		["an empty app id", { appId: "" }, /^appId must be/],
		["an app id with a space", { appId: "a b" }, /^appId must be/],
		["an app id with a line break", { appId: "a\r\nX-Evil: 1" }, /^appId must be/],
		["an app id beyond ASCII", { appId: "é" }, /^appId must be/],
		["an app id of 257 characters", { appId: "a".repeat(257) }, /^appId must be/],
		["an empty nonce", { nonce: "" }, /^nonce must be/],
		["a nonce with a newline", { nonce: "a\nb" }, /^nonce must be/],
		["a nonce that is not a string", { nonce: 5 }, /^nonce must be/],
		["a timestamp that is NaN", { timestamp: Number.NaN }, /^timestamp must be/],
		["a timestamp that is infinite", { timestamp: Number.POSITIVE_INFINITY }, /^timestamp must be/],
		["a negative timestamp", { timestamp: -1 }, /^timestamp must be/],
		["a timestamp with a fraction", { timestamp: 1.5 }, /^timestamp must be/],
		["a timestamp beyond the safe integers", { timestamp: 2 ** 53 }, /^timestamp must be/],
		["a timestamp that is a string", { timestamp: "1767225600000" }, /^timestamp must be/],
	])("%s is a ConfigurationError that does not quote it", (_title, changes, message) => {
		const error = catchError(() => signRequest({ ...usable, ...changes })) as Error;
		expect(error).toBeInstanceOf(ConfigurationError);
		expect(error.message).toMatch(message);
		expect(error.message).not.toContain("s3cr3t");
	});
});
