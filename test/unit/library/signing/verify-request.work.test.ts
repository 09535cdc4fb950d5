import {
	memoryNonceStore,
	type NonceStore,
	type SigningProfile,
	verifyRequest,
} from "messaging-gateway/signing";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { catchRejection } from "../../../support/catch-error.ts";
import { fixedClock } from "../../../support/fixed-clock.ts";
import { APP_SECRET, NONCE, SIGNED_AT, signedRequest } from "../../../support/signed-request.ts";

/** What was done since the test began, in order. */
const work = vi.hoisted((): string[] => []);

vi.mock(import("../../../../src/library/signing/hash.ts"), async (importOriginal) => {
	const original = await importOriginal();
	return {
		...original,
		sha256Hex(message) {
			work.push("hash");
			return original.sha256Hex(message);
		},
		hmacKeyOf(secret, toError) {
			const key = original.hmacKeyOf(secret, toError);
			return {
				...key,
				sign(...parts) {
					work.push("hmac");
					return key.sign(...parts);
				},
			};
		},
	};
});

vi.mock(import("../../../../src/library/signing/dialect.ts"), async (importOriginal) => {
	const original = await importOriginal();
	return {
		...original,
		bodyBytes(...body) {
			work.push("canonicalize");
			return original.bodyBytes(...body);
		},
	};
});

const BODY = Buffer.from('{"a":1}');

beforeEach(() => {
	work.length = 0;
});

afterEach(() => {
	vi.restoreAllMocks();
});

/** A request that is right but for what is changed. */
const request = (headers: Readonly<Record<string, string>> = {}, body = BODY) =>
	signedRequest({ body, headers });

/** A gateway that notes its look-ups beside the work. */
function gateway({ known, ...options }: { known?: readonly string[]; maxBodyBytes?: number } = {}) {
	const clock = fixedClock(SIGNED_AT);
	const seen = new Set(known);
	const nonceStore: NonceStore = {
		async has(key) {
			work.push("has");
			return seen.has(key);
		},
		async remember(key) {
			work.push("remember");
			return !seen.has(key);
		},
	};
	const secretFor = (appId: string) => {
		work.push("secretFor");
		return appId === "app-1" ? APP_SECRET : undefined;
	};
	return { secretFor, nonceStore, clock, ...options };
}

test("an accepted request goes from what is cheap to what is dear", async () => {
	await verifyRequest(request(), gateway());
	expect(work).toEqual(["secretFor", "has", "canonicalize", "hash", "hmac", "remember"]);
});

describe("what is rejected before anything is canonicalized or hashed", () => {
	const otherSignature = { Authorization: `HMAC ${"0".repeat(64)}` };
	const known = { known: [`app-1:${NONCE}`] };

	test.each<[code: string, changes: Record<string, string>, options: object, done: string[]]>([
		["missing_header", { "X-Nonce": "" }, {}, []],
		["malformed_header", { Authorization: `HMAC ${"A".repeat(64)}` }, {}, []],
		["unknown_app_id", { "X-App-Id": "app-2" }, {}, ["secretFor"]],
		["timestamp_out_of_range", { "X-Timestamp": String(SIGNED_AT - 300_001) }, {}, ["secretFor"]],
		["nonce_replayed", {}, known, ["secretFor", "has"]],
		["nonce_replayed", { "X-Nonce": NONCE.toUpperCase() }, known, ["secretFor", "has"]],
		["nonce_replayed", otherSignature, known, ["secretFor", "has"]],
		["body_too_large", {}, { maxBodyBytes: BODY.length - 1 }, ["secretFor", "has"]],
	])("%s: %j", async (code, changes, options, done) => {
		const error = await catchRejection(verifyRequest(request(changes), gateway(options)));
		expect(error).toMatchObject({ code });
		expect(work).toEqual(done);
	});

	test("a nonce whose store fails", async () => {
		const cause = new Error("connection lost");
		const nonceStore: NonceStore = { has: () => Promise.reject(cause), remember: async () => true };
		const error = await catchRejection(verifyRequest(request(), { ...gateway(), nonceStore }));
		expect(error).toMatchObject({ code: "nonce_store_unavailable", status: 503, cause });
		expect(work).toEqual(["secretFor"]);
	});
});

