import { hashBody, type SignRequestInput, signRequest } from "messaging-gateway/signing";
import { describe, expect, test } from "vitest";
import { EMPTY_HASH, hmacSha256, sha256 } from "../../../support/node-crypto.ts";

const timestamp = 1767225600000;
const nonce = "3f1c9a52-8d0e-4b7a-9c63-5e2d71f0a4b8";
const appSecret = "app-secret-1";
const base = { method: "GET", url: "/health", appId: "app-1", appSecret, timestamp, nonce };

function sign(changes: Partial<SignRequestInput>) {
	return signRequest({ ...base, ...changes });
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
		const signed = sign({ method: "POST", url: "https://gateway.example/message/text", body });
		expect(signed).toEqual({
			method: "POST",
			headers: {
				"X-App-Id": "app-1",
				"X-Timestamp": "1767225600000",
				"X-Nonce": "3f1c9a52-8d0e-4b7a-9c63-5e2d71f0a4b8",
				Authorization: "HMAC e54aef772c1f2134bf4d52bc97c3534245d3bbff77316a0b28f6cec8e6ba4000",
				"Content-Type": "application/json",
			},
			body: new TextEncoder().encode('{"text":"Hello","to":"+15551234567"}'),
			bodyHash: "16e992ff187c9f1f739d52786ebffec17c159f9b1a293bea58d51d7cbf871339",
			stringToSign:
				"POST\n/message/text\n" +
				"16e992ff187c9f1f739d52786ebffec17c159f9b1a293bea58d51d7cbf871339\n" +
				"1767225600000\n3f1c9a52-8d0e-4b7a-9c63-5e2d71f0a4b8",
			signature: "e54aef772c1f2134bf4d52bc97c3534245d3bbff77316a0b28f6cec8e6ba4000",
			appId: "app-1",
			timestamp: 1767225600000,
			nonce: "3f1c9a52-8d0e-4b7a-9c63-5e2d71f0a4b8",
		});
	});
});

interface Vector {
	title: string;
	input: Partial<SignRequestInput>;
	/** The first two lines of the string to sign. */
	lines: string;
	/** The string that is hashed, written by hand; none if there is no body. */
	hashed: string;
	/** The string that is sent; `undefined` for a request without a body. */
	sent: string | undefined;
}

