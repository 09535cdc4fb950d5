import { memoryNonceStore, type SigningProfile, verifyRequest } from "messaging-gateway/signing";
import { describe, expect, test } from "vitest";
import { fixedClock } from "../../../support/fixed-clock.ts";
import { hmacSha256, sha256 } from "../../../support/node-crypto.ts";

const now = 1767225600000;
const nonce = "3f1c9a52-8d0e-4b7a-9c63-5e2d71f0a4b8";

interface Arrival {
	method?: string;
	/** The URL as it arrives. */
	url?: string;
	/** The path that the sender signed. */
	signedPath?: string;
	/** The bytes that arrive; none for a request without a body. */
	body?: string | Uint8Array;
	/** The string that the sender hashed. */
	hashed: string;
	signing?: SigningProfile;
	basePath?: string;
}

/** Whether the gateway accepts what a sender signed with node:crypto. */
async function verify(arrival: Arrival) {
	const {
		method = "POST",
		url = "/x",
		signedPath = url,
		body,
		hashed,
		signing = {},
		basePath = "",
	} = arrival;
	const toSign = `${method}\n${signedPath}\n${sha256(hashed)}\n${now}\n${nonce}`;
	const headers = new Headers({
		"X-App-Id": "app-1",
		"X-Timestamp": String(now),
		"X-Nonce": nonce,
		Authorization: `HMAC ${hmacSha256("app-secret-1", toSign)}`,
	});
	const clock = fixedClock(now);
	const bytes = body === undefined ? {} : { body: Buffer.from(body) };
	return verifyRequest(
		{ method, url, headers, ...bytes },
		{
			secretFor: () => "app-secret-1",
			nonceStore: memoryNonceStore({ clock }),
			clock,
			basePath,
			profile: { signing },
		},
	);
}

const canonical = '{"a":[1,2.5,null],"b":"é"}';

describe("bodies that are accepted", () => {
	test.each<[title: string, arrival: Arrival]>([
		["the canonical bytes", { body: canonical, hashed: canonical }],
		[
			"other key order, whitespace and escapes than were hashed",
			{ body: '{ "b": "\\u00e9",\n\t"a": [1.0, 25e-1, null] }\r\n', hashed: canonical },
		],
		["no body, with the hash of the empty string", { hashed: "" }],
		["an empty body, like none", { body: "", hashed: "" }],
		["an empty object on a GET (section 4.1)", { method: "GET", body: "{}", hashed: "{}" }],
		["a body that is null", { body: "null", hashed: "null" }],
		[
			"no body, hashed as an empty object as the profile sets it",
			{ method: "GET", hashed: "{}", signing: { emptyBody: "empty_object" } },
		],
		[
			"an empty object where no body is hashed as one",
			{ method: "GET", body: "{}", hashed: "{}", signing: { emptyBody: "empty_object" } },
		],
		[
			"insertion order with canonicalBody json",
			{ body: '{ "b": 1, "a": 2 }', hashed: '{"b":1,"a":2}', signing: { canonicalBody: "json" } },
		],
		[
			"the string of a function of the profile",
			{
				body: '{"b":1}',
				hashed: "B=1",
				signing: { canonicalBody: (body) => `B=${(body as { b: number }).b}` },
			},
		],
	])("%s", async (_title, arrival) => {
		await expect(verify(arrival)).resolves.toMatchObject({ appId: "app-1" });
	});
});

/** What other languages may write: read as JSON.parse reads it, and hashed as RFC 8785 writes it. */
describe("bodies of other spellings are accepted", () => {
	test.each<[title: string, body: string, hashed: string]>([
		["whitespace of all four kinds", ' { "a" :\t[ 1 ,\r\n2 ] , "b" : { } } \n', '{"a":[1,2],"b":{}}'],
		["of equal keys the last one", '{"a":1,"b":2,"a":{"d":3}}', '{"a":{"d":3},"b":2}'],
		["equal keys that are spelled differently", '{"\\u0061":1,"a":2}', '{"a":2}'],
		["integers up to 2^53", "[9007199254740992,-9007199254740991]", "[9007199254740992,-9007199254740991]"],
		[
			"integers beyond doubles, rounded",
			"[9007199254740993,10000000000000000000000]",
			"[9007199254740992,1e+22]",
		],
		["zero without a sign", "[-0,-0.0,-0e5,-1e-400]", "[0,0,0,0]"],
		[
			"numbers as ECMAScript has them",
			"[1.0,1E2,1e+21,1e-7,1e20,0.000001]",
			"[1,100,1e+21,1e-7,100000000000000000000,0.000001]",
		],
		[
			"characters that need no escape",
			'"\\u0061\\/\\u007f\\u2028\\u00e9\\uD83D\\ude02"',
			'"a/\u007f\u2028é😂"',
		],
		["characters that do", '"\\u0022\\u005c\\u000a\\u0000\\u001F"', '"\\"\\\\\\n\\u0000\\u001f"'],
		["keys in the order of UTF-16", '{"\ufb33":1,"😂":2}', '{"😂":2,"\ufb33":1}'],
		[
			"__proto__, toJSON and indices as other keys",
			'{"toJSON":1,"__proto__":2,"10":3,"9":4}',
			'{"10":3,"9":4,"__proto__":2,"toJSON":1}',
		],
		["1,000 levels", "[".repeat(1_000) + "]".repeat(1_000), "[".repeat(1_000) + "]".repeat(1_000)],
	])("%s", async (_title, body, hashed) => {
		await expect(verify({ body, hashed })).resolves.toBeDefined();
	});
});

