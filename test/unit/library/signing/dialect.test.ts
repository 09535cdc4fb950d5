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
