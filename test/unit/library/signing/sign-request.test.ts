import {
	hashBody,
	type SigningProfile,
	type SignRequestInput,
	signRequest,
	verifyRequest,
} from "messaging-gateway/signing";
import { expect, test } from "vitest";
import { EMPTY_HASH, hmacSha256, sha256 } from "../../../support/node-crypto.ts";
import { type Outcomes, testOutcomes } from "../../../support/outcomes.ts";
import { APP_SECRET, NONCE, SIGNED_AT, verifierOptions } from "../../../support/signed-request.ts";

/** What differs from a GET of /health; options that code without types may give. */
type Input = { readonly [Name in keyof SignRequestInput]?: unknown };

function sign(changes: Input) {
	const stamps = { timestamp: SIGNED_AT, nonce: NONCE };
	const input = {
		method: "GET",
		url: "/health",
		appId: "app-1",
		appSecret: APP_SECRET,
		...stamps,
		...changes,
	};
	return signRequest(input as SignRequestInput);
}

/** What is signed of a request: the method and the path, what is sent, and what is hashed or stamped otherwise. */
async function signedOf(input: Input): Promise<string> {
	const { method, stringToSign, bodyHash, signature, headers, body } = sign(input);
	const sent = body && Buffer.from(body).toString();
	const [, path = "", , stamp = ""] = stringToSign.split("\n");
	expect(stringToSign).toBe([method, path, bodyHash, stamp, NONCE].join("\n"));
	expect(signature).toBe(hmacSha256(APP_SECRET, stringToSign));
	expect(headers).toEqual({
		"X-App-Id": "app-1",
		"X-Timestamp": stamp,
		"X-Nonce": NONCE,
		Authorization: `HMAC ${signature}`,
		...(sent !== undefined && { "Content-Type": "application/json" }),
	});
	await assertAccepted(input, { method, headers: new Headers({ ...headers }), body });
	const hashed = [sent ?? "", "{}"].find((text) => sha256(text) === bodyHash);
	return [
		`${method} ${path}`,
		...(sent === undefined ? [] : [`sends ${sent}`]),
		...(hashed === (sent ?? "") ? [] : [`hashes ${hashed}`]),
		...(stamp === String(SIGNED_AT) ? [] : [`at ${stamp}`]),
	].join(", ");
}

