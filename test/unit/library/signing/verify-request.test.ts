import {
	RequestVerificationError,
	type SigningProfile,
	type VerifyRequestOptions,
	verifyRequest,
} from "messaging-gateway/signing";
import { expect, onTestFinished, test, vi } from "vitest";
import { catchRejection } from "../../../support/catch-error.ts";
import { fixedClock } from "../../../support/fixed-clock.ts";
import { type Outcomes, testOutcomes } from "../../../support/outcomes.ts";
import {
	NONCE as nonce,
	SIGNED_AT as now,
	type SignedRequest,
	APP_SECRET as secret,
	signedRequest,
	verifierOptions,
} from "../../../support/signed-request.ts";

/** What arrives, signed by node:crypto, at a gateway with these options. */
interface Arrival extends SignedRequest {
	readonly signing?: SigningProfile;
	readonly options?: { [Name in keyof VerifyRequestOptions]?: unknown };
}

/** What verifyRequest resolves or rejects with, whole; no rejection holds what is private. */
async function outcomeOf({ signing, options, ...given }: Arrival): Promise<string> {
	const request = signedRequest(given);
	const all = { ...verifierOptions(signing && { profile: { signing } }), ...options };
	try {
		const { appId, timestamp, ...rest } = await verifyRequest(request, all as VerifyRequestOptions);
		expect(rest).toEqual({ nonce: given.nonce ?? nonce });
		return `accepted from ${appId}, signed ${timestamp - now} ms ahead`;
	} catch (error) {
		const signature = request.headers.get("Authorization")?.slice("HMAC ".length) || "no signature";
		for (const hidden of [secret, "private", nonce, signature])
			expect(`${error} ${JSON.stringify(error)}`).not.toContain(hidden);
		return error instanceof RequestVerificationError
			? `${error.status} ${error.code}: ${error.message}`
			: String(error);
	}
}

const header = (name: string, value: string | null): Arrival => ({ headers: { [name]: value } });
const authorization = (value: string): Arrival => header("Authorization", value);
const aside = (ms: number, toleranceSeconds?: number): Arrival => ({
	timestamp: now + ms,
	options: toleranceSeconds === undefined ? {} : { toleranceSeconds },
});
const aheadInSeconds = (timestamp: number | string): Arrival => ({
	timestamp,
	signing: { timestamp: "seconds" },
	options: { clock: fixedClock(now + 123) },
});
const withDigit = (at: number): Arrival => {
	const signature = signedRequest().headers.get("Authorization")?.slice("HMAC ".length) ?? "";
	const wrong = signature[at] === "0" ? "1" : "0";
	return authorization(`HMAC ${signature.slice(0, at)}${wrong}${signature.slice(at + 1)}`);
};
/** A body whose own bytes were hashed. */
const own = (body: string | Uint8Array): Arrival => ({ body, hashed: Buffer.from(body).toString("utf8") });
const sized = (maxBodyBytes: unknown): Arrival => ({ body: '{"a":1}', options: { maxBodyBytes } });
/** An array with so many structural characters: two brackets, and a comma between every two zeros. */
const structured = (count: number): Arrival => ({ body: `[${"0,".repeat(count - 2)}0]` });
const path = (url: string, signedPath: string): Arrival => ({
	url,
	signedPath,
	body: "{}",
	options: { basePath: "/api" },
});

const canonical = '{"a":[1,2.5,null],"b":"é"}';
const countB = (body: unknown) => `B=${(body as { b: number }).b}`;
const levels = (count: number) => "[".repeat(count) + "]".repeat(count);
const clockWithoutTimers = { now: () => now };

const ACCEPTED = "accepted from app-1, signed 0 ms ahead";
const MISMATCH =
	"401 signature_mismatch: the signature doesn't match. Check the App Secret first. If you sign yourself, check the path too, and that you sign the body as canonical JSON";

