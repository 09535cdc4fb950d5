import { verifySignature, type WebhookDelivery, WebhookVerificationError } from "messaging-gateway/webhooks";
import { describe, expect, test } from "vitest";
import { catchError } from "../../../support/catch-error.ts";
import { hmacSha256 } from "../../../support/node-crypto.ts";
import {
	deliver,
	receiver,
	signedAt,
	webhookSecret,
	webhookSignature,
} from "../../../support/webhook-delivery.ts";

const body = '{"messageId":"m-1","status":"sent"}';
const good = webhookSignature(body);

/** The status and code that a delivery is rejected with. */
function rejection(delivery: unknown, options: object = {}): string {
	const error = catchError(() => verifySignature(delivery as WebhookDelivery, { ...receiver(), ...options }));
	expect(error).toBeInstanceOf(WebhookVerificationError);
	const { code, status } = error as WebhookVerificationError;
	return `${status} ${code}`;
}

/** A delivery with another signature header. */
function signed(signature: string | string[]): WebhookDelivery {
	return deliver(body, { "x-svc-signature": signature });
}

describe("literal vectors (specification, section 6.1)", () => {
	test("a delivery signed outside of this repository is accepted", () => {
		const headers = {
			"X-SVC-Event-Id": "evt_1",
			"X-SVC-Timestamp": "1767225600",
			"X-SVC-Signature": "v1=63dadbd46da39aba1120423459d39605e4328bc4f68af079a9fd6b9f34b03d10",
		};
		expect(verifySignature({ body, headers }, receiver())).toEqual({
			eventId: "evt_1",
			timestamp: 1767225600,
			body,
		});
	});

	test("the HMAC covers the timestamp, a full stop and the bytes", () => {
		const signature = hmacSha256("whsec-1", "1767225600.{}");
		expect(() =>
			verifySignature(deliver("{}", { "x-svc-signature": `v1=${signature}` }), receiver()),
		).not.toThrow();
	});
});

describe("the signature header", () => {
	const others = Array.from({ length: 15 }, (_, at) => `v1=${at.toString(16).repeat(64)}`);
	const padding = (length: number): string => " ".repeat(length - good.length - 4);

	test.each<[title: string, header: string | string[]]>([
		["one signature", `v1=${good}`],
		["upper-case hex", `v1=${good.toUpperCase()}`],
		["the right one first", `v1=${good}, v1=${"0".repeat(64)}`],
		["the right one last", `v1=${"0".repeat(64)},v1=${good}`],
		["the right one among other schemes and rubbish", `v0=abc, ,sha256=${good}, v1=${good}, v2=x`],
		["spaces and tabs around", `\t v1=${good} \t, v1=${"0".repeat(64)}`],
		["16 candidates", [...others, `v1=${good}`].join(",")],
		["exactly 4,096 characters", `v1=${good},${padding(4_096)}`],
		["several header lines", ["v1=00", `v1=${good}`]],
	])("is accepted with %s", (_title, header) => {
		expect(verifySignature(signed(header), receiver())).toMatchObject({ eventId: "evt_1" });
	});

	test.each<[expected: string, title: string, header: string | string[]]>([
		["400 missing_header", "an empty header", ""],
		["400 missing_header", "a header of whitespace", "  "],
		["400 missing_header", "no header line", []],
		[
			"400 malformed_header",
			"17 candidates, the right one among them",
			[`v1=${good}`, ...others, "v1=0"].join(","),
		],
		["400 malformed_header", "4,097 characters, the right one among them", `v1=${good},${padding(4_097)}`],
		["401 signature_mismatch", "v1= and nothing", "v1="],
		["401 signature_mismatch", "63 digits", `v1=${good.slice(1)}`],
		["401 signature_mismatch", "65 digits", `v1=${good}0`],
		["401 signature_mismatch", "the right signature twice in one", `v1=${good}${good}`],
		["401 signature_mismatch", "no scheme", good],
		["401 signature_mismatch", "the scheme v0", `v0=${good}`],
		["401 signature_mismatch", "the scheme sha256", `sha256=${good}`],
		["401 signature_mismatch", "the scheme V1", `V1=${good}`],
		["401 signature_mismatch", "a space before the equals sign", `v1 =${good}`],
		["401 signature_mismatch", "a space after the equals sign", `v1= ${good}`],
		["401 signature_mismatch", "quotes", `v1="${good}"`],
		["401 signature_mismatch", "another separator", `v1=${good};v1=${good}`],
		["401 signature_mismatch", "a no-break space after it", `v1=${good}\u00a0`],
		["401 signature_mismatch", "a no-break space before it", `\u00a0v1=${good}`],
		["401 signature_mismatch", "a letter beyond ASCII", `v1=${good.slice(0, -1)}é`],
		["401 signature_mismatch", "full-width digits", `v1=${"\uff10".repeat(64)}`],
		["401 signature_mismatch", "a signature that is wrong", `v1=${"0".repeat(64)}`],
		[
			"401 signature_mismatch",
			"the right signature in base64",
			`v1=${Buffer.from(good, "hex").toString("base64")}`,
		],
	])("%s: %s", (expected, _title, header) => {
		expect(rejection(signed(header))).toBe(expected);
	});

	test.each(Array.from({ length: 64 }, (_, at) => at))("a bad digit at position %i is a mismatch", (at) => {
		const other = good[at] === "0" ? "1" : "0";
		expect(rejection(signed(`v1=${good.slice(0, at)}g${good.slice(at + 1)}`))).toBe("401 signature_mismatch");
		expect(rejection(signed(`v1=${good.slice(0, at)}${other}${good.slice(at + 1)}`))).toBe(
			"401 signature_mismatch",
		);
	});
});

