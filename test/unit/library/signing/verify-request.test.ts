import {
	ConfigurationError,
	memoryNonceStore,
	type NonceStore,
	RequestVerificationError,
	type VerifyRequestOptions,
	verifyRequest,
} from "messaging-gateway/signing";
import { describe, expect, test } from "vitest";
import { catchRejection } from "../../../support/catch-error.ts";
import { fixedClock } from "../../../support/fixed-clock.ts";
import { hmacSha256, sha256 } from "../../../support/node-crypto.ts";

const now = 1767225600000;
const nonce = "3f1c9a52-8d0e-4b7a-9c63-5e2d71f0a4b8";
const secret = "app-secret-1";

interface Changes {
	method?: string;
	url?: string;
	/** The bytes that arrive. */
	body?: string | Uint8Array;
	/** The string that the sender hashed, if it differs from the one that arrives. */
	hashed?: string;
	/** Headers to replace; `null` removes one. */
	headers?: Record<string, string | null>;
	timestamp?: number;
	nonce?: string;
	secret?: string;
}

/** A request signed by node:crypto, over a path written by hand. */
function request(changes: Changes = {}) {
	const { method = "POST", url = "/message/text", body, timestamp = now } = changes;
	const nonceText = changes.nonce ?? nonce;
	const toSign = `${method}\n${url}\n${sha256(changes.hashed ?? body ?? "")}\n${timestamp}\n${nonceText}`;
	const headers = new Headers({
		"X-App-Id": "app-1",
		"X-Timestamp": String(timestamp),
		"X-Nonce": nonceText,
		Authorization: `HMAC ${hmacSha256(changes.secret ?? secret, toSign)}`,
	});
	for (const [name, value] of Object.entries(changes.headers ?? {})) {
		if (value === null) headers.delete(name);
		else headers.set(name, value);
	}
	const bytes = body === undefined ? {} : { body: Buffer.from(body) };
	return { method, url, headers, ...bytes };
}

function options(changes: Partial<VerifyRequestOptions> = {}): VerifyRequestOptions {
	const clock = fixedClock(now);
	const nonceStore = memoryNonceStore({ clock });
	return { secretFor: (appId) => (appId === "app-1" ? secret : undefined), nonceStore, clock, ...changes };
}

/** The code and status that a request is rejected with. */
async function rejection(changes: Changes, changedOptions: Partial<VerifyRequestOptions> = {}) {
	const error = await catchRejection(verifyRequest(request(changes), options(changedOptions)));
	expect(error).toBeInstanceOf(RequestVerificationError);
	const { code, status } = error as RequestVerificationError;
	return `${status} ${code}`;
}

test("a request signed as section 5.1 specifies is accepted, with the signer and the time", async () => {
	await expect(verifyRequest(request({ body: "{}" }), options())).resolves.toEqual({
		appId: "app-1",
		timestamp: now,
		nonce,
	});
});

test("the literal signature of a GET is accepted", async () => {
	const headers = new Headers({
		"X-App-Id": "app-1",
		"X-Timestamp": "1767225600000",
		"X-Nonce": nonce,
		Authorization: "HMAC c1bbb4758805cd8170cd473f59eb008ed3442708291edf4c0923b7313a7a47a1",
	});
	const url = "https://gateway.example/mapping/%2B15551234567?ignored=1";
	await expect(verifyRequest({ method: "get", url, headers }, options())).resolves.toMatchObject({ nonce });
});