describe("bodies that are rejected, although their own bytes were hashed", () => {
	test.each<[title: string, body: string | Uint8Array]>([
		["no JSON", "text=Hello"],
		["JSON that is cut off", '{"a":'],
		["a byte order mark before the JSON", `\ufeff${canonical}`],
		["bytes that are not UTF-8", new Uint8Array([0x22, 0xff, 0x22])],
		["a surrogate in UTF-8", new Uint8Array([0x22, 0xed, 0xa0, 0xbd, 0x22])],
		["a lone surrogate, escaped", '"\\ud83d"'],
		["a number beyond all doubles", "[1e400]"],
		["more than 1,000 levels", "[".repeat(1_001) + "]".repeat(1_001)],
		["as many levels as there may be brackets", "[".repeat(50_000) + "]".repeat(50_000)],
		["brackets that are never closed", "[".repeat(100_000)],
		["whitespace alone", " "],
	])("%s", async (_title, body) => {
		const hashed = Buffer.from(body).toString("utf8");
		await expect(verify({ body, hashed })).rejects.toMatchObject({ code: "signature_mismatch", status: 401 });
	});

	test("a byte order mark before JSON whose canonical form was hashed", async () => {
		await expect(verify({ body: `\ufeff${canonical}`, hashed: canonical })).rejects.toMatchObject({
			code: "signature_mismatch",
		});
	});

	test("hashed in insertion order under RFC 8785, or sorted under json", async () => {
		const body = '{"b":1,"a":2}';
		const mismatch = { code: "signature_mismatch" };
		await expect(verify({ body, hashed: body })).rejects.toMatchObject(mismatch);
		const signing = { canonicalBody: "json" } as const;
		await expect(verify({ body, hashed: '{"a":2,"b":1}', signing })).rejects.toMatchObject(mismatch);
	});

	test("no body, hashed as an empty object, without the profile", async () => {
		await expect(verify({ method: "GET", hashed: "{}" })).rejects.toMatchObject({
			code: "signature_mismatch",
		});
	});
});

describe("the path", () => {
	const url = "https://gateway.example/api/mapping/%2B15551234567?limit=5";

	test.each<[title: string, arrival: Omit<Arrival, "hashed">, isAccepted: boolean]>([
		[
			"is signed as on the request line, without the query",
			{ url, signedPath: "/api/mapping/%2B15551234567" },
			true,
		],
		["is not decoded", { url, signedPath: "/api/mapping/+15551234567" }, false],
		[
			"does not include the query unless the profile sets it",
			{ url, signedPath: "/api/mapping/%2B15551234567?limit=5" },
			false,
		],
		[
			"includes the query if the profile sets it",
			{ url, signedPath: "/api/mapping/%2B15551234567?limit=5", signing: { query: "included" } },
			true,
		],
		[
			"is without the base path if the profile sets it",
			{
				url,
				signedPath: "/mapping/%2B15551234567",
				basePath: "/api",
				signing: { path: "without_base_path" },
			},
			true,
		],
		[
			"keeps the base path otherwise",
			{ url, signedPath: "/mapping/%2B15551234567", basePath: "/api" },
			false,
		],
		["loses no segment after two slashes", { url: "//a/b", signedPath: "//a/b" }, true],
		["is not the same with its first segment dropped", { url: "//a/b", signedPath: "/b" }, false],
	])("%s", async (_title, arrival, isAccepted) => {
		const outcome = verify({ method: "GET", hashed: "", ...arrival });
		if (isAccepted) await expect(outcome).resolves.toBeDefined();
		else await expect(outcome).rejects.toMatchObject({ code: "signature_mismatch" });
	});
});
