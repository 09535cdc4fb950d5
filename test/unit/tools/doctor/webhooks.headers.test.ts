import type { FailureCause } from "messaging-gateway/doctor";
import { describe, expect, test } from "vitest";
import { fixedClock } from "../../../support/fixed-clock.ts";
import { hmacSha256 } from "../../../support/node-crypto.ts";
import { deliver, signedAt, webhookSecret, webhookSignature } from "../../../support/webhook-delivery.ts";
import { causes, describeCause, explain, payload } from "./webhook-explanation.ts";

const body = JSON.stringify(payload);
const good = webhookSignature(body);
const wrong = "0".repeat(64);
const base64 = Buffer.from(good, "hex").toString("base64");

function signature(header: string | string[] | undefined) {
	return explain(deliver(body, { "x-svc-signature": header }));
}

describe("a valid delivery", () => {
	test.each<[title: string, headers: Record<string, string | string[]>]>([
		["two signatures joined with a comma", { "x-svc-signature": `v1=${wrong}, v1=${good}` }],
		["other headers", { "x-other-signature": "v1=00", "content-length": "1" }],
	])("%s has no findings", (_title, headers) => {
		expect(explain(deliver(body, headers))).toMatchObject({
			isValid: true,
			code: undefined,
			findings: [],
			checked: { bodyBytes: Buffer.byteLength(body), hmacs: 0, skipped: [] },
		});
	});
});

test("the names of headers that may sign are listed, as they were given, and no others", () => {
	const others = { authorization: "x", ["signature ".repeat(9)]: "x" };
	const { headers } = deliver(body, { "X-Foo-Signature": "x", "webhook-id": "x" });
	const { checked } = explain({ body, headers: { ...headers, ...others } });
	expect(checked.headerNames).toEqual(Object.keys(headers));
});

