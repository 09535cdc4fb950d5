import fc from "fast-check";
import {
	signWebhook,
	verifySignature,
	verifyWebhook,
	WebhookVerificationError,
} from "messaging-gateway/webhooks";
import Stripe from "stripe";
import { expect, test } from "vitest";
import { describeSecretProblem } from "../../../../src/library/signing/hash.ts";
import { cases } from "../../../support/cases.ts";
import { catchError } from "../../../support/catch-error.ts";
import { fixedClock } from "../../../support/fixed-clock.ts";
import { hmacSha256 } from "../../../support/node-crypto.ts";
import { signedAt } from "../../../support/webhook-delivery.ts";

const secrets = fc
	.string({ unit: "binary", minLength: 1 })
	.filter((text) => text.isWellFormed() && describeSecretProblem(text) === undefined);

const deliveries = fc.record({
	body: fc.uint8Array({ maxLength: 500 }),
	secret: secrets,
	timestamp: fc.integer({ min: 1, max: 10 ** 12 - 1 }),
	eventId: fc.string({ unit: fc.constantFrom(..."aZ09_-.:!~"), minLength: 1, maxLength: 256 }),
});

type Drawn = typeof deliveries extends fc.Arbitrary<infer Value> ? Value : never;

/** Signed by node:crypto alone. */
function headersOf({ body, secret, timestamp, eventId }: Drawn): Record<string, string> {
	return {
		"X-SVC-Event-Id": eventId,
		"X-SVC-Timestamp": String(timestamp),
		"X-SVC-Signature": `v1=${hmacSha256(secret, `${timestamp}.`, body)}`,
	};
}

test("any bytes signed by node:crypto with any secret are accepted", () => {
	fc.assert(
		fc.property(deliveries, (drawn) => {
			const { body, secret, timestamp, eventId } = drawn;
			const found = verifySignature(
				{ body, headers: headersOf(drawn) },
				{ secret: ["another", secret], clock: fixedClock(timestamp * 1000) },
			);
			expect(found).toMatchObject({ eventId, timestamp });
			expect(found.body).toBe(body);
		}),
	);
});

test("signWebhook signs any bytes as node:crypto does", () => {
	fc.assert(
		fc.property(deliveries, (drawn) => {
			expect(signWebhook(drawn)).toEqual({ "Content-Type": "application/json", ...headersOf(drawn) });
		}),
	);
});

test("one changed bit of the body, the secret or the timestamp is a mismatch", () => {
	fc.assert(
		fc.property(deliveries, fc.nat(), (drawn, at) => {
			const { body, secret, timestamp } = drawn;
			const headers = headersOf(drawn);
			const clock = fixedClock(timestamp * 1000);
			const changed = Uint8Array.from([...body, 0]);
			changed[at % changed.length] = (changed[at % changed.length] ?? 0) ^ (1 << (at % 8));
			const earlier = { ...headers, "X-SVC-Timestamp": String(timestamp === 1 ? 2 : timestamp - 1) };
			const attempts = [
				() => verifySignature({ body: changed, headers }, { secret, clock }),
				() => verifySignature({ body, headers }, { secret: `${secret}x`, clock }),
				() => verifySignature({ body, headers: earlier }, { secret, clock }),
			];
			for (const attempt of attempts)
				expect(catchError(attempt)).toMatchObject({ code: "signature_mismatch", status: 401 });
		}),
	);
});

test("for any headers and body, the outcome is an event or a WebhookVerificationError", () => {
	const anything = fc.oneof(
		fc.string({ unit: "binary" }),
		fc.constantFrom(String(signedAt), "evt_1", `v1=${"0".repeat(64)}`, ""),
		fc.array(fc.string(), { maxLength: 3 }),
		fc.constant(undefined),
	);
	const names = fc.constantFrom(
		"x-svc-event-id",
		"X-SVC-Timestamp",
		"x-svc-timestamp",
		"x-svc-signature",
		"__proto__",
	);
	fc.assert(
		fc.property(fc.dictionary(names, anything), fc.anything(), (headers, body) => {
			const error = catchError(() =>
				verifyWebhook(
					{ body: body as string, headers },
					{ secret: "whsec-1", clock: fixedClock(signedAt * 1000) },
				),
			);
			expect(error).toBeInstanceOf(WebhookVerificationError);
		}),
		{ numRuns: cases(500) },
	);
});

test("for any JSON with a valid signature, the outcome is an event, invalid_json or several_events", () => {
	fc.assert(
		fc.property(fc.jsonValue({ stringUnit: "binary" }), secrets, (value, secret) => {
			const body = JSON.stringify(value);
			const delivery = { body, headers: signWebhook({ body, secret, timestamp: signedAt }) };
			const options = { secret, clock: fixedClock(signedAt * 1000) };
			if (typeof value === "object" && value !== null && !Array.isArray(value)) {
				const event = verifyWebhook(delivery, options);
				expect(event.kind).toBe("unknown");
				expect(JSON.stringify(event.data)).toBe(JSON.stringify(JSON.parse(body)));
			} else {
				const [code, status] = Array.isArray(value) ? ["several_events", 500] : ["invalid_json", 400];
				expect(catchError(() => verifyWebhook(delivery, options))).toMatchObject({ code, status });
			}
		}),
	);
});

// Stripe signs the same string in the same way, so its library is a second opinion.
test("what Stripe's library signs we sign alike, and both accept it until it is too old", () => {
	const texts = fc.string({ unit: "binary", minLength: 1, maxLength: 300 });
	const timestamps = fc.integer({ min: signedAt - 600, max: signedAt });
	fc.assert(
		fc.property(texts, secrets, timestamps, (body, secret, timestamp) => {
			// Stripe drops a byte order mark.
			fc.pre(!body.startsWith("\ufeff"));
			const { signature, generateTestHeaderString } = Stripe.webhooks;
			const header = generateTestHeaderString({ payload: body, secret, timestamp });
			const headers = signWebhook({ body, secret, timestamp });
			expect(header).toBe(`t=${timestamp},${headers["X-SVC-Signature"]}`);
			for (const verify of [
				() => verifySignature({ body, headers }, { secret, clock: fixedClock(signedAt * 1000) }),
				() => signature?.verifyHeader(body, header, secret, 300, undefined, signedAt * 1000),
			]) {
				if (timestamp >= signedAt - 300) expect(verify).not.toThrow();
				else expect(verify).toThrow(/before it arrived|outside the tolerance zone/);
			}
		}),
	);
});
