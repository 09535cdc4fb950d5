import {
	ConfigurationError,
	RequestVerificationError,
	type SigningProfile,
	type VerifyRequestOptions,
	verifyRequest,
} from "messaging-gateway/signing";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { catchRejection } from "../../../support/catch-error.ts";
import { fixedClock } from "../../../support/fixed-clock.ts";
import {
	NONCE as nonce,
	SIGNED_AT as now,
	type SignedRequest,
	APP_SECRET as secret,
	signedRequest,
	verifierOptions,
} from "../../../support/signed-request.ts";

const verify = (given?: SignedRequest, options?: Partial<VerifyRequestOptions>) =>
	verifyRequest(signedRequest(given), verifierOptions(options));

/** The code and status that a request is rejected with. */
async function rejection(given: SignedRequest, options?: Partial<VerifyRequestOptions>) {
	const error = await catchRejection(verify(given, options));
	expect(error).toBeInstanceOf(RequestVerificationError);
	const { code, status } = error as RequestVerificationError;
	return `${status} ${code}`;
}

test("a request signed as section 5.1 specifies is accepted, with the signer and the time", async () => {
	await expect(verify({ body: "{}" })).resolves.toEqual({ appId: "app-1", timestamp: now, nonce });
});

test("the literal signature of a GET is accepted", async () => {
	const headers = new Headers({
		"X-App-Id": "app-1",
		"X-Timestamp": "1767225600000",
		"X-Nonce": nonce,
		Authorization: "HMAC c1bbb4758805cd8170cd473f59eb008ed3442708291edf4c0923b7313a7a47a1",
	});
	const url = "https://gateway.example/mapping/%2B15551234567?ignored=1";
	await expect(verifyRequest({ method: "get", url, headers }, verifierOptions())).resolves.toMatchObject({
		nonce,
	});
});

describe("each rejection has its code and status", () => {
	const header = (name: string, value: string | null) => ({ headers: { [name]: value } });
	const authorization = (value: string) => header("Authorization", value);

	test.each<[expected: string, title: string, given: SignedRequest]>([
		["401 missing_header", "no app id", header("X-App-Id", null)],
		["401 missing_header", "no timestamp", header("X-Timestamp", null)],
		["401 missing_header", "no nonce", header("X-Nonce", null)],
		["401 missing_header", "no authorization", header("Authorization", null)],
		["401 missing_header", "an empty nonce", header("X-Nonce", "")],
		["401 malformed_header", "an app id with a space", header("X-App-Id", "a b")],
		["401 malformed_header", "an app id of 257 characters", header("X-App-Id", "a".repeat(257))],
		["401 malformed_header", "a timestamp with a sign", header("X-Timestamp", `+${now}`)],
		["401 malformed_header", "a timestamp with a fraction", header("X-Timestamp", `${now}.0`)],
		["401 malformed_header", "a timestamp with an exponent", header("X-Timestamp", "1e12")],
		["401 malformed_header", "a timestamp in hex", header("X-Timestamp", "0x19b")],
		["401 malformed_header", "a timestamp with a leading zero", header("X-Timestamp", `0${now}`)],
		["401 malformed_header", "a timestamp twice", header("X-Timestamp", `${now}, ${now}`)],
		["401 malformed_header", "a nonce that is no UUID", header("X-Nonce", "abc")],
		["401 malformed_header", "a nonce twice", header("X-Nonce", `${nonce}, ${nonce}`)],
		["401 malformed_header", "another scheme", authorization(`Bearer ${"0".repeat(64)}`)],
		["401 malformed_header", "a signature of 63 digits", authorization(`HMAC ${"0".repeat(63)}`)],
		["401 malformed_header", "a signature of 65 digits", authorization(`HMAC ${"0".repeat(65)}`)],
		["401 malformed_header", "a signature in upper case", authorization(`HMAC ${"A".repeat(64)}`)],
		["401 malformed_header", "a signature with a bad digit", authorization(`HMAC ${"g".repeat(64)}`)],
		["401 unknown_app_id", "an app id that nobody has", header("X-App-Id", "app-2")],
		["401 timestamp_out_of_range", "a timestamp in seconds", { timestamp: now / 1000 }],
		["401 signature_mismatch", "the signature of another request", authorization(`HMAC ${"0".repeat(64)}`)],
		["401 signature_mismatch", "a signature by another secret", { secret: "app-secret-2" }],
		["401 signature_mismatch", "a signature over another body", { body: "{}", hashed: '{"a":1}' }],
		["401 signature_mismatch", "a signature over a body that did not arrive", { hashed: "{}" }],
	])("%s: %s", async (expected, _title, given) => {
		expect(await rejection(given)).toBe(expected);
	});

	test.each([0, 32, 63])(
		"401 signature_mismatch: a signature of which digit %i alone is wrong",
		async (at) => {
			const signature = signedRequest().headers.get("Authorization")?.slice(5) ?? "";
			const wrong = signature[at] === "0" ? "1" : "0";
			const given = authorization(`HMAC ${signature.slice(0, at)}${wrong}${signature.slice(at + 1)}`);
			expect(await rejection(given)).toBe("401 signature_mismatch");
		},
	);

	test("no message holds the secret, the signature, the nonce or the body", async () => {
		for (const given of [{ secret: "x" }, { timestamp: 1 }, { body: '{"text":"private"}', hashed: "" }]) {
			const signature = signedRequest(given).headers.get("Authorization")?.slice(5) ?? "";
			const error = await catchRejection(verify(given));
			for (const hidden of [secret, "private", nonce, signature]) {
				expect(`${error} ${JSON.stringify(error)}`).not.toContain(hidden);
			}
		}
	});
});