describe("the signature header", () => {
	test.each<[FailureCause, string, header: string, expected: RegExp]>([
		["signature_scheme", "sha256=", `sha256=${good}`, /another scheme than v1.*v1=/],
		["signature_scheme", "V1=", `V1=${good}`, /another scheme than v1/],
		["signature_scheme", "none", good, /has no scheme/],
		["signature_in_base64", "base64", `v1=${base64}`, /in base64.*in hex/],
		["signature_in_base64", "base64 alone", base64, /in base64/],
		["signature_truncated", "63 digits", `v1=${good.slice(0, 63)}`, /63 hex digits instead of 64.*cuts/],
		["signature_truncated", "16 digits", `v1=${good.slice(0, 16)}`, /16 hex digits/],
		["signature_malformed", "quotes", `v1="${good}"`, /quotes, spaces/],
		["signature_malformed", "spaces around the sign", `v1 = ${good}`, /quotes, spaces/],
		["signatures_joined", "a semicolon", `v1=${wrong};v1=${good}`, /commas/],
		["signatures_joined", "a space", `v1=${good} v1=${wrong}`, /commas/],
		["signatures_joined", "nothing", `v1=${wrong}v1=${good}`, /commas/],
		[
			"too_many_signatures",
			"17 of them",
			[`v1=${good}`, ...Array(16).fill(`v1=${wrong}`)].join(","),
			/more than 16/,
		],
		["too_many_signatures", "over 4 KB", `v1=${good}${" ".repeat(4_100)}`, /4096 characters/],
		["header_missing", "empty", " ", /X-SVC-Signature is missing.*headerPrefix/],
		// What follows is so whether the rest is right or not.
		["signature_malformed", "rubbish", "v1=abc", /no signature of the form/],
		["signature_truncated", "SHA-1", `v1=${"a".repeat(40)}`, /40 hex digits.*doesn't use SHA-256/],
		["signature_malformed", "SHA-512", `v1=${"a".repeat(128)}`, /128 hex digits, the length of SHA-512/],
		["signature_scheme", "another scheme and a wrong signature", `sha256=${wrong}`, /another scheme/],
	])("%s: %s", (cause, _title, header, expected) => {
		const explanation = signature(header);
		expect(causes(explanation)).toEqual([cause]);
		expect(describeCause(explanation, cause)).toMatch(expected);
	});

	test("what is cut off is compared as far as it goes", () => {
		const { headers } = deliver(body, { "x-svc-signature": `v1=${good.slice(0, 40)}` });
		expect(causes(explain({ body: `${body}\n`, headers }))).toEqual([
			"whitespace_changed",
			"signature_truncated",
		]);
	});

	test("a scheme beside a well-formed one that is wrong is reported only if its signature is right", () => {
		expect(causes(signature(`sha256=${good}, v1=${wrong}`))).toEqual(["signature_scheme"]);
		expect(causes(signature(`sha256=${wrong}, v1=${wrong}`))).toEqual([]);
	});
});

describe("what was signed", () => {
	test.each<[FailureCause, string, signed: string, expected: RegExp]>([
		["timestamp_not_signed", "the body alone", body, /body alone.*full stop/],
		["other_signed_content", "nothing between", `${signedAt}${body}`, /nothing between them/],
		["other_signed_content", "a colon", `${signedAt}:${body}`, /a colon/],
		["other_signed_content", "a line feed", `${signedAt}\n${body}`, /a line feed/],
		["other_signed_content", "a vertical bar", `${signedAt}|${body}`, /a vertical bar/],
		["other_signed_content", "v0 and colons", `v0:${signedAt}:${body}`, /a version/],
		["other_signed_content", "the event id too", `evt_1.${signedAt}.${body}`, /the event id/],
		["other_signed_content", "the body first", `${body}.${signedAt}`, /body before the timestamp/],
	])("%s: %s", (cause, _title, signed, expected) => {
		const explanation = signature(`v1=${hmacSha256(webhookSecret, signed)}`);
		expect(causes(explanation)).toEqual([cause]);
		expect(describeCause(explanation, cause)).toMatch(expected);
	});
});

describe("the timestamp", () => {
	const at = (timestamp: string | string[], signedText = String(timestamp)) =>
		deliver(body, {
			"x-svc-timestamp": timestamp,
			"x-svc-signature": `v1=${webhookSignature(body, webhookSecret, signedText)}`,
		});

	test.each<[FailureCause, string, delivery: ReturnType<typeof at>, expected: RegExp]>([
		["timestamp_in_milliseconds", "signed as it stands", at(`${signedAt}123`), /milliseconds.*\/ 1000/],
		["timestamp_in_milliseconds", "wrongly signed", at(`${signedAt}123`, "5"), /milliseconds/],
		["header_repeated", "two lines", at([String(signedAt), "5"], String(signedAt)), /more than once/],
		[
			"header_malformed",
			"a space around",
			at(` ${signedAt}`, String(signedAt)),
			/n[o']t Unix time in seconds/,
		],
		["header_malformed", "a date", at("2026-01-01T00:00:00Z"), /n[o']t Unix time in seconds/],
	])("%s: %s", (cause, _title, delivery, expected) => {
		const explanation = explain(delivery);
		expect(explanation.code).toBe("malformed_header");
		expect(causes(explanation)).toEqual([cause]);
		expect(describeCause(explanation, cause)).toMatch(expected);
	});

	test("seconds that were signed and sent in milliseconds don't hide another mistake", () => {
		const { headers } = at(`${signedAt}123`, String(signedAt));
		expect(causes(explain({ body: `${body}\n`, headers }))).toEqual([
			"whitespace_changed",
			"timestamp_in_milliseconds",
		]);
	});

	test.each<[FailureCause, string, drift: number, expected: RegExp]>([
		["clock_behind", "301 s ahead", 301, /301 s after.*no replay comes from the future.*NTP/],
		[
			"delivery_too_old",
			"301 s old",
			-301,
			/301 s ago, and 300 s are accepted.*replay.*this machine's clock/,
		],
		["delivery_too_old", "an hour old", -3_605, /3605 s \(1 h\) ago.*time zone/],
		["delivery_too_old", "days old", -864_000, /\(10 days\) ago.*a replay/],
	])("%s: %s, with the right signature", (cause, _title, drift, expected) => {
		const explanation = explain(deliver(body), { clock: fixedClock((signedAt - drift) * 1000) });
		expect(explanation.code).toBe("timestamp_out_of_tolerance");
		expect(causes(explanation)).toEqual([cause]);
		expect(describeCause(explanation, cause)).toMatch(expected);
	});

	test("with a wrong signature the clock is only likely", () => {
		const clock = fixedClock((signedAt + 400) * 1000);
		const explanation = explain(deliver(body, { "x-svc-signature": `v1=${wrong}` }), { clock });
		expect(causes(explanation)).toEqual([]);
		expect(causes(explanation, "likely")).toEqual(["delivery_too_old", "unexplained"]);
	});

	test("the tolerance of the options counts", () => {
		const clock = fixedClock((signedAt + 400) * 1000);
		expect(explain(deliver(body), { clock, toleranceSeconds: 400 }).isValid).toBe(true);
		const strict = explain(deliver(body), { clock, toleranceSeconds: 60 });
		expect(describeCause(strict, "delivery_too_old")).toContain("60 s are accepted");
	});

	test("an old delivery whose body was changed has both findings", () => {
		const clock = fixedClock((signedAt + 400) * 1000);
		const explanation = explain({ ...deliver(body), body: `${body}\n` }, { clock });
		expect(causes(explanation)).toEqual(["whitespace_changed", "delivery_too_old"]);
	});
});

describe("headers that a proxy dropped, joined or renamed", () => {
	test.each([
		["x-svc-event-id", "X-SVC-Event-Id is missing"],
		["x-svc-timestamp", "X-SVC-Timestamp is missing"],
		["x-svc-signature", "X-SVC-Signature is missing"],
	])("without %s", (name, expected) => {
		const explanation = explain(deliver(body, { [name]: undefined }));
		expect(explanation.code).toBe("missing_header");
		expect(causes(explanation)).toEqual(["header_missing"]);
		expect(describeCause(explanation, "header_missing")).toContain(expected);
	});

	test.each([{}, undefined])("all three are missing from %j", (headers) => {
		expect(describeCause(explain({ body, headers }), "header_missing")).toContain(
			"X-SVC-Event-Id and X-SVC-Timestamp and X-SVC-Signature are missing",
		);
	});

	test.each<[FailureCause, string, headers: Record<string, string | string[]>]>([
		["header_repeated", "two event ids", { "x-svc-event-id": ["evt_1", "evt_2"] }],
		["header_malformed", "an event id with a space", { "x-svc-event-id": "evt 1" }],
		["header_repeated", "two spellings of the event id", { "X-SVC-Event-Id": "evt_2" }],
		["header_repeated", "two spellings of the timestamp", { "X-SVC-Timestamp": "5" }],
		["header_repeated", "two spellings of the signature", { "X-SVC-Signature": `v1=${wrong}` }],
	])("%s: %s", (cause, _title, headers) => {
		const explanation = explain(deliver(body, headers));
		expect(explanation.code).toBe("malformed_header");
		expect(causes(explanation)).toEqual([cause]);
	});

	test.each<[title: string, headers: unknown]>([
		["a Map", new Map(Object.entries(deliver(body).headers))],
		["pairs", Object.entries(deliver(body).headers)],
		["Node's rawHeaders", Object.entries(deliver(body).headers).flat()],
	])("%s can't be searched by name", (_title, headers) => {
		const explanation = explain({ body, headers });
		expect(causes(explanation)).toEqual(["headers_unreadable"]);
		expect(describeCause(explanation, "headers_unreadable")).toContain("request.headers");
	});
});

describe("headers under another vendor's name", () => {
	const renamed = (prefix: string, from = deliver(body).headers) =>
		Object.fromEntries(
			Object.entries(from).map(([name, value]) => [name.replace("x-svc-", prefix), String(value)]),
		);

	test.each<[title: string, headers: unknown, prefix: string]>([
		["Headers", new Headers(renamed("x-foo-")), "Foo"],
		["two words", renamed("x-foo-bar-"), "Foo-Bar"],
		["capitals", renamed("X-ACME-"), "ACME"],
	])("%s is certain when the signature is right under that name", (_title, headers, prefix) => {
		const explanation = explain({ body, headers });
		expect(explanation.code).toBe("missing_header");
		expect(causes(explanation)).toEqual(["other_vendor_prefix"]);
		expect(describeCause(explanation, "other_vendor_prefix")).toContain(
			`Found X-${prefix}-Signature: set profile.vendor.headerPrefix to "${prefix}"`,
		);
	});

	test("the named prefix then verifies", () => {
		const profile = { vendor: { headerPrefix: "Foo" } };
		expect(explain({ body, headers: renamed("x-foo-") }, { profile }).isValid).toBe(true);
		expect(causes(explain(deliver(body), { profile }))).toEqual(["other_vendor_prefix"]);
		expect(describeCause(explain(deliver(body), { profile }), "other_vendor_prefix")).toContain('"Svc"');
	});

	test("is likely when the signature isn't", () => {
		const explanation = explain({ body, headers: renamed("x-foo-") }, { secret: "another-secret" });
		expect(causes(explanation)).toEqual(["header_missing"]);
		expect(causes(explanation, "likely")).toEqual(["other_vendor_prefix"]);
	});

	test("a further mistake is found under that name too", () => {
		const explanation = explain({ body: `${body}\n`, headers: renamed("x-foo-") });
		expect(causes(explanation)).toEqual(["other_vendor_prefix", "whitespace_changed"]);
	});

	test("the fullest set of headers is tried first", () => {
		const headers = {
			"x-a-signature": "v1=00",
			"x-b-signature": "1",
			"x-c-signature": "2",
			...renamed("x-foo-"),
		};
		expect(causes(explain({ body, headers }))).toEqual(["other_vendor_prefix"]);
	});
});
