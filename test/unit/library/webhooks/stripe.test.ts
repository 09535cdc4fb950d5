import fc from "fast-check";
import { verifySignature, WebhookVerificationError } from "messaging-gateway/webhooks";
import Stripe from "stripe";
import { describe, expect, test } from "vitest";
import { fixedClock } from "../../../support/fixed-clock.ts";
import { webhookSignature } from "../../../support/webhook-delivery.ts";

/**
 * Stripe signs the same string in the same way: HMAC-SHA-256 over `{timestamp}.{body}` with the secret's UTF-8,
 * as `v1=<hex>`. Its library is the second opinion on all that the two schemes share.
 */
const NOW = 1767225600;

interface Signed {
	body: string | Uint8Array;
	secret: string;
	signatures: string;
	timestamp: number;
	tolerance?: number;
}

function stripeAccepts({ body, secret, signatures, timestamp, tolerance = 300 }: Signed): boolean {
	try {
		const { signature } = Stripe.webhooks;
		const header = `t=${timestamp},${signatures}`;
		return signature?.verifyHeader(body as string, header, secret, tolerance, undefined, NOW * 1000) === true;
	} catch (error) {
		expect(error).toBeInstanceOf(Stripe.errors.StripeSignatureVerificationError);
		return false;
	}
}

function weAccept({ body, secret, signatures, timestamp, tolerance = 300 }: Signed): boolean {
	const headers = {
		"X-SVC-Event-Id": "evt_1",
		"X-SVC-Timestamp": String(timestamp),
		"X-SVC-Signature": signatures,
	};
	try {
		verifySignature(
			{ body, headers },
			{ secret, toleranceSeconds: tolerance, clock: fixedClock(NOW * 1000) },
		);
		return true;
	} catch (error) {
		expect(error).toBeInstanceOf(WebhookVerificationError);
		return false;
	}
}

/** The `v1=…` that Stripe's library signs with. */
function stripeSigns(payload: string, secret: string, timestamp: number): string {
	return Stripe.webhooks.generateTestHeaderString({ payload, secret, timestamp }).replace(/^t=\d+,/, "");
}

const secrets = fc
	.string({ unit: "binary", minLength: 1 })
	.filter((text) => text === text.trim() && !/^(undefined|null)$/.test(text));

const deliveries = fc.record({
	body: fc.string({ unit: "binary", minLength: 1, maxLength: 300 }),
	secret: secrets,
	timestamp: fc.integer({ min: NOW - 600, max: NOW }),
});

const asBytes = (text: string): Uint8Array => new TextEncoder().encode(text);

test("what either signs both accept, as a string and as bytes, and both reject it when it is too old", () => {
	fc.assert(
		fc.property(deliveries, ({ body, secret, timestamp }) => {
			// A byte order mark in bytes is one of the known differences.
			fc.pre(!body.startsWith("\ufeff"));
			const byStripe = stripeSigns(body, secret, timestamp);
			expect(byStripe).toBe(`v1=${webhookSignature(body, secret, timestamp)}`);
			for (const given of [body, asBytes(body)]) {
				const signed = { body: given, secret, timestamp, signatures: byStripe };
				expect([weAccept(signed), stripeAccepts(signed)]).toEqual(Array(2).fill(timestamp >= NOW - 300));
			}
		}),
	);
});

test("a change to the body, the secret, the timestamp or the signature is rejected by both", () => {
	const changes = fc.constantFrom<(signed: Signed, at: number) => Signed>(
		(signed, at) => ({ ...signed, body: flip(signed.body as string, at) }),
		(signed, at) => ({ ...signed, secret: flip(signed.secret, at) }),
		(signed) => ({ ...signed, timestamp: signed.timestamp - 1 }),
		(signed, at) => ({ ...signed, signatures: `v1=${flip(signed.signatures.slice(3), at)}` }),
		(signed) => ({ ...signed, signatures: signed.signatures.slice(0, -1) }),
		(signed) => ({ ...signed, signatures: `${signed.signatures}0` }),
		(signed) => ({ ...signed, signatures: signed.signatures.replace("v1=", "v0=") }),
	);
	fc.assert(
		fc.property(deliveries, changes, fc.nat(), ({ body, secret }, change, at) => {
			const signed: Signed = { body, secret, timestamp: NOW, signatures: stripeSigns(body, secret, NOW) };
			const changed = change(signed, at);
			expect([weAccept(changed), stripeAccepts(changed)]).toEqual([false, false]);
		}),
	);
});

