import type { VendorProfile } from "../catalogue/profile.ts";
import { type EventFields, toWebhookEvent, type WebhookEvent } from "./events.ts";
import { parseBody } from "./parse-body.ts";
import type { RawBody } from "./read-body.ts";
import { checkSignature, type VerifyWebhookOptions, type WebhookDelivery } from "./verify-signature.ts";

/**
 * Verifies a delivery and narrows its payload to one of the three documented kinds, or `unknown`. Sync.
 *
 * @example
 * ```ts
 * const event = verifyWebhook({ body: rawBody, headers: request.headers }, { secret });
 * if (event.kind === "inbound_message") console.log(event.data.text);
 * ```
 * @throws WebhookVerificationError as `verifySignature`, and `invalid_json` if the signed body is not a
 * JSON object.
 * @see specification, section 6
 */
export function verifyWebhook(delivery: WebhookDelivery, options: VerifyWebhookOptions = {}): WebhookEvent {
	return narrowDelivery(checkSignature(delivery, options), delivery.body, options.profile?.vendor);
}

/**
 * Parses a delivery whose signature is right, and narrows its payload.
 * @throws WebhookVerificationError `invalid_json` if the body is not a JSON object.
 */
export function narrowDelivery(
	fields: EventFields,
	body: RawBody,
	vendor: VendorProfile | undefined,
): WebhookEvent {
	return toWebhookEvent(fields, parseBody(body), vendor);
}