describe("each rejection has its code and status", () => {
	const otherSignature = { Authorization: `HMAC ${"0".repeat(64)}` };

	test.each<[expected: string, title: string, changes: Changes]>([
		["401 missing_header", "no app id", { headers: { "X-App-Id": null } }],
		["401 missing_header", "no timestamp", { headers: { "X-Timestamp": null } }],
		["401 missing_header", "no nonce", { headers: { "X-Nonce": null } }],
		["401 missing_header", "no authorization", { headers: { Authorization: null } }],
		["401 missing_header", "an empty nonce", { headers: { "X-Nonce": "" } }],
		["401 malformed_header", "an app id with a space", { headers: { "X-App-Id": "a b" } }],
		["401 malformed_header", "an app id of 257 characters", { headers: { "X-App-Id": "a".repeat(257) } }],
		["401 malformed_header", "a timestamp with a sign", { headers: { "X-Timestamp": "+1767225600000" } }],
		[
			"401 malformed_header",
			"a timestamp with a fraction",
			{ headers: { "X-Timestamp": "1767225600000.0" } },
		],
		["401 malformed_header", "a timestamp with an exponent", { headers: { "X-Timestamp": "1e12" } }],
		["401 malformed_header", "a timestamp in hex", { headers: { "X-Timestamp": "0x19b" } }],
		[
			"401 malformed_header",
			"a timestamp with a leading zero",
			{ headers: { "X-Timestamp": "01767225600000" } },
		],
		["401 malformed_header", "a timestamp twice", { headers: { "X-Timestamp": `${now}, ${now}` } }],
		["401 malformed_header", "a nonce that is no UUID", { headers: { "X-Nonce": "abc" } }],
		["401 malformed_header", "a nonce twice", { headers: { "X-Nonce": `${nonce}, ${nonce}` } }],
		["401 malformed_header", "another scheme", { headers: { Authorization: `Bearer ${"0".repeat(64)}` } }],
		[
			"401 malformed_header",
			"a signature of 63 digits",
			{ headers: { Authorization: `HMAC ${"0".repeat(63)}` } },
		],
		[
			"401 malformed_header",
			"a signature of 65 digits",
			{ headers: { Authorization: `HMAC ${"0".repeat(65)}` } },
		],
		[
			"401 malformed_header",
			"a signature in upper case",
			{ headers: { Authorization: `HMAC ${"A".repeat(64)}` } },
		],
		[
			"401 malformed_header",
			"a signature with a bad digit",
			{ headers: { Authorization: `HMAC ${"g".repeat(64)}` } },
		],
		["401 unknown_app_id", "an app id that nobody has", { headers: { "X-App-Id": "app-2" } }],
		["401 timestamp_out_of_range", "a timestamp in seconds", { timestamp: now / 1000 }],
		["401 signature_mismatch", "the signature of another request", { headers: otherSignature }],
		["401 signature_mismatch", "a signature by another secret", { secret: "app-secret-2" }],
		["401 signature_mismatch", "a signature over another body", { body: "{}", hashed: '{"a":1}' }],
		["401 signature_mismatch", "a signature over a body that did not arrive", { hashed: "{}" }],
	])("%s: %s", async (expected, _title, changes) => {
		expect(await rejection(changes)).toBe(expected);
	});

	test.each([0, 32, 63])(
		"401 signature_mismatch: a signature of which digit %i alone is wrong",
		async (at) => {
			const authorization = request().headers.get("Authorization") ?? "";
			const digitAt = "HMAC ".length + at;
			const wrong = authorization[digitAt] === "0" ? "1" : "0";
			const Authorization = authorization.slice(0, digitAt) + wrong + authorization.slice(digitAt + 1);
			expect(await rejection({ headers: { Authorization } })).toBe("401 signature_mismatch");
		},
	);

	test("the checks run in the order headers, app id, timestamp, signature, nonce", async () => {
		const nonceStore: NonceStore = { remember: async () => false };
		const everything: Changes = {
			timestamp: 1,
			secret: "app-secret-2",
			headers: { "X-App-Id": "app-2", Authorization: "Basic abc" },
		};
		const knownApp: Changes = { timestamp: 1, secret: "app-secret-2" };
		expect(await rejection(everything, { nonceStore })).toBe("401 malformed_header");
		expect(await rejection({ ...everything, headers: { "X-App-Id": "app-2" } }, { nonceStore })).toBe(
			"401 unknown_app_id",
		);
		expect(await rejection(knownApp, { nonceStore })).toBe("401 timestamp_out_of_range");
		expect(await rejection({ ...knownApp, timestamp: now }, { nonceStore })).toBe("401 signature_mismatch");
		expect(await rejection({}, { nonceStore })).toBe("401 nonce_replayed");
	});

	test("no message holds the secret, the signature, the nonce or the body", async () => {
		const changes: Changes[] = [
			{ secret: "x" },
			{ timestamp: 1 },
			{ body: '{"text":"private"}', hashed: "" },
		];
		for (const change of changes) {
			const sent = request(change);
			const error = await catchRejection(verifyRequest(sent, options()));
			for (const hidden of [secret, "private", nonce, sent.headers.get("Authorization")?.slice(5) ?? ""]) {
				expect(`${error} ${JSON.stringify(error)}`).not.toContain(hidden);
			}
		}
	});
});

describe("the timestamp", () => {
	test.each([
		["exactly five minutes behind", -300_000, true],
		["exactly five minutes ahead", 300_000, true],
		["one millisecond more behind", -300_001, false],
		["one millisecond more ahead", 300_001, false],
	])("%s: accepted %s", async (_title, offset, isAccepted) => {
		const outcome = verifyRequest(request({ timestamp: now + offset }), options());
		if (isAccepted) await expect(outcome).resolves.toMatchObject({ timestamp: now + offset });
		else await expect(outcome).rejects.toMatchObject({ code: "timestamp_out_of_range", status: 401 });
	});

	test("another tolerance moves the limit, and 0 accepts the present alone", async () => {
		await expect(verifyRequest(request(), options({ toleranceMs: 0 }))).resolves.toBeDefined();
		expect(await rejection({ timestamp: now - 1 }, { toleranceMs: 0 })).toBe("401 timestamp_out_of_range");
		expect(await rejection({ timestamp: now + 501 }, { toleranceMs: 500 })).toBe(
			"401 timestamp_out_of_range",
		);
	});

	test("the message shows by how much and which way the clocks differ", async () => {
		const error = await catchRejection(verifyRequest(request({ timestamp: now - 600_000 }), options()));
		expect(String(error)).toContain("600 s behind");
		const other = await catchRejection(verifyRequest(request({ timestamp: now + 600_000 }), options()));
		expect(String(other)).toContain("600 s ahead");
	});

	test.each([Number.NaN, -1, Number.POSITIVE_INFINITY])(
		"a tolerance of %s is a ConfigurationError",
		async (toleranceMs) => {
			await expect(verifyRequest(request(), options({ toleranceMs }))).rejects.toBeInstanceOf(
				ConfigurationError,
			);
		},
	);
});

describe("the secret of an app", () => {
	test("it may come later, from a promise", async () => {
		const secretFor = (appId: string) => Promise.resolve(appId === "app-1" ? secret : undefined);
		await expect(verifyRequest(request(), options({ secretFor }))).resolves.toMatchObject({ appId: "app-1" });
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
		const outcome = verifyRequest(request({ secret: unusable }), options({ secretFor: () => unusable }));
		await expect(outcome).rejects.toBeInstanceOf(ConfigurationError);
	});
});

describe("the path on the request line is the one that was signed, to the letter", () => {
	test.each([
		"/x/../message/text",
		"/x/%2e%2e/message/text",
		"/./message/text",
		"/message\\text",
		"/message/text#x",
		"//message/text",
	])("%s does not pass as /message/text", async (url) => {
		const signed = request({ url: "/message/text", body: "{}" });
		const error = await catchRejection(verifyRequest({ ...signed, url }, options()));
		expect(error).toMatchObject({ code: "signature_mismatch", status: 401 });
	});
});
