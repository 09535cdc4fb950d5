import { verifySignature } from "messaging-gateway/webhooks";
import { beforeEach, expect, test, vi } from "vitest";
import { catchError } from "../../../support/catch-error.ts";
import { deliver, receiver, webhookSignature } from "../../../support/webhook-delivery.ts";

/** How many HMACs were computed since the test began. */
const counter = vi.hoisted(() => ({ hmacs: 0 }));

vi.mock(import("../../../../src/library/signing/hash.ts"), async (importOriginal) => {
	const original = await importOriginal();
	return {
		...original,
		hmacKeyOf(secret, toError) {
			const key = original.hmacKeyOf(secret, toError);
			return {
				...key,
				signHex(...parts) {
					counter.hmacs++;
					return key.signHex(...parts);
				},
			};
		},
	};
});

beforeEach(() => {
	counter.hmacs = 0;
});

const right = `v1=${webhookSignature("{}")}`;
const wrong = `v1=${"0".repeat(64)}`;

function verify(signature: string, options: object = {}): void {
	verifySignature(deliver("{}", { "x-svc-signature": signature }), { ...receiver(), ...options });
}

test("there is one HMAC for each secret, however many candidates there are", () => {
	verify([...Array(15).fill(wrong), right].join(","));
	expect(counter.hmacs).toBe(1);
	expect(
		catchError(() => verify(Array(16).fill(wrong).join(","), { secret: ["a", "b", "c"] })),
	).toBeDefined();
	expect(counter.hmacs).toBe(1 + 3);
});

test.each([
	["more than 16 candidates", Array(17).fill(right).join(","), {}],
	["more than 4 KB", `${right},${" ".repeat(4_096)}`, {}],
	["no well-formed candidate", "v1=abc, v0=abc", {}],
	["an old timestamp", right, { clock: { now: () => 0, setTimer: () => () => {} } }],
	["a tolerance that is no number", right, { toleranceSeconds: Number.NaN }],
])("nothing is hashed for %s", (_title, signature, options) => {
	expect(catchError(() => verify(signature, options))).toMatchObject({ name: "WebhookVerificationError" });
	expect(counter.hmacs).toBe(0);
});