test("a nonce is not remembered for a wrong signature", async () => {
	const error = await catchRejection(
		verifyRequest(request({ Authorization: `HMAC ${"0".repeat(64)}` }), gateway()),
	);
	expect(error).toMatchObject({ code: "signature_mismatch" });
	expect(work).toEqual(["secretFor", "has", "canonicalize", "hash", "hmac"]);
});

test("a store without has is only called at the end", async () => {
	const { has: _, ...nonceStore } = gateway({ known: [`app-1:${NONCE}`] }).nonceStore;
	const error = await catchRejection(verifyRequest(request(), { ...gateway(), nonceStore }));
	expect(error).toMatchObject({ code: "nonce_replayed" });
	expect(work).toEqual(["secretFor", "canonicalize", "hash", "hmac", "remember"]);
});

test("the store in memory knows a replay before the body is hashed", async () => {
	const clock = fixedClock(SIGNED_AT);
	const options = { ...gateway(), clock, nonceStore: memoryNonceStore({ clock }) };
	await verifyRequest(request(), options);
	work.length = 0;
	expect(await catchRejection(verifyRequest(request(), options))).toMatchObject({ code: "nonce_replayed" });
	expect(work).toEqual(["secretFor"]);
});

describe("maxBodyBytes", () => {
	test("a body of exactly that size is accepted, and one byte more gets 413", async () => {
		await expect(verifyRequest(request(), gateway({ maxBodyBytes: BODY.length }))).resolves.toBeDefined();
		const error = await catchRejection(verifyRequest(request(), gateway({ maxBodyBytes: BODY.length - 1 })));
		expect(error).toMatchObject({ name: "RequestVerificationError", code: "body_too_large", status: 413 });
	});

	test("by default 16 MiB are accepted, and not a byte more", async () => {
		const large = { ...request(), body: new Uint8Array(16 * 1024 * 1024) };
		expect(await catchRejection(verifyRequest(large, gateway()))).toMatchObject({
			code: "signature_mismatch",
		});
		const larger = { ...request(), body: new Uint8Array(16 * 1024 * 1024 + 1) };
		expect(await catchRejection(verifyRequest(larger, gateway()))).toMatchObject({ code: "body_too_large" });
	});

	test.each([0, -1, Number.NaN, "1"])("%s is a ConfigurationError", async (maxBodyBytes) => {
		const options = { ...gateway(), maxBodyBytes: maxBodyBytes as number };
		const error = await catchRejection(verifyRequest(request(), options));
		expect(error).toMatchObject({ name: "ConfigurationError" });
	});
});

describe("brackets, braces, colons and commas outside strings", () => {
	/** An array with so many: two brackets, and a comma between every two zeros. */
	const withCharacters = (count: number) => Buffer.from(`[${"0,".repeat(count - 2)}0]`);

	test("100,000 are accepted", async () => {
		await expect(verifyRequest(request({}, withCharacters(100_000)), gateway())).resolves.toBeDefined();
	});

	test.each<[form: string, signing: SigningProfile]>([
		["rfc8785", {}],
		["json", { canonicalBody: "json" }],
		["a function", { canonicalBody: JSON.stringify }],
	])("one more gets 413 before any value is made: %s", async (_form, signing) => {
		const signed = request({}, withCharacters(100_001));
		const parse = vi.spyOn(JSON, "parse");
		const error = await catchRejection(verifyRequest(signed, { ...gateway(), profile: { signing } }));
		expect(error).toMatchObject({ code: "body_too_large", status: 413 });
		expect(parse).not.toHaveBeenCalled();
		expect(work).toEqual(["secretFor", "has"]);
	});

	test("a larger maxBodyBytes allows no more of them", async () => {
		const options = gateway({ maxBodyBytes: 64 * 1024 * 1024 });
		const error = await catchRejection(verifyRequest(request({}, withCharacters(100_001)), options));
		expect(error).toMatchObject({ code: "body_too_large" });
	});
});