describe("the timestamp", () => {
	test.each<[title: string, offsetMs: number, isAccepted: boolean, options?: Partial<VerifyRequestOptions>]>([
		["exactly five minutes behind", -300_000, true],
		["exactly five minutes ahead", 300_000, true],
		["one millisecond more behind", -300_001, false],
		["one millisecond more ahead", 300_001, false],
		["now, with tolerance 0", 0, true, { toleranceSeconds: 0 }],
		["a millisecond behind, with tolerance 0", -1, false, { toleranceSeconds: 0 }],
		["500 ms ahead, with a tolerance of half a second", 500, true, { toleranceSeconds: 0.5 }],
		["501 ms ahead, with a tolerance of half a second", 501, false, { toleranceSeconds: 0.5 }],
	])("%s: accepted %s", async (_title, offset, isAccepted, options) => {
		const outcome = verify({ timestamp: now + offset }, options);
		if (isAccepted) await expect(outcome).resolves.toMatchObject({ timestamp: now + offset });
		else await expect(outcome).rejects.toMatchObject({ code: "timestamp_out_of_range", status: 401 });
	});

	test("is judged by a clock without timers, and the system's measure how long the store takes", async () => {
		vi.useFakeTimers();
		onTestFinished(() => void vi.useRealTimers());
		const clock = { now: () => now };
		const remembering = { remember: async () => true };
		await expect(verify({}, { clock, nonceStore: remembering })).resolves.toMatchObject({ nonce });
		const nonceStore = { remember: () => new Promise<boolean>(() => undefined) };
		const hanging = rejection({}, { clock, nonceStore });
		await vi.advanceTimersByTimeAsync(5_000);
		expect(await hanging).toBe("503 nonce_store_unavailable");
		expect(await rejection({ timestamp: now - 300_001 }, { clock })).toBe("401 timestamp_out_of_range");
	});

	test.each([{}, null, { now: 5 }, { now: () => now, setTimer: 5 }])("needs a clock: %j", async (clock) => {
		const error = await catchRejection(verify({}, { clock: clock as never }));
		expect(error).toMatchObject({ code: "configuration", message: expect.stringMatching(/^clock must be/) });
	});

	test("the message shows by how much and which way the clocks differ", async () => {
		const messageAt = async (timestamp: number) => String(await catchRejection(verify({ timestamp })));
		expect(await messageAt(now - 600_000)).toContain("600 s behind");
		expect(await messageAt(now + 600_000)).toContain("600 s ahead");
	});

	test.each([Number.NaN, -1, Number.POSITIVE_INFINITY])(
		"a tolerance of %s is a ConfigurationError",
		async (toleranceSeconds) => {
			await expect(verify({}, { toleranceSeconds })).rejects.toBeInstanceOf(ConfigurationError);
		},
	);
});

describe("the secret of an app", () => {
	test("it may come later, from a promise", async () => {
		const secretFor = (appId: string) => Promise.resolve(appId === "app-1" ? secret : undefined);
		await expect(verify({}, { secretFor })).resolves.toMatchObject({ appId: "app-1" });
		expect(await rejection({ headers: { "X-App-Id": "app-9" } }, { secretFor })).toBe("401 unknown_app_id");
	});

	test("the time of its look-up counts", async () => {
		const clock = fixedClock(now);
		const secretFor = async () => {
			clock.nowMs += 300_001;
			return secret;
		};
		expect(await rejection({}, { secretFor, clock })).toBe("401 timestamp_out_of_range");
	});

	test.each(["", "  ", "undefined", " padded"])("an unusable one (%j) accepts nothing", async (unusable) => {
		const outcome = verify({ secret: unusable }, { secretFor: () => unusable });
		await expect(outcome).rejects.toBeInstanceOf(ConfigurationError);
	});
});

interface Arrival extends SignedRequest {
	readonly signing?: SigningProfile;
	readonly basePath?: string;
}

/** Whether the gateway accepts what a sender signed with node:crypto. */
function arrive({ signing = {}, basePath, ...request }: Arrival) {
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
		await expect(arrive({ body, hashed, signing })).resolves.toBeDefined();
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
		await expect(arrive({ body, hashed })).rejects.toMatchObject(MISMATCH);
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
		await expect(arrive(arrival)).rejects.toMatchObject(MISMATCH);
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
		await expect(arrive({ url, signedPath, basePath: "/api", body: "{}" })).rejects.toMatchObject(MISMATCH);
	},
);