const REQUESTS: Outcomes<Arrival> = {
	[ACCEPTED]: {
		"signed as section 5.1 specifies": { body: "{}" },
		"the literal signature of a GET, without its query": {
			method: "get",
			url: "https://gateway.example/mapping/%2B15551234567?ignored=1",
			...authorization("HMAC c1bbb4758805cd8170cd473f59eb008ed3442708291edf4c0923b7313a7a47a1"),
		},
		"now, with tolerance 0": aside(0, 0),
		"a clock without timers": { options: { clock: clockWithoutTimers } },
		"a secret that comes later, from a promise": { options: { secretFor: () => Promise.resolve(secret) } },
	},
	"accepted from app-1, signed -300000 ms ahead": { "five minutes behind": aside(-300_000) },
	"accepted from app-1, signed 300000 ms ahead": { "five minutes ahead": aside(300_000) },
	"accepted from app-1, signed 500 ms ahead": { "half a second ahead, as the tolerance": aside(500, 0.5) },
	"accepted from app-1, signed -299000 ms ahead": { "299 s behind, in seconds": aheadInSeconds(1767225301) },
	"accepted from app-1, signed 299000 ms ahead": { "299 s ahead, in seconds": aheadInSeconds(1767225899) },
	"401 missing_header: X-App-Id is missing": { "no app id": header("X-App-Id", null) },
	"401 missing_header: X-Timestamp is missing": { "no timestamp": header("X-Timestamp", null) },
	"401 missing_header: X-Nonce is missing": {
		"no nonce": header("X-Nonce", null),
		"an empty nonce": header("X-Nonce", ""),
	},
	"401 missing_header: Authorization is missing": { "no authorization": header("Authorization", null) },
	"401 malformed_header: X-App-Id must be 1 to 256 visible ASCII characters": {
		"an app id with a space": header("X-App-Id", "a b"),
		"an app id beyond ASCII": header("X-App-Id", "é"),
		"an app id of 257 characters": header("X-App-Id", "a".repeat(257)),
	},
	"401 malformed_header: X-Timestamp must be Unix time in milliseconds": {
		"a timestamp with a sign": header("X-Timestamp", `+${now}`),
		"a timestamp with a fraction": header("X-Timestamp", `${now}.0`),
		"a timestamp with an exponent": header("X-Timestamp", "1e12"),
		"a timestamp in hex": header("X-Timestamp", "0x19b"),
		"a timestamp with a leading zero": header("X-Timestamp", `0${now}`),
		"a timestamp of 17 digits": header("X-Timestamp", "1".repeat(17)),
		"a timestamp twice": header("X-Timestamp", `${now}, ${now}`),
	},
	"401 malformed_header: X-Timestamp must be Unix time in seconds": {
		"a timestamp that is a word, in seconds": aheadInSeconds("now"),
	},
	"401 malformed_header: X-Nonce must be a UUID": {
		"a nonce that is no UUID": header("X-Nonce", "abc"),
		"a nonce twice": header("X-Nonce", `${nonce}, ${nonce}`),
	},
	"401 malformed_header: Authorization must be HMAC and 64 lower-case hex digits": {
		"another scheme": authorization(`Bearer ${"0".repeat(64)}`),
		"something before the scheme": authorization(`x HMAC ${"0".repeat(64)}`),
		"a signature of 63 digits": authorization(`HMAC ${"0".repeat(63)}`),
		"a signature of 65 digits": authorization(`HMAC ${"0".repeat(65)}`),
		"a signature in upper case": authorization(`HMAC ${"A".repeat(64)}`),
		"a signature with a bad digit": authorization(`HMAC ${"g".repeat(64)}`),
	},
	"401 unknown_app_id: no App Secret is known for this app id: set the client's appId to one that the gateway has":
		{
			"an app id that nobody has": header("X-App-Id", "app-2"),
			"an app id that a database has not": { options: { secretFor: async () => null } },
		},
	"401 timestamp_out_of_range: X-Timestamp is 300 s behind the gateway's clock; 300 s are accepted": {
		"a millisecond more than five minutes behind": aside(-300_001),
		"a millisecond more, by a clock without timers": {
			timestamp: now - 300_001,
			options: { clock: clockWithoutTimers },
		},
		"five minutes and a part of a second behind, in seconds": aheadInSeconds(1767225300),
		"five minutes behind, after the look-up of the secret": {
			options: (() => {
				const clock = fixedClock(now);
				const secretFor = async () => {
					clock.nowMs += 300_001;
					return secret;
				};
				return { clock, secretFor };
			})(),
		},
	},
	"401 timestamp_out_of_range: X-Timestamp is 300 s ahead of the gateway's clock; 300 s are accepted": {
		"a millisecond more than five minutes ahead": aside(300_001),
	},
	"401 timestamp_out_of_range: X-Timestamp is 601 s behind the gateway's clock; 300 s are accepted": {
		"ten minutes behind": aside(-600_700),
	},
	"401 timestamp_out_of_range: X-Timestamp is 301 s ahead of the gateway's clock; 300 s are accepted": {
		"301 s ahead, in seconds": aheadInSeconds(1767225901),
	},
	"401 timestamp_out_of_range: X-Timestamp is 0 s behind the gateway's clock; 0 s are accepted": {
		"a millisecond behind, with tolerance 0": aside(-1, 0),
	},
	"401 timestamp_out_of_range: X-Timestamp is 1 s ahead of the gateway's clock; 0.5 s are accepted": {
		"501 ms ahead, with a tolerance of half a second": aside(501, 0.5),
	},
	"401 timestamp_out_of_range: X-Timestamp is 1765458374 s behind the gateway's clock; 300 s are accepted": {
		"a timestamp in seconds that should be in milliseconds": { timestamp: now / 1000 },
	},
	"401 timestamp_out_of_range: X-Timestamp is 1765458374400 s ahead of the gateway's clock; 300 s are accepted":
		{ "a timestamp in milliseconds that should be in seconds": aheadInSeconds(now) },
	[MISMATCH]: {
		"the signature of another request": authorization(`HMAC ${"0".repeat(64)}`),
		"a signature by another secret": { secret: "app-secret-2" },
		"a signature over another body": { body: '{"text":"private"}', hashed: '{"a":1}' },
		"a signature over a body that did not arrive": { hashed: "{}" },
		...Object.fromEntries([0, 32, 63].map((at) => [`a signature whose digit ${at} is wrong`, withDigit(at)])),
	},
	"ConfigurationError: toleranceSeconds must be a number of at least 0": {
		"a tolerance that is NaN": aside(0, Number.NaN),
		"a negative tolerance": aside(0, -1),
		"a tolerance without end": aside(0, Number.POSITIVE_INFINITY),
	},
	'ConfigurationError: Unknown option "toleranceMs" of verifyRequest: use toleranceSeconds': {
		"a tolerance in milliseconds": { options: { toleranceMs: 500 } as object },
	},
	"ConfigurationError: clock must be an object with the functions now": {
		"a clock that is empty": { options: { clock: {} } },
		"a clock that is null": { options: { clock: null } },
		"a clock whose now is a number": { options: { clock: { now: 5 } } },
	},
	"ConfigurationError: clock must be an object with the functions now, setTimer": {
		"a clock whose setTimer is a number": { options: { clock: { now: () => now, setTimer: 5 } } },
	},
	"ConfigurationError: The secret that secretFor returned is empty": {
		"an empty secret": { options: { secretFor: () => "" } },
		"a secret of whitespace": { options: { secretFor: () => "  " } },
	},
	'ConfigurationError: The secret that secretFor returned is the string "undefined": set the variable it comes from':
		{
			"a secret from a variable that was not set": { options: { secretFor: () => "undefined" } },
		},
	"ConfigurationError: The secret that secretFor returned has whitespace or an invisible character around it: remove it":
		{ "a secret with a space": { options: { secretFor: () => " padded" } } },
};

