import {
	ConfigurationError,
	hashBody,
	type SigningProfile,
	type SignRequestInput,
	signRequest,
	verifyRequest,
} from "messaging-gateway/signing";
import { describe, expect, test } from "vitest";
import { catchError } from "../../../support/catch-error.ts";
import { EMPTY_HASH, hmacSha256, sha256 } from "../../../support/node-crypto.ts";
import { APP_SECRET, NONCE, SIGNED_AT, verifierOptions } from "../../../support/signed-request.ts";

const credentials = { appId: "app-1", appSecret: APP_SECRET };

function sign(changes: Partial<SignRequestInput>) {
	const stamps = { timestamp: SIGNED_AT, nonce: NONCE };
	return signRequest({ method: "GET", url: "/health", ...credentials, ...stamps, ...changes });
}

describe("literal vectors (specification, section 5.1)", () => {
	test("a GET without a body", () => {
		expect(sign({ url: "https://gateway.example/mapping/%2B15551234567" })).toEqual({
			method: "GET",
			headers: {
				"X-App-Id": "app-1",
				"X-Timestamp": "1767225600000",
				"X-Nonce": "3f1c9a52-8d0e-4b7a-9c63-5e2d71f0a4b8",
				Authorization: "HMAC c1bbb4758805cd8170cd473f59eb008ed3442708291edf4c0923b7313a7a47a1",
			},
			body: undefined,
			bodyHash: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
			stringToSign:
				"GET\n/mapping/%2B15551234567\n" +
				"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855\n" +
				"1767225600000\n3f1c9a52-8d0e-4b7a-9c63-5e2d71f0a4b8",
			signature: "c1bbb4758805cd8170cd473f59eb008ed3442708291edf4c0923b7313a7a47a1",
			appId: "app-1",
			timestamp: 1767225600000,
			nonce: "3f1c9a52-8d0e-4b7a-9c63-5e2d71f0a4b8",
		});
	});

	test("a POST with a body", () => {
		const body = { to: "+15551234567", text: "Hello" };
		expect(sign({ method: "POST", url: "https://gateway.example/message/text", body })).toMatchObject({
			headers: {
				Authorization: "HMAC e54aef772c1f2134bf4d52bc97c3534245d3bbff77316a0b28f6cec8e6ba4000",
				"Content-Type": "application/json",
			},
			body: new TextEncoder().encode('{"text":"Hello","to":"+15551234567"}'),
			bodyHash: "16e992ff187c9f1f739d52786ebffec17c159f9b1a293bea58d51d7cbf871339",
			signature: "e54aef772c1f2134bf4d52bc97c3534245d3bbff77316a0b28f6cec8e6ba4000",
		});
	});
});