describe("the timestamp header", () => {
	const at = (timestamp: string | string[], signedText = String(timestamp)) =>
		deliver(body, {
			"x-svc-timestamp": timestamp,
			"x-svc-signature": `v1=${webhookSignature(body, webhookSecret, signedText)}`,
		});

	test.each<[expected: string, title: string, timestamp: string | string[]]>([
		["400 missing_header", "empty", ""],
		["400 malformed_header", "a plus sign", `+${signedAt}`],
		["400 malformed_header", "a minus sign", `-${signedAt}`],
		["400 malformed_header", "a space before", ` ${signedAt}`],
		["400 malformed_header", "a newline after", `${signedAt}\n`],
		["400 malformed_header", "an exponent", "1.7672256e9"],
		["400 malformed_header", "a fraction", `${signedAt}.0`],
		["400 malformed_header", "hex", "0x6955b900"],
		["400 malformed_header", "a leading zero", `0${signedAt}`],
		["400 malformed_header", "zero", "0"],
		[
			"400 malformed_header",
			"full-width digits",
			"\uff11\uff17\uff16\uff17\uff12\uff12\uff15\uff16\uff10\uff10",
		],
		["400 malformed_header", "a joined duplicate", `${signedAt}, ${signedAt}`],
		["400 malformed_header", "two header lines", [String(signedAt), String(signedAt)]],
		["400 malformed_header", "13 digits", `${signedAt}000`],
		["400 malformed_header", "an ISO date", "2026-01-01T00:00:00Z"],
		["401 timestamp_out_of_tolerance", "12 digits", "999999999999"],
		["401 timestamp_out_of_tolerance", "one digit", "1"],
	])("%s: %s, although rightly signed", (expected, _title, timestamp) => {
		expect(rejection(at(timestamp))).toBe(expected);
	});

	test("milliseconds are named as what they are", () => {
		expect(String(catchError(() => verifySignature(at(`${signedAt}000`), receiver())))).toContain(
			"milliseconds",
		);
		expect(String(catchError(() => verifySignature(at("x"), receiver())))).not.toContain("milliseconds");
	});

	test("the HMAC covers the header's own string", () => {
		expect(rejection(at(String(signedAt), String(signedAt + 1)))).toBe("401 signature_mismatch");
	});

	test.each([
		["300 s in the past", true, signedAt - 300, {}],
		["301 s in the past", false, signedAt - 301, {}],
		["300 s in the future", true, signedAt + 300, {}],
		["301 s in the future", false, signedAt + 301, {}],
		["now, with tolerance 0", true, signedAt, { toleranceSeconds: 0 }],
		["1 s in the past, with tolerance 0", false, signedAt - 1, { toleranceSeconds: 0 }],
		["1 s in the future, with tolerance 0", false, signedAt + 1, { toleranceSeconds: 0 }],
		["60 s in the past, with tolerance 60", true, signedAt - 60, { toleranceSeconds: 60 }],
		["3,600 s in the past, with tolerance 3,600", true, signedAt - 3_600, { toleranceSeconds: 3_600 }],
		["300 s in the future, with tolerance 3,600", true, signedAt + 300, { toleranceSeconds: 3_600 }],
		["301 s in the future, with tolerance 3,600", false, signedAt + 301, { toleranceSeconds: 3_600 }],
		["61 s in the past, with tolerance 60", false, signedAt - 61, { toleranceSeconds: 60 }],
	])("signed %s: accepted is %s", (_title, isAccepted, timestamp, options) => {
		const delivery = at(String(timestamp));
		if (isAccepted)
			expect(verifySignature(delivery, { ...receiver(), ...options }).timestamp).toBe(timestamp);
		else expect(rejection(delivery, options)).toBe("401 timestamp_out_of_tolerance");
	});

	test("is judged by a clock that has no timers", () => {
		const { secret } = receiver();
		const verifyAt = (ms: number) => () =>
			verifySignature(deliver(body), { secret, clock: { now: () => ms } });
		expect(verifyAt(signedAt * 1000)).not.toThrow();
		expect(verifyAt((signedAt + 301) * 1000)).toThrow("301 s before");
	});

	test("a part of a second on our clock does not count", () => {
		const { clock, secret } = receiver();
		clock.nowMs += 300_999;
		expect(() => verifySignature(deliver(body), { clock, secret })).not.toThrow();
		clock.nowMs += 1;
		expect(rejection(deliver(body), { clock })).toBe("401 timestamp_out_of_tolerance");
	});

	test("an old delivery is rejected for its age even when its signature is wrong too", () => {
		const old = deliver(body, { "x-svc-timestamp": "5", "x-svc-signature": "v1=00" });
		expect(rejection(old)).toBe("401 timestamp_out_of_tolerance");
	});
});
