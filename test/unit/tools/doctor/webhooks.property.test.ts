import fc from "fast-check";
import {
	type ExplainWebhookOptions,
	explainWebhookFailure,
	type RejectedDelivery,
} from "messaging-gateway/doctor";
import { verifyWebhook, type WebhookDelivery, WebhookVerificationError } from "messaging-gateway/webhooks";
import { expect, test } from "vitest";
import { cases } from "../../../support/cases.ts";
import { fixedClock } from "../../../support/fixed-clock.ts";
import { hmacSha256 } from "../../../support/node-crypto.ts";
import { deliver, receiver, signedAt, webhookSignature } from "../../../support/webhook-delivery.ts";
import { causes, explain } from "./webhook-explanation.ts";

const headerValues = fc.oneof(
	fc.string({ unit: "binary" }),
	fc.constantFrom(String(signedAt), `${signedAt}000`, "evt_1", `v1=${"0".repeat(64)}`, "v1=v1=", "a,b"),
	fc.array(fc.string(), { maxLength: 3 }),
	fc.anything(),
);
const headerNames = fc.oneof(
	fc.constantFrom(
		"x-svc-event-id",
		"X-SVC-Timestamp",
		"x-svc-timestamp",
		"x-svc-signature",
		"X-Foo-Signature",
	),
	fc.string(),
	fc.constant("__proto__"),
);
const anyHeaders = fc.oneof(fc.dictionary(headerNames, headerValues), fc.array(fc.anything()), fc.anything());
const anyBody = fc.oneof(fc.string({ unit: "binary" }), fc.uint8Array(), fc.json(), fc.anything());
const anySecret = fc.oneof(fc.string(), fc.array(fc.string()), fc.anything());

test("it explains any input", () => {
	fc.assert(
		fc.property(
			anyBody,
			anyHeaders,
			fc.record({ secret: anySecret, otherSecrets: fc.anything(), appSecret: fc.anything() }),
			(body, headers, options) => {
				const explanation = explainWebhookFailure(
					{ body, headers } as RejectedDelivery,
					{ ...options, clock: fixedClock(signedAt * 1000) } as ExplainWebhookOptions,
				);
				expect(explanation.findings.length > 0).toBe(!explanation.isValid);
			},
		),
		{ numRuns: cases(1_000) },
	);
});

const fail = () => {
	throw new Error("no");
};

test.each<[title: string, delivery: unknown, options: unknown]>([
	["no delivery", undefined, undefined],
	["null options", deliver("{}"), null],
	["a clock that throws", deliver("{}"), { secret: "a", clock: { now: fail } }],
	["a getter that throws", Object.defineProperty({}, "body", { get: fail }), { secret: "a" }],
	["a revoked proxy", { body: revokedProxy(), headers: revokedProxy() }, { secret: revokedProxy() }],
])("%s is no reason to throw", (_title, delivery, options) => {
	const explanation = explainWebhookFailure(delivery as RejectedDelivery, options as ExplainWebhookOptions);
	expect(explanation.isValid).toBe(false);
	expect(explanation.findings).not.toEqual([]);
});

test("it agrees with verifyWebhook", () => {
	const signatures = fc.constantFrom(webhookSignature("{}"), webhookSignature("[]"), "0".repeat(64), "zz");
	const headers = fc.record({
		"x-svc-event-id": fc.constantFrom("evt_1", "", "a,b"),
		"x-svc-timestamp": fc.constantFrom(signedAt, signedAt - 301, "x").map(String),
		"x-svc-signature": signatures.map((hex) => `v1=${hex}`),
	});
	const bodies = fc.constantFrom("{}", "[]", { parsed: true });
	fc.assert(
		fc.property(headers, bodies, (drawn, body) => {
			const explanation = explain({ body, headers: drawn });
			expect(explanation).toMatchObject(verdictOf({ body, headers: drawn } as WebhookDelivery));
		}),
		{ numRuns: cases(300) },
	);
});

test("a random secret never gives a certain finding", () => {
	const secrets = fc.stringMatching(/^[\w+/=-]{8,64}$/);
	fc.assert(
		fc.property(fc.json(), secrets, secrets, (body, signing, receiving) => {
			fc.pre(signing !== receiving);
			const signature = hmacSha256(signing, `${signedAt}.`, body);
			const explanation = explain(deliver(body, { "x-svc-signature": `v1=${signature}` }), {
				secret: receiving,
				otherSecrets: { other: `${receiving}-other` },
				appSecret: `${receiving}-app`,
			});
			expect(causes(explanation)).toEqual([]);
			expect(causes(explanation, "likely")).toContain("unexplained");
		}),
		{ numRuns: cases(100) },
	);
});

function verdictOf(delivery: WebhookDelivery): object {
	try {
		verifyWebhook(delivery, receiver());
		return { isValid: true, code: undefined };
	} catch (error) {
		return { isValid: false, code: error instanceof WebhookVerificationError ? error.code : undefined };
	}
}

function revokedProxy(): object {
	const { proxy, revoke } = Proxy.revocable({}, {});
	revoke();
	return proxy;
}
