import {
	ConfigurationError,
	RequestVerificationError,
	type VerifyRequestOptions,
	verifyRequest,
} from "messaging-gateway/signing";
import { describe, expect, test } from "vitest";
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
		["now, with tolerance 0", 0, true, { toleranceMs: 0 }],
		["a millisecond behind, with tolerance 0", -1, false, { toleranceMs: 0 }],
		["501 ms ahead, with a tolerance of 500", 501, false, { toleranceMs: 500 }],
	])("%s: accepted %s", async (_title, offset, isAccepted, options) => {
		const outcome = verify({ timestamp: now + offset }, options);
		if (isAccepted) await expect(outcome).resolves.toMatchObject({ timestamp: now + offset });
		else await expect(outcome).rejects.toMatchObject({ code: "timestamp_out_of_range", status: 401 });
	});

	test("the message shows by how much and which way the clocks differ", async () => {
		const messageAt = async (timestamp: number) => String(await catchRejection(verify({ timestamp })));
		expect(await messageAt(now - 600_000)).toContain("600 s behind");
		expect(await messageAt(now + 600_000)).toContain("600 s ahead");
	});

	test.each([Number.NaN, -1, Number.POSITIVE_INFINITY])(
		"a tolerance of %s is a ConfigurationError",
		async (toleranceMs) => {
			await expect(verify({}, { toleranceMs })).rejects.toBeInstanceOf(ConfigurationError);
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