describe("what is signed, and valid, against node:crypto", () => {
	const url = "https://gateway.example/api/mapping/%2B1%20555%2F%C3%AB?limit=5&cursor=a%2Fb";
	const path = "/mapping/%2B1%20555%2F%C3%AB";
	const query = "?limit=5&cursor=a%2Fb";
	const basePath = "/api";
	const post = { method: "POST", url: "/x" };
	const body = { b: 1, a: { d: "é", c: [] } };
	const by = (signing: SigningProfile) => ({ profile: { signing } });
	const names: SigningProfile["canonicalBody"] = (value) => JSON.stringify(Object.keys(Object(value)));

	/** The first two lines to sign, by hand; what is sent, if there is a body; what is hashed, if that is not sent. */
	type Vector = [
		title: string,
		input: Partial<SignRequestInput>,
		lines: string,
		sent?: string | undefined,
		hashed?: string,
	];

	test.each<Vector>([
		["a bare path", { url: "/queue/status" }, "GET\n/queue/status"],
		["a URL object", { url: new URL(url) }, `GET\n/api${path}`],
		["a method in lower case is signed in upper case", { method: "delete", url: "/x" }, "DELETE\n/x"],
		["the root path", { url: "https://gateway.example" }, "GET\n/"],
		["a raw plus stays a plus", { url: "/mapping/+1555" }, "GET\n/mapping/+1555"],
		["what the request line escapes is escaped", { url: "/é x" }, "GET\n/%C3%A9%20x"],
		["a path that starts with two slashes keeps all its segments", { url: "//a/b" }, "GET\n//a/b"],
		["a fragment is never signed", { url: "/x#part" }, "GET\n/x"],
		["a query is left out", { url }, `GET\n/api${path}`],
		["a query is included", { url, ...by({ query: "included" }) }, `GET\n/api${path}${query}`],
		["a base path is part of the path", { url, basePath }, `GET\n/api${path}`],
		[
			"a base path is left out",
			{ url, basePath: "/api/", ...by({ path: "without_base_path" }) },
			`GET\n${path}`,
		],
		[
			"a base path is left out, and the query included",
			{ url, basePath, ...by({ path: "without_base_path", query: "included" }) },
			`GET\n${path}${query}`,
		],
		[
			"only whole segments are a base path",
			{ url: "/apiary/x", basePath, ...by({ path: "without_base_path" }) },
			"GET\n/apiary/x",
		],
		["a path is decoded", { url, ...by({ path: "decoded" }) }, "GET\n/api/mapping/+1 555/ë"],
		[
			"a path is decoded without its base",
			{ url, basePath, ...by({ path: "decoded_without_base_path" }) },
			"GET\n/mapping/+1 555/ë",
		],
		[
			"no body is hashed as {}, and not sent",
			by({ emptyBody: "empty_object" }),
			"GET\n/health",
			undefined,
			"{}",
		],
		["an empty object is a body", { ...post, body: {} }, "POST\n/x", "{}"],
		["null is a body", { ...post, body: null }, "POST\n/x", "null"],
		["a body on a GET is signed too (section 4.1)", { body: {} }, "GET\n/health", "{}"],
		["strings are hashed as UTF-8", { ...post, body: "Grüße 😂 \u2028" }, "POST\n/x", '"Grüße 😂 \u2028"'],
		["keys are sorted", { ...post, body }, "POST\n/x", '{"a":{"c":[],"d":"é"},"b":1}'],
		[
			"keys keep their order with canonicalBody json",
			{ ...post, body, ...by({ canonicalBody: "json" }) },
			"POST\n/x",
			'{"b":1,"a":{"d":"é","c":[]}}',
		],
		[
			"a function of the profile writes the body",
			{ ...post, body: ["a"], ...by({ canonicalBody: names }) },
			"POST\n/x",
			'["0"]',
		],
	])("%s", async (_title, input, lines, sent, hashed = sent ?? "") => {
		const signed = sign(input);
		const expected = `${lines}\n${sha256(hashed)}\n1767225600000\n3f1c9a52-8d0e-4b7a-9c63-5e2d71f0a4b8`;
		expect(signed.stringToSign).toBe(expected);
		expect(signed.method).toBe(lines.split("\n")[0]);
		expect(signed.bodyHash).toBe(sha256(hashed));
		expect(signed.headers.Authorization).toBe(`HMAC ${hmacSha256("app-secret-1", expected)}`);
		expect(signed.headers["Content-Type"]).toBe(sent === undefined ? undefined : "application/json");
		expect(signed.body && Buffer.from(signed.body).toString()).toBe(sent);
		const { url = "/health", basePath, profile } = input;
		const arriving = new URL(String(url).replace(/^\//, "https://gateway.example/"));
		arriving.hash = "";
		const headers = new Headers({ ...signed.headers });
		const request = { method: signed.method, url: arriving, headers, body: signed.body };
		await expect(verifyRequest(request, verifierOptions({ basePath, profile }))).resolves.toBeDefined();
	});

	test("hashBody is the third line on its own", () => {
		expect(hashBody()).toBe(EMPTY_HASH);
		expect(hashBody({ b: 1, a: 2 })).toBe(sha256('{"a":2,"b":1}'));
		expect(hashBody(undefined, by({ emptyBody: "empty_object" }))).toBe(sha256("{}"));
	});

	test("a secret beyond ASCII is used as UTF-8", () => {
		const { signature, stringToSign } = sign({ appSecret: "gehéim😂" });
		expect(signature).toBe(hmacSha256("gehéim😂", stringToSign));
	});
});

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
		[
			"a secret that is not a string",
			{ appSecret: 12345 },
			/^appSecret must be a string or bytes, got number/,
		],
		["an empty secret", { appSecret: "" }, /^appSecret is empty/],
		["a secret of whitespace", { appSecret: " \t\n" }, /^appSecret is empty/],
		["the string undefined as a secret", { appSecret: "undefined" }, /^appSecret is the string "undefined"/],
		["the string null as a secret", { appSecret: "null" }, /^appSecret is the string "null"/],
		["a secret with a space before it", { appSecret: " s3cr3t" }, /^appSecret has whitespace/],
		["a secret with a newline after it", { appSecret: "s3cr3t\n" }, /^appSecret has a line break in it/],
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