describe("what is signed, against node:crypto", () => {
	const url = "https://gateway.example/api/mapping/%2B15551234567?limit=5&cursor=a%2Fb";
	const post = { method: "POST", url: "/x" };
	const body = { b: 1, a: { d: "é", c: [] } };

	test.each<Vector>([
		{
			title: "a bare path",
			input: { url: "/queue/status" },
			lines: "GET\n/queue/status",
			hashed: "",
			sent: undefined,
		},
		{
			title: "a URL object",
			input: { url: new URL(url) },
			lines: "GET\n/api/mapping/%2B15551234567",
			hashed: "",
			sent: undefined,
		},
		{
			title: "a method in lower case is signed in upper case",
			input: { method: "delete", url: "/x" },
			lines: "DELETE\n/x",
			hashed: "",
			sent: undefined,
		},
		{
			title: "the root path",
			input: { url: "https://gateway.example" },
			lines: "GET\n/",
			hashed: "",
			sent: undefined,
		},
		{
			title: "a raw plus stays a plus",
			input: { url: "/mapping/+1555" },
			lines: "GET\n/mapping/+1555",
			hashed: "",
			sent: undefined,
		},
		{
			title: "an unescaped letter is signed as the request line carries it",
			input: { url: "/é x" },
			lines: "GET\n/%C3%A9%20x",
			hashed: "",
			sent: undefined,
		},
		{
			title: "a path that starts with two slashes keeps all its segments",
			input: { url: "//a/b" },
			lines: "GET\n//a/b",
			hashed: "",
			sent: undefined,
		},
		{
			title: "a fragment is never signed",
			input: { url: "/x#part" },
			lines: "GET\n/x",
			hashed: "",
			sent: undefined,
		},
		{
			title: "a query is left out",
			input: { url },
			lines: "GET\n/api/mapping/%2B15551234567",
			hashed: "",
			sent: undefined,
		},
		{
			title: "a query is included if the profile sets it",
			input: { url, profile: { signing: { query: "included" } } },
			lines: "GET\n/api/mapping/%2B15551234567?limit=5&cursor=a%2Fb",
			hashed: "",
			sent: undefined,
		},
		{
			title: "a base path is part of the path",
			input: { url, basePath: "/api" },
			lines: "GET\n/api/mapping/%2B15551234567",
			hashed: "",
			sent: undefined,
		},
		{
			title: "a base path is left out if the profile sets it",
			input: { url, basePath: "/api/", profile: { signing: { path: "without_base_path" } } },
			lines: "GET\n/mapping/%2B15551234567",
			hashed: "",
			sent: undefined,
		},
		{
			title: "a base path and the query together",
			input: {
				url,
				basePath: "/api",
				profile: { signing: { path: "without_base_path", query: "included" } },
			},
			lines: "GET\n/mapping/%2B15551234567?limit=5&cursor=a%2Fb",
			hashed: "",
			sent: undefined,
		},
		{
			title: "only whole segments are a base path",
			input: { url: "/apiary/x", basePath: "/api", profile: { signing: { path: "without_base_path" } } },
			lines: "GET\n/apiary/x",
			hashed: "",
			sent: undefined,
		},
		{
			title: "no body is hashed as {} if the profile sets it, and still nothing is sent",
			input: { profile: { signing: { emptyBody: "empty_object" } } },
			lines: "GET\n/health",
			hashed: "{}",
			sent: undefined,
		},
		{
			title: "an empty object is a body",
			input: { ...post, body: {} },
			lines: "POST\n/x",
			hashed: "{}",
			sent: "{}",
		},
		{
			title: "null is a body",
			input: { ...post, body: null },
			lines: "POST\n/x",
			hashed: "null",
			sent: "null",
		},
		{
			title: "a body on a GET is signed too",
			input: { body: {} },
			lines: "GET\n/health",
			hashed: "{}",
			sent: "{}",
		},
		{
			title: "strings beyond ASCII are hashed as UTF-8",
			input: { ...post, body: { text: "Grüße 😂 \u2028" } },
			lines: "POST\n/x",
			hashed: '{"text":"Grüße 😂 \u2028"}',
			sent: '{"text":"Grüße 😂 \u2028"}',
		},
		{
			title: "keys are sorted",
			input: { ...post, body },
			lines: "POST\n/x",
			hashed: '{"a":{"c":[],"d":"é"},"b":1}',
			sent: '{"a":{"c":[],"d":"é"},"b":1}',
		},
		{
			title: "keys keep their order with canonicalBody json",
			input: { ...post, body, profile: { signing: { canonicalBody: "json" } } },
			lines: "POST\n/x",
			hashed: '{"b":1,"a":{"d":"é","c":[]}}',
			sent: '{"b":1,"a":{"d":"é","c":[]}}',
		},
		{
			title: "a function of the profile writes the body",
			input: {
				...post,
				body,
				profile: { signing: { canonicalBody: (value) => `<${Object.keys(value as object).join()}>` } },
			},
			lines: "POST\n/x",
			hashed: "<b,a>",
			sent: "<b,a>",
		},
	])("$title", ({ input, lines, hashed, sent }) => {
		const signed = sign(input);
		const expected = `${lines}\n${sha256(hashed)}\n1767225600000\n3f1c9a52-8d0e-4b7a-9c63-5e2d71f0a4b8`;
		expect(signed.stringToSign).toBe(expected);
		expect(signed.method).toBe(lines.split("\n")[0]);
		expect(signed.bodyHash).toBe(sha256(hashed));
		expect(signed.headers.Authorization).toBe(`HMAC ${hmacSha256("app-secret-1", expected)}`);
		expect(signed.headers["Content-Type"]).toBe(sent === undefined ? undefined : "application/json");
		expect(signed.body && Buffer.from(signed.body).toString()).toBe(sent);
	});

	test("hashBody is the third line on its own", () => {
		expect(hashBody()).toBe(EMPTY_HASH);
		expect(hashBody({ b: 1, a: 2 })).toBe(sha256('{"a":2,"b":1}'));
		expect(hashBody(undefined, { profile: { signing: { emptyBody: "empty_object" } } })).toBe(sha256("{}"));
	});

	test("a secret beyond ASCII is used as UTF-8", () => {
		const signed = sign({ appSecret: "gehéim😂" });
		expect(signed.headers.Authorization).toBe(`HMAC ${hmacSha256("gehéim😂", signed.stringToSign)}`);
	});
});
