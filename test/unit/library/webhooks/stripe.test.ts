import fc from "fast-check";
import { verifySignature, WebhookVerificationError } from "messaging-gateway/webhooks";
import Stripe from "stripe";
import { expect, test } from "vitest";
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

/** The string with another character at a place. */
function flip(text: string, at: number): string {
	const place = at % text.length;
	const other = text[place] === "a" ? "b" : "a";
	return text.slice(0, place) + other + text.slice(place + 1);
}