test("one right signature among wrong ones and other schemes is enough for both", () => {
	const wrong = fc.constantFrom<string[]>("v0=abc", `v1=${"0".repeat(64)}`, "v1=ab", "v2=x", "");
	fc.assert(
		fc.property(deliveries, fc.array(wrong, { maxLength: 14 }), fc.nat(14), (drawn, others, at) => {
			const { body, secret } = drawn;
			const entries = others.toSpliced(at, 0, stripeSigns(body, secret, NOW));
			const signed = { body, secret, timestamp: NOW, signatures: entries.join(",") };
			expect([weAccept(signed), stripeAccepts(signed)]).toEqual([true, true]);
			const without = { ...signed, signatures: others.join(",") };
			expect([weAccept(without), stripeAccepts(without)]).toEqual([false, false]);
		}),
	);
});

describe("known differences", () => {
	const body = '{"text":"Hello"}';
	const secret = "whsec-1";
	const right: Signed = { body, secret, timestamp: NOW, signatures: stripeSigns(body, secret, NOW) };
	const bytesSigned = (bytes: Uint8Array): Signed => ({
		...right,
		body: bytes,
		signatures: `v1=${webhookSignature(bytes)}`,
	});
	const at = (timestamp: number, tolerance: number): Signed => ({
		...right,
		timestamp,
		tolerance,
		signatures: stripeSigns(body, secret, timestamp),
	});
	const with17 = `${"v1=00,".repeat(16)}${right.signatures}`;

	test.each<[title: string, signed: Signed, byUs: boolean, byStripe: boolean]>([
		[
			"bytes that are not UTF-8 are signed as they are; Stripe replaces them",
			bytesSigned(Uint8Array.of(0xff)),
			true,
			false,
		],
		[
			"a byte order mark is part of the bytes; Stripe drops it",
			bytesSigned(asBytes("\ufeff{}")),
			true,
			false,
		],
		[
			"an empty body can be signed; Stripe rejects it",
			{ ...right, body: "", signatures: `v1=${webhookSignature("")}` },
			true,
			false,
		],
		[
			"upper-case hex is the same bytes; Stripe compares strings",
			{ ...right, signatures: `v1=${right.signatures.slice(3).toUpperCase()}` },
			true,
			false,
		],
		[
			"spaces around a candidate are trimmed; Stripe keeps them",
			{ ...right, signatures: `v1=00, ${right.signatures}` },
			true,
			false,
		],
		[
			"a timestamp in the future is as far off as one in the past; Stripe accepts any",
			at(NOW + 301, 300),
			false,
			true,
		],
		["tolerance 0 is strict; for Stripe it is off", at(NOW - 1, 0), false, true],
		[
			"a secret with whitespace around it is rejected; Stripe accepts it",
			{ ...right, secret: "whsec-1\n", signatures: stripeSigns(body, "whsec-1\n", NOW) },
			false,
			true,
		],
		[
			"more than 16 candidates are rejected; Stripe compares all",
			{ ...right, signatures: with17 },
			false,
			true,
		],
	])("%s", (_title, signed, byUs, byStripe) => {
		expect([weAccept(signed), stripeAccepts(signed)]).toEqual([byUs, byStripe]);
	});
});

/** The string with another character at a place. */
function flip(text: string, at: number): string {
	const place = at % text.length;
	const other = text[place] === "a" ? "b" : "a";
	return text.slice(0, place) + other + text.slice(place + 1);
}
