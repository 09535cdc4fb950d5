import { isJsonObject } from "../catalogue/check.ts";
import type { VendorProfile } from "../catalogue/profile.ts";
import { WebhookVerificationError } from "../errors.ts";
import { toWebhookEvent, type WebhookEvent } from "./events.ts";
import {
	type SignedDelivery,
	type VerifyWebhookOptions,
	verifySignature,
	type WebhookDelivery,
} from "./verify-signature.ts";

/**
 * Verifies a delivery and narrows its payload to one of the three documented kinds, or `unknown`. Sync.
 *
 * @example
 * ```ts
 * const event = verifyWebhook({ body: rawBody, headers: request.headers }, { secret });
 * if (event.kind === "inbound_message") console.log(event.data.text);
 * ```
 * @throws WebhookVerificationError as `verifySignature`, and `invalid_json` when the signed body is not a
 * JSON object.
 * @see specification, section 6
 */
export function verifyWebhook(delivery: WebhookDelivery, options: VerifyWebhookOptions = {}): WebhookEvent {
	return narrowDelivery(verifySignature(delivery, options), options.profile?.vendor);
}

/**
 * Parses a delivery whose signature is right, and narrows its payload.
 * @throws WebhookVerificationError `invalid_json` when the body is not a JSON object.
 */
export function narrowDelivery(delivery: SignedDelivery, vendor: VendorProfile | undefined): WebhookEvent {
	const { eventId, timestamp, body } = delivery;
	return toWebhookEvent({ eventId, timestamp }, parseBody(body), vendor);
}

function parseBody(body: Uint8Array): Record<string, unknown> {
	let parsed: unknown;
	try {
		// A byte order mark is kept, and then refused by JSON.parse: it is not part of JSON (RFC 8259, section 8.1).
		parsed = JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(body));
	} catch {
		// The parser's own message quotes the payload.
		throw invalidJson();
	}
	if (!isJsonObject(parsed)) throw invalidJson();
	return parsed;
}

function invalidJson(): WebhookVerificationError {
	return new WebhookVerificationError(
		"invalid_json",
		"the signature is right, but the body is not a JSON object",
	);
}
