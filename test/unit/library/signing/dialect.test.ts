import {
	RequestVerificationError,
	type SigningProfile,
	signRequest,
	verifyRequest,
} from "messaging-gateway/signing";
import { describe, expect, test } from "vitest";
import { catchError, catchRejection } from "../../../support/catch-error.ts";
import { fixedClock } from "../../../support/fixed-clock.ts";
import {
	APP_SECRET,
	NONCE,
	SIGNED_AT,
	signedRequest,
	verifierOptions,
} from "../../../support/signed-request.ts";

/** A part of a second later than a request was signed. */
const now = SIGNED_AT + 123;

function sign(url: string, signing: SigningProfile) {
	const credentials = { appId: "app-1", appSecret: APP_SECRET };
	return signRequest({
		method: "GET",
		url,
		timestamp: now,
		nonce: NONCE,
		profile: { signing },
		...credentials,
	});
}

/** Verifies what node:crypto signed over a path and a timestamp that are written by hand. */
function verify(url: string, timestamp: string, signing: SigningProfile) {
	const options = verifierOptions({ clock: fixedClock(now), profile: { signing } });
	return verifyRequest(signedRequest({ method: "GET", url, timestamp }), options);
}

test.each(["decoded", "decoded_without_base_path"] as const)(
	"a path that is %s cannot be signed if an escape is not UTF-8, and no signature of it is valid",
	async (path) => {
		const broken = "/v1/mapping/%FF";
		expect(catchError(() => sign(broken, { path }))).toMatchObject({ code: "configuration" });
		const error = await catchRejection(verify(broken, String(now), { path }));
		expect(error).toBeInstanceOf(RequestVerificationError);
		expect(error).toMatchObject({ code: "signature_mismatch" });
	},
);

describe("timestamps in seconds", () => {
	const signing = { timestamp: "seconds" } as const;

	test("are sent and signed in whole seconds, and read as milliseconds", async () => {
		const { headers, stringToSign } = sign("/x", signing);
		expect(headers["X-Timestamp"]).toBe("1767225600");
		expect(stringToSign.split("\n")[3]).toBe("1767225600");
		expect(await verify("/x", "1767225600", signing)).toMatchObject({ timestamp: 1767225600000 });
	});

	test.each(["1767225899", "1767225301"])("%s is within five minutes", async (timestamp) => {
		expect(await verify("/x", timestamp, signing)).toMatchObject({ nonce: NONCE });
	});

	test.each(["1767225901", "1767225299", String(now)])("%s is not", async (timestamp) => {
		expect(await catchRejection(verify("/x", timestamp, signing))).toMatchObject({
			code: "timestamp_out_of_range",
		});
	});
});

describe("a sorted query", () => {
	const signing = { query: "sorted" } as const;

	test.each([
		["/x", "/x"],
		["/x?", "/x"],
		["/x?b=2&a=1", "/x?a=1&b=2"],
		["/x?a=2&a=1&A=3", "/x?A=3&a=2&a=1"],
		// By name, not by the whole pair: "=" is above "-" and the digits.
		["/x?a1=1&a=2&a-b=3", "/x?a=2&a-b=3&a1=1"],
		["/x?b=%2B+c%3D&a==&&c", "/x?&a==&b=%2B+c%3D&c"],
	])("of %s is signed as %s, and verified as it arrives", async (url, signed) => {
		expect(sign(url, signing).stringToSign.split("\n")[1]).toBe(signed);
		const request = signedRequest({ method: "GET", url, signedPath: signed, timestamp: String(now) });
		const options = verifierOptions({ clock: fixedClock(now), profile: { signing } });
		expect(await verifyRequest(request, options)).toMatchObject({ nonce: NONCE });
	});
});
