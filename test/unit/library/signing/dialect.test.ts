import {
	memoryNonceStore,
	RequestVerificationError,
	type SigningProfile,
	signRequest,
	verifyRequest,
} from "messaging-gateway/signing";
import { describe, expect, test } from "vitest";
import { catchError, catchRejection } from "../../../support/catch-error.ts";
import { fixedClock } from "../../../support/fixed-clock.ts";
import { hmacSha256, sha256 } from "../../../support/node-crypto.ts";

const now = 1767225600123;
const nonce = "3f1c9a52-8d0e-4b7a-9c63-5e2d71f0a4b8";
const credentials = { appId: "app-1", appSecret: "app-secret-1" };

function sign(url: string, signing: SigningProfile) {
	const basePath = "/v1";
	return signRequest({
		method: "GET",
		url,
		timestamp: now,
		nonce,
		basePath,
		profile: { signing },
		...credentials,
	});
}

/** Verifies what node:crypto signed over a path and a timestamp that are written by hand. */
function verify(url: string, [path, timestamp]: readonly [string, string], signing: SigningProfile) {
	const signature = hmacSha256(credentials.appSecret, `GET\n${path}\n${sha256("")}\n${timestamp}\n${nonce}`);
	const headers = new Headers({
		"X-App-Id": credentials.appId,
		"X-Timestamp": timestamp,
		"X-Nonce": nonce,
		Authorization: `HMAC ${signature}`,
	});
	const clock = fixedClock(now);
	return verifyRequest(
		{ method: "GET", url, headers },
		{
			secretFor: () => credentials.appSecret,
			nonceStore: memoryNonceStore({ clock }),
			clock,
			basePath: "/v1",
			profile: { signing },
		},
	);
}

describe("the path", () => {
	const url = "/v1/mapping/%2B1%20555%2F%C3%AB";

	test.each([
		["request_line", url],
		["without_base_path", "/mapping/%2B1%20555%2F%C3%AB"],
		["decoded", "/v1/mapping/+1 555/ë"],
		["decoded_without_base_path", "/mapping/+1 555/ë"],
	] as const)("%s is signed and verified as %s", async (path, signed) => {
		expect(sign(url, { path }).stringToSign.split("\n")[1]).toBe(signed);
		expect(await verify(url, [signed, String(now)], { path })).toMatchObject({ appId: "app-1" });
	});

	test.each(["decoded", "decoded_without_base_path"] as const)(
		"%s cannot be signed if an escape is not UTF-8, and no signature of it is valid",
		async (path) => {
			const broken = "/v1/mapping/%FF";
			expect(catchError(() => sign(broken, { path }))).toMatchObject({ code: "configuration" });
			const error = await catchRejection(verify(broken, [broken, String(now)], { path }));
			expect(error).toBeInstanceOf(RequestVerificationError);
			expect(error).toMatchObject({ code: "signature_mismatch" });
		},
	);
});

describe("timestamps in seconds", () => {
	const signing = { timestamp: "seconds" } as const;
	const url = "/mapping/1";

	test("are sent and signed in whole seconds, and read as milliseconds", async () => {
		const { headers, stringToSign } = sign(url, signing);
		expect(headers["X-Timestamp"]).toBe("1767225600");
		expect(stringToSign.split("\n")[3]).toBe("1767225600");
		expect(await verify(url, [url, "1767225600"], signing)).toMatchObject({ timestamp: 1767225600000 });
	});

	test.each(["1767225899", "1767225301"])("%s is within five minutes", async (timestamp) => {
		expect(await verify(url, [url, timestamp], signing)).toMatchObject({ nonce });
	});

	test.each(["1767225901", "1767225299", String(now)])("%s is not", async (timestamp) => {
		expect(await catchRejection(verify(url, [url, timestamp], signing))).toMatchObject({
			code: "timestamp_out_of_range",
		});
	});
});