/** The gateway verifies what arrives at the URL that was signed. */
async function assertAccepted(
	{ url = "/health", basePath, profile }: Input,
	request: { method: string; headers: Headers; body: Uint8Array | undefined },
): Promise<void> {
	const arriving = new URL(String(url).replace(/^\//, "https://gateway.example/"));
	arriving.hash = "";
	const options = verifierOptions({ basePath: basePath as string, profile: profile as object });
	await expect(verifyRequest({ ...request, url: arriving }, options)).resolves.toMatchObject({
		nonce: NONCE,
	});
}

const url = "https://gateway.example/api/mapping/%2B1%20555%2F%C3%AB?limit=5&cursor=a%2Fb";
const basePath = "/api";
const post = { method: "POST", url: "/x" };
const body = { b: 1, a: { d: "é", c: [] } };
const by = (signing: SigningProfile) => ({ profile: { signing } });
const names: SigningProfile["canonicalBody"] = (value) => JSON.stringify(Object.keys(Object(value)));
const sorted = (search: string) => ({ url: `/x${search}`, ...by({ query: "sorted" }) });

const SIGNED: Outcomes<Input> = {
	"GET /health": {
		"a bare path": {},
		"a path with whitespace in front of its URL": { url: " https://a.example/health" },
	},
	"GET /api/mapping/%2B1%20555%2F%C3%AB": {
		"a URL, without its query": { url },
		"a URL object": { url: new URL(url) },
		"a path with its base path": { url, basePath },
		"a path with its base path, where no base path is known": { url, ...by({ path: "without_base_path" }) },
	},
	"GET /api/mapping/%2B1%20555%2F%C3%AB?limit=5&cursor=a%2Fb": {
		"a query that is included": { url, ...by({ query: "included" }) },
	},
	"GET /mapping/%2B1%20555%2F%C3%AB": {
		"a path without its base path, written with a slash": {
			url,
			basePath: "/api//",
			...by({ path: "without_base_path" }),
		},
	},
	"GET /mapping/%2B1%20555%2F%C3%AB?limit=5&cursor=a%2Fb": {
		"a path without its base path, with its query": {
			url,
			basePath,
			...by({ path: "without_base_path", query: "included" }),
		},
	},
	"GET /apiary/x": {
		"a path that only begins like its base path": {
			url: "/apiary/x",
			basePath,
			...by({ path: "without_base_path" }),
		},
	},
	"GET /api/mapping/+1 555/ë": { "a path that is decoded": { url, ...by({ path: "decoded" }) } },
	"GET /mapping/+1 555/ë": {
		"a path that is decoded, without its base path": {
			url,
			basePath,
			...by({ path: "decoded_without_base_path" }),
		},
	},
	"GET /": {
		"a URL without a path": { url: "https://gateway.example" },
		"a URL with a query alone": { url: "https://gateway.example?a=1" },
	},
	"GET /mapping/+1555": { "a raw plus": { url: "/mapping/+1555" } },
	"GET /%C3%A9%20x": { "what the request line escapes": { url: "/é x" } },
	"GET //a/b": { "two slashes, with all segments": { url: "//a/b" } },
	"GET /a//b/": { "empty segments": { url: "https://gateway.example/a//b/" } },
	"GET /a/b": { "backslashes, which the URL parser turns": { url: "/a\\b" } },
	"GET /x": {
		"a fragment": { url: "/x#part" },
		"dots in a query": { url: "/x?a=/../b" },
		"a sorted query that there is not": sorted(""),
		"a sorted query that is empty": sorted("?"),
	},
	"GET /x?a": { "a sorted query of one letter": sorted("?a") },
	"GET /x?a=1&b=2": { "a sorted query": sorted("?b=2&a=1") },
	"GET /x?A=3&a=2&a=1": { "a sorted query, whose equal names keep their order": sorted("?a=2&a=1&A=3") },
	// By name, not by the whole pair: "=" is above "-" and the digits.
	"GET /x?a=2&a-b=3&a1=1": { "a query that is sorted by name": sorted("?a1=1&a=2&a-b=3") },
	"GET /x?&a==&b=%2B+c%3D&c": { "a sorted query as it is escaped": sorted("?b=%2B+c%3D&a==&&c") },
	"DELETE /x": { "a method in lower case": { method: "delete", url: "/x" } },
	"GET /health, hashes {}": { "no body, with emptyBody empty_object": by({ emptyBody: "empty_object" }) },
	"GET /health, at 1767225600": {
		"whole seconds": { timestamp: SIGNED_AT + 123, ...by({ timestamp: "seconds" }) },
	},
	"GET /health, at 1767225600999": { milliseconds: { timestamp: SIGNED_AT + 999 } },
	"GET /health, sends {}": { "a body on a GET (section 4.1)": { body: {} } },
	"POST /x, sends {}": { "an empty object, which is a body": { ...post, body: {} } },
	"POST /x, sends null": { "null, which is a body": { ...post, body: null } },
	'POST /x, sends "Grüße 😂 \u2028"': { "a string, hashed as UTF-8": { ...post, body: "Grüße 😂 \u2028" } },
	'POST /x, sends {"a":{"c":[],"d":"é"},"b":1}': { "an object, whose keys are sorted": { ...post, body } },
	'POST /x, sends {"b":1,"a":{"d":"é","c":[]}}': {
		"an object, whose keys keep their order with canonicalBody json": {
			...post,
			body,
			...by({ canonicalBody: "json" }),
		},
	},
	'POST /x, sends ["0"]': {
		"what a function of the profile writes": { ...post, body: ["a"], ...by({ canonicalBody: names }) },
	},
};

/** The error, which does not quote the secret. */
function problemOf(input: Input): string {
	try {
		sign(input);
		return "none";
	} catch (error) {
		expect(String(error)).not.toContain("s3cr3t");
		return String(error);
	}
}

const DOT_SEGMENT =
	"ConfigurationError: url has a dot segment, which isn't part of the path that is requested: check the values in it, since encodeURIComponent keeps dots";

const UNUSABLE: Outcomes<Input> = {
	"ConfigurationError: appSecret is missing": {
		"a secret that is undefined": { appSecret: undefined },
		"a secret that is null": { appSecret: null },
	},
	"ConfigurationError: appSecret must be a string or bytes, got number": {
		"a secret that is a number": { appSecret: 12345 },
	},
	"ConfigurationError: appSecret is empty": {
		"an empty secret": { appSecret: "" },
		"a secret of whitespace": { appSecret: " \t\n" },
	},
	'ConfigurationError: appSecret is the string "undefined": set the variable it comes from': {
		"the string undefined as a secret": { appSecret: "undefined" },
	},
	'ConfigurationError: appSecret is the string "null": set the variable it comes from': {
		"the string null as a secret": { appSecret: "null" },
	},
	"ConfigurationError: appSecret has whitespace or an invisible character around it: remove it": {
		"a secret with a space before it": { appSecret: " s3cr3t" },
	},
	"ConfigurationError: appSecret has a line break in it: remove it": {
		"a secret with a newline after it": { appSecret: "s3cr3t\n" },
	},
	"ConfigurationError: appSecret isn't well-formed Unicode": {
		"a secret with half a surrogate pair": { appSecret: "s3cr3t\ud83d" },
	},
	"ConfigurationError: appId must be 1 to 256 visible ASCII characters": {
		"an app id that is undefined": { appId: undefined },
		"an empty app id": { appId: "" },
		"an app id with a space": { appId: "a b" },
		"an app id with a line break": { appId: "a\r\nX-Evil: 1" },
		"an app id beyond ASCII": { appId: "é" },
		"an app id of 257 characters": { appId: "a".repeat(257) },
	},
	"ConfigurationError: nonce must be 1 to 256 visible ASCII characters": {
		"an empty nonce": { nonce: "" },
		"a nonce with a newline": { nonce: "a\nb" },
		"a nonce that is not a string": { nonce: 5 },
	},
	"ConfigurationError: timestamp must be Unix time in whole milliseconds": {
		"a timestamp that is NaN": { timestamp: Number.NaN },
		"a timestamp that is infinite": { timestamp: Number.POSITIVE_INFINITY },
		"a negative timestamp": { timestamp: -1 },
		"a timestamp with a fraction": { timestamp: 1.5 },
		"a timestamp beyond the safe integers": { timestamp: 2 ** 53 },
		"a timestamp that is a string": { timestamp: "1767225600000" },
	},
	"ConfigurationError: url must be an absolute URL, or a path that starts with a slash": {
		"a path without a slash": { url: "x" },
		"an empty URL": { url: "" },
		"a scheme alone": { url: "https://" },
	},
	[DOT_SEGMENT]: {
		"two dots in a path": { url: "/a/../b" },
		"two dots at the end of a path": { url: "/a/.." },
		"one dot in a path": { url: "/./a" },
		"escaped dots in a URL": { url: "https://gateway.example/a/%2E%2e/b" },
		"dots between backslashes": { url: "https:\\\\gateway.example\\a\\..\\b" },
		"dots that keep how many segments there are": { url: "/a/..//b" },
		"dots before a query": { url: "/a/..?b" },
		"dots before a fragment": { url: "/a/..#b" },
		"dots after whitespace": { url: " https://gateway.example/a/.." },
	},
	"ConfigurationError: The path has an escape that isn't UTF-8, so it can't be decoded": {
		"an escape that isn't UTF-8, with path decoded": { url: "/mapping/%FF", ...by({ path: "decoded" }) },
		"an escape that isn't UTF-8, with path decoded_without_base_path": {
			url: "/mapping/%FF",
			...by({ path: "decoded_without_base_path" }),
		},
	},
	none: {
		"a timestamp of 0": { timestamp: 0 },
		"an app id of 256 characters": { appId: "a".repeat(256) },
		"three dots in a path": { url: "/a/.../b" },
	},
};

testOutcomes(SIGNED, signedOf);
testOutcomes(UNUSABLE, problemOf);

test("a GET, as specification section 5.1 has it, with its literal signature", () => {
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

test("a POST, as specification section 5.1 has it, with its literal signature", () => {
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

test("hashBody is the third line on its own", () => {
	expect(hashBody()).toBe(EMPTY_HASH);
	expect(hashBody({ b: 1, a: 2 })).toBe(sha256('{"a":2,"b":1}'));
	expect(hashBody(undefined, by({ emptyBody: "empty_object" }))).toBe(sha256("{}"));
});

test("a secret beyond ASCII is used as UTF-8", () => {
	const { signature, stringToSign } = sign({ appSecret: "gehéim😂" });
	expect(signature).toBe(hmacSha256("gehéim😂", stringToSign));
});

test("by default every call has the current timestamp and a UUID of its own", () => {
	const before = Date.now();
	const [first, second] = [0, 1].map(() => sign({ timestamp: undefined, nonce: undefined }).headers);
	const after = Date.now();
	expect(first?.["X-Nonce"]).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
	expect(first?.["X-Nonce"]).not.toBe(second?.["X-Nonce"]);
	expect(Number(first?.["X-Timestamp"])).toBeGreaterThanOrEqual(before);
	expect(Number(first?.["X-Timestamp"])).toBeLessThanOrEqual(after);
});
