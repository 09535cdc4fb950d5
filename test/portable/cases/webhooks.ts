import type { WebhookDelivery } from "messaging-gateway/webhooks";
import { assert, assertEqual, assertFails } from "../check.ts";
import type { PortableCase } from "../portable-case.ts";
import type { WebhookVector } from "../vectors.ts";
import { stoppedClock } from "../world.ts";
import { changeLastDigit } from "./signing.ts";

/** Specification, section 6.1. */
export const webhooksCases: readonly PortableCase[] = [
	{
		name: "the literal signatures",
		run({ webhooks }, { vectors }) {
			for (const vector of vectors.webhooks) {
				const { title, eventId, timestamp, secret, body, signature } = vector;
				assertEqual(
					webhooks.signWebhook({ body, secret, eventId, timestamp })["X-SVC-Signature"],
					signature,
					title,
				);
				const event = webhooks.verifyWebhook(deliver(vector), receive(vector));
				assertEqual(
					[event.eventId, event.timestamp, event.data],
					[eventId, timestamp, JSON.parse(body)],
					title,
				);
			}
		},
	},
	{
		name: "bodies and headers in every form",
		async run({ webhooks }, { vectors }) {
			for (const vector of vectors.webhooks) {
				const { body, headers } = deliver(vector);
				const bytes = new TextEncoder().encode(vector.body);
				const request = new Request("https://app.example/webhooks", { method: "POST", headers, body: bytes });
				const forms: WebhookDelivery[] = [
					{ body: bytes, headers: new Headers(headers) },
					{ body: bytes.buffer, headers: Object.fromEntries(new Headers(headers)) },
					{ body, headers: request.headers },
				];
				for (const form of forms) {
					const signed = webhooks.verifySignature(form, receive(vector));
					assertEqual(signed.eventId, vector.eventId, vector.title);
					assertEqual(signed.body === form.body, true, `${vector.title}: the body as it was handed over`);
				}
				const { eventId } = await webhooks.verifyWebhookRequest(request, receive(vector));
				assertEqual(eventId, vector.eventId, "a Request");
			}
		},
	},
	{
		name: "a tampered delivery is rejected",
		async run({ webhooks }, { vectors }) {
			for (const vector of vectors.webhooks) {
				const { title, body, timestamp, signature } = vector;
				const changes: [code: string, change: Partial<WebhookVector>][] = [
					["signature_mismatch", { body: body.replace("sent", "read") }],
					["signature_mismatch", { body: `${body} ` }],
					["signature_mismatch", { timestamp: timestamp + 1 }],
					["signature_mismatch", { signature: changeLastDigit(signature) }],
					["signature_mismatch", { secret: "whsec-2" }],
					["timestamp_out_of_tolerance", { timestamp: timestamp - 301 }],
					["timestamp_out_of_tolerance", { timestamp: timestamp + 301 }],
					["signature_mismatch", { signature: signature.slice(3) }],
					["malformed_header", { timestamp: timestamp * 1_000 }],
					["missing_header", { eventId: "" }],
				];
				for (const [code, change] of changes) {
					await assertFails(
						() =>
							webhooks.verifyWebhook(deliver({ ...vector, ...change }), {
								...receive(vector),
								secret: change.secret ?? vector.secret,
							}),
						{ name: "WebhookVerificationError", code },
						`${title}, changed in ${Object.keys(change)}`,
					);
				}
			}
		},
	},
	{
		name: "JSON that was written again is explained",
		run({ doctor }, { vectors }) {
			for (const vector of vectors.webhooks) {
				const { headers } = deliver(vector);
				const rewritten = { body: JSON.stringify(JSON.parse(vector.body), null, 1), headers };
				const { isValid, code, findings } = doctor.explainWebhookFailure(rewritten, receive(vector));
				assertEqual([isValid, code], [false, "signature_mismatch"], vector.title);
				assert(findings.length > 0, `${vector.title}: nothing was found`);
			}
		},
	},
];

function deliver({ eventId, timestamp, signature, body }: WebhookVector) {
	const headers = {
		"X-SVC-Event-Id": eventId,
		"X-SVC-Timestamp": String(timestamp),
		"X-SVC-Signature": signature,
	};
	return { body, headers };
}

/** What a receiver knows whose clock stands at the time of the original delivery. */
function receive({ secret }: WebhookVector) {
	return { secret, clock: stoppedClock(1_767_225_600_000) };
}