/** What other languages may write: read as JSON.parse reads it, and hashed as the profile writes it. */
const BODIES: Outcomes<Arrival> = {
	[ACCEPTED]: {
		"key order, whitespace and escapes": {
			body: '{ "b": "\\u00e9",\n\t"a": [1.0, 25e-1, null] }\r\n',
			hashed: canonical,
		},
		"an empty body, like none": { body: "", hashed: "" },
		"insertion order with canonicalBody json": {
			body: '{ "b": 1, "a": 2 }',
			hashed: '{"b":1,"a":2}',
			signing: { canonicalBody: "json" },
		},
		"the string of a function of the profile": {
			body: '{"b":1}',
			hashed: "B=1",
			signing: { canonicalBody: countB },
		},
		"an empty object where none is hashed as one": { body: "{}", signing: { emptyBody: "empty_object" } },
		"whitespace of all four kinds": {
			body: ' { "a" :\t[ 1 ,\r\n2 ] , "b" : { } } \n',
			hashed: '{"a":[1,2],"b":{}}',
		},
		"of equal keys the last one": { body: '{"a":1,"b":2,"a":{"d":3}}', hashed: '{"a":{"d":3},"b":2}' },
		"equal keys that are spelled differently": { body: '{"\\u0061":1,"a":2}', hashed: '{"a":2}' },
		"integers up to 2^53": { body: "[9007199254740992,-9007199254740991]" },
		"integers beyond doubles, rounded": {
			body: "[9007199254740993,10000000000000000000000]",
			hashed: "[9007199254740992,1e+22]",
		},
		"zero without a sign": { body: "[-0,-0.0,-0e5,-1e-400]", hashed: "[0,0,0,0]" },
		"numbers as ECMAScript has them": {
			body: "[1.0,1E2,1e+21,1e-7,1e20,0.000001]",
			hashed: "[1,100,1e+21,1e-7,100000000000000000000,0.000001]",
		},
		"characters that need no escape": {
			body: '"\\u0061\\/\\u007f\\u2028\\uD83D\\ude02"',
			hashed: '"a/\u007f\u2028😂"',
		},
		"characters that do": {
			body: '"\\u0022\\u005c\\u000a\\u0000\\u001F"',
			hashed: '"\\"\\\\\\n\\u0000\\u001f"',
		},
		"keys in the order of UTF-16": { body: '{"\ufb33":1,"😂":2}', hashed: '{"😂":2,"\ufb33":1}' },
		"__proto__, toJSON and indices as other keys": {
			body: '{"toJSON":1,"__proto__":2,"10":3,"9":4}',
			hashed: '{"10":3,"9":4,"__proto__":2,"toJSON":1}',
		},
		"1,000 levels": { body: levels(1_000) },
		"as large as maxBodyBytes": sized(7),
		"100,000 brackets, braces, colons and commas": structured(100_000),
	},
	[MISMATCH]: {
		"no JSON": own("text=Hello"),
		"JSON that is cut off": own('{"a":'),
		"a byte order mark before the JSON": own(`\ufeff${canonical}`),
		"a byte order mark before JSON whose canonical form was hashed": {
			body: `\ufeff${canonical}`,
			hashed: canonical,
		},
		"bytes that are not UTF-8": own(new Uint8Array([0x22, 0xff, 0x22])),
		"a surrogate in UTF-8": own(new Uint8Array([0x22, 0xed, 0xa0, 0xbd, 0x22])),
		"a lone surrogate, escaped": own('"\\ud83d"'),
		"a number beyond all doubles": own("[1e400]"),
		"more than 1,000 levels": own(levels(1_001)),
		"as many levels as there may be brackets": own(levels(50_000)),
		"brackets that are never closed": own("[".repeat(100_000)),
		"whitespace alone": own(" "),
		"insertion order under RFC 8785": { body: '{"b":1,"a":2}' },
		"sorted keys under json": {
			body: '{"b":1,"a":2}',
			hashed: '{"a":2,"b":1}',
			signing: { canonicalBody: "json" },
		},
		"no body, hashed as an empty object, without the profile": { hashed: "{}" },
	},
	"413 body_too_large: the body is larger than maxBodyBytes, 6 bytes": {
		"a byte more than maxBodyBytes": sized(6),
	},
	"413 body_too_large: the body is larger than maxBodyBytes, 16777216 bytes": {
		"a byte more than maxBodyBytes is by default": { body: new Uint8Array(16 * 1024 * 1024 + 1), hashed: "" },
	},
	"413 body_too_large: the body has more than 100000 brackets, braces, colons and commas outside its strings":
		{
			"as large as maxBodyBytes is by default, with brackets alone": {
				body: new Uint8Array(16 * 1024 * 1024).fill(0x5b),
				hashed: "",
			},
			"one more": structured(100_001),
			"one more, of a larger maxBodyBytes": { ...sized(64 * 1024 * 1024), ...structured(100_001) },
		},
	"ConfigurationError: maxBodyBytes must be a number above 0": {
		"maxBodyBytes of 0": sized(0),
		"a negative maxBodyBytes": sized(-1),
		"maxBodyBytes that is NaN": sized(Number.NaN),
		"maxBodyBytes that is a string": sized("1"),
	},
	"Error: of the profile's own": {
		"a function of the profile that throws": {
			body: "{}",
			signing: {
				canonicalBody: () => {
					throw new Error("of the profile's own");
				},
			},
		},
	},
	"ConfigurationError: profile.signing.canonicalBody must return a string, not a promise": {
		"a function of the profile that is async": {
			body: "{}",
			signing: { canonicalBody: (async () => "{}") as never },
		},
	},
};

