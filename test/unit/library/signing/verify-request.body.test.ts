import { type SigningProfile, verifyRequest } from "messaging-gateway/signing";
import { describe, expect, test } from "vitest";
import { type SignedRequest, signedRequest, verifierOptions } from "../../../support/signed-request.ts";

interface Arrival extends SignedRequest {
	readonly signing?: SigningProfile;
	readonly basePath?: string;
}

/** Whether the gateway accepts what a sender signed with node:crypto. */
function verify({ signing = {}, basePath, ...request }: Arrival) {
	return verifyRequest(signedRequest(request), verifierOptions({ basePath, profile: { signing } }));
}

const MISMATCH = { code: "signature_mismatch", status: 401 };
const canonical = '{"a":[1,2.5,null],"b":"é"}';

/** What other languages may write: read as JSON.parse reads it, and hashed as the profile writes it. */
describe("bodies of other spellings are accepted", () => {
	const countB = (body: unknown) => `B=${(body as { b: number }).b}`;

	test.each<[title: string, body: string, hashed: string, signing?: SigningProfile]>([
		["key order, whitespace and escapes", '{ "b": "\\u00e9",\n\t"a": [1.0, 25e-1, null] }\r\n', canonical],
		["an empty body, like none", "", ""],
		[
			"insertion order with canonicalBody json",
			'{ "b": 1, "a": 2 }',
			'{"b":1,"a":2}',
			{ canonicalBody: "json" },
		],
		["the string of a function of the profile", '{"b":1}', "B=1", { canonicalBody: countB }],
		["an empty object where none is hashed as one", "{}", "{}", { emptyBody: "empty_object" }],
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
		["characters that need no escape", '"\\u0061\\/\\u007f\\u2028\\uD83D\\ude02"', '"a/\u007f\u2028😂"'],
		["characters that do", '"\\u0022\\u005c\\u000a\\u0000\\u001F"', '"\\"\\\\\\n\\u0000\\u001f"'],
		["keys in the order of UTF-16", '{"\ufb33":1,"😂":2}', '{"😂":2,"\ufb33":1}'],
		[
			"__proto__, toJSON and indices as other keys",
			'{"toJSON":1,"__proto__":2,"10":3,"9":4}',
			'{"10":3,"9":4,"__proto__":2,"toJSON":1}',
		],
		["1,000 levels", "[".repeat(1_000) + "]".repeat(1_000), "[".repeat(1_000) + "]".repeat(1_000)],
	])("%s", async (_title, body, hashed, signing = {}) => {
		await expect(verify({ body, hashed, signing })).resolves.toBeDefined();
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
		await expect(verify({ body, hashed })).rejects.toMatchObject(MISMATCH);
	});

	test.each<[title: string, arrival: Arrival]>([
		[
			"a byte order mark before JSON whose canonical form was hashed",
			{ body: `\ufeff${canonical}`, hashed: canonical },
		],
		["insertion order under RFC 8785", { body: '{"b":1,"a":2}' }],
		[
			"sorted keys under json",
			{ body: '{"b":1,"a":2}', hashed: '{"a":2,"b":1}', signing: { canonicalBody: "json" } },
		],
		["no body, hashed as an empty object, without the profile", { hashed: "{}" }],
	])("%s", async (_title, arrival) => {
		await expect(verify(arrival)).rejects.toMatchObject(MISMATCH);
	});
});

test.each<[title: string, url: string, signedPath: string]>([
	["decoded", "/api/mapping/%2B1555", "/api/mapping/+1555"],
	["with its query, unless the profile sets it", "/api/mapping?limit=5", "/api/mapping?limit=5"],
	["without its base path, unless the profile sets it", "/api/mapping", "/mapping"],
	["without its first segment, after two slashes", "//a/b", "/b"],
	["before its dots are resolved", "/x/../message/text", "/message/text"],
	["before its escaped dots are resolved", "/x/%2e%2e/message/text", "/message/text"],
	["before a dot is resolved", "/./message/text", "/message/text"],
	["with slashes for backslashes", "/message\\text", "/message/text"],
	["without its fragment", "/message/text#x", "/message/text"],
	["with one slash for two", "//message/text", "/message/text"],
])(
	"the path on the request line is the one that was signed, to the letter: not %s",
	async (_title, url, signedPath) => {
		await expect(verify({ url, signedPath, basePath: "/api", body: "{}" })).rejects.toMatchObject(MISMATCH);
	},
);
