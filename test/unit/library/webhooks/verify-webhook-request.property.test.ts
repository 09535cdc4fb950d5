import fc from "fast-check";
import { verifyWebhookRequest, WebhookVerificationError } from "messaging-gateway/webhooks";
import { expect, test } from "vitest";
import { streamOf } from "../../../support/body-streams.ts";
import { cases } from "../../../support/cases.ts";
import { toRequest } from "../../../support/to-request.ts";
import { receiver, signedAt, webhookSignature } from "../../../support/webhook-delivery.ts";
import { inboundMessage, inboundReaction, statusUpdate } from "../../../support/webhook-payloads.ts";
import { createReceiver } from "../../../support/webhook-receiver.ts";

/** A documented payload, one of whose fields is anything. */
const almostPayload = fc
	.tuple(
		fc.constantFrom<object>(inboundMessage, inboundReaction, statusUpdate),
		fc.constantFrom(...Object.keys({ ...inboundMessage, ...inboundReaction, ...statusUpdate })),
		fc.jsonValue(),
	)
	.map(([payload, field, value]) => JSON.stringify({ ...payload, [field]: value }));

const bodies = fc.oneof(
	fc.uint8Array({ maxLength: 200 }),
	fc.string({ unit: "binary" }).map((text) => new TextEncoder().encode(text)),
	fc.oneof(fc.json(), almostPayload).map((text) => new TextEncoder().encode(text)),
);

/** Any string that a header can hold, and some with a meaning. */
const values = fc.oneof(
	fc.string({ unit: fc.integer({ min: 0x20, max: 0xff }).map((code) => String.fromCharCode(code)) }),
	fc.constantFrom("", "evt_1", String(signedAt), `v1=${"0".repeat(64)}`, "v1=,v1=", "9".repeat(400), "5"),
);

const deliveries = fc.record({
	body: bodies,
	isSigned: fc.boolean(),
	isStream: fc.boolean(),
	headers: fc.dictionary(
		fc.constantFrom("X-SVC-Event-Id", "X-SVC-Timestamp", "X-SVC-Signature", "Content-Length", "Content-Type"),
		values,
	),
});

type Drawn = typeof deliveries extends fc.Arbitrary<infer Value> ? Value : never;

function requestOf({ body, isSigned, isStream, headers }: Drawn): Request {
	const signed = {
		"X-SVC-Event-Id": "evt_1",
		"X-SVC-Timestamp": String(signedAt),
		"X-SVC-Signature": `v1=${webhookSignature(body)}`,
	};
	return toRequest({
		body: isStream ? streamOf(body) : body,
		headers: { ...(isSigned ? signed : {}), ...headers },
	});
}

test("any bytes with any headers are an event, or a WebhookVerificationError", async () => {
	await fc.assert(
		fc.asyncProperty(deliveries, async (drawn) => {
			const outcome = await verifyWebhookRequest(requestOf(drawn), receiver()).catch(
				(error: unknown) => error,
			);
			if (outcome instanceof WebhookVerificationError) return;
			expect(outcome).toMatchObject({ eventId: expect.any(String), timestamp: expect.any(Number) });
			// Nothing is an event that the secret did not sign.
			expect(drawn.isSigned).toBe(true);
		}),
		{ numRuns: cases(500) },
	);
});

test("any bytes with any headers get a response from the handler, which never rejects", async () => {
	await fc.assert(
		fc.asyncProperty(deliveries, async (drawn) => {
			const { handler, calls, clock } = createReceiver();
			const response = await handler.fetch(requestOf(drawn));
			const text = await response.text();
			expect([200, 400, 401, 413, 500]).toContain(response.status);
			expect(text).toMatch(response.status === 200 ? /^$/ : /^[a-z_]+$/);
			if (!drawn.isSigned) expect([response.status === 200, calls]).toEqual([false, []]);
			expect(clock.openTimers).toBe(0);
		}),
		{ numRuns: cases(500) },
	);
});