/** The path on the request line is the one that was signed, to the letter. */
const PATHS: Outcomes<Arrival> = {
	[ACCEPTED]: {
		"without its query": { url: "/x?b=2&a=1", signedPath: "/x" },
		"with its query, if that is included": { url: "/x?b=2&a=1", signing: { query: "included" } },
		"with its query sorted, if that is sorted": {
			url: "/x?b=2&a=1",
			signedPath: "/x?a=1&b=2",
			signing: { query: "sorted" },
		},
		"without a query that there is not, if that is included": { signing: { query: "included" } },
		"without its base path": {
			url: "https://gateway.example/api/x",
			signedPath: "/x",
			signing: { path: "without_base_path" },
			options: { basePath: "/api" },
		},
	},
	[MISMATCH]: {
		"signed decoded": path("/api/mapping/%2B1555", "/api/mapping/+1555"),
		"signed with its query": path("/api/mapping?limit=5", "/api/mapping?limit=5"),
		"signed without its base path": path("/api/mapping", "/mapping"),
		"signed without its first segment, after two slashes": path("//a/b", "/b"),
		"signed before its dots are resolved": path("/x/../message/text", "/message/text"),
		"signed before its escaped dots are resolved": path("/x/%2e%2e/message/text", "/message/text"),
		"signed before a dot is resolved": path("/./message/text", "/message/text"),
		"signed with slashes for backslashes": path("/message\\text", "/message/text"),
		"signed without its fragment": path("/message/text#x", "/message/text"),
		"signed with one slash for two": path("//message/text", "/message/text"),
		"an escape that isn't UTF-8, with path decoded": {
			url: "/v1/mapping/%FF",
			signing: { path: "decoded" },
		},
		"an escape that isn't UTF-8, with path decoded_without_base_path": {
			url: "/v1/mapping/%FF",
			signing: { path: "decoded_without_base_path" },
		},
	},
};

testOutcomes(REQUESTS, outcomeOf);
testOutcomes(BODIES, outcomeOf);
testOutcomes(PATHS, outcomeOf);

test("with a clock without timers, the system's measure how long the nonce store takes", async () => {
	vi.useFakeTimers();
	onTestFinished(() => void vi.useRealTimers());
	const nonceStore = { remember: () => new Promise<boolean>(() => undefined) };
	const options = verifierOptions({ clock: clockWithoutTimers, nonceStore });
	const hanging = catchRejection(verifyRequest(signedRequest(), options));
	await vi.advanceTimersByTimeAsync(5_000);
	expect(await hanging).toMatchObject({
		code: "nonce_store_unavailable",
		status: 503,
		message: expect.stringContaining("no response within storeTimeoutMs, 5000 ms"),
	});
});
