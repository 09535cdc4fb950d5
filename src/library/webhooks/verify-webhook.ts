import { WebhookVerificationError } from "../errors.ts";
import { readEvent, type WebhookEvent } from "./events.ts";
import { findHeader } from "./headers.ts";
import { assertContentLength, rawBodyOf, readRawBody } from "./read-body.ts";
import { copyWebhookSecret } from "./secret.ts";
import {
	assertArguments,
	checkSignature,
	type ReceivedAt,
	type VerifyWebhookOptions,
	type WebhookDelivery,
} from "./verify-signature.ts";

/**
 * Checks the signature of a delivery and returns its event. `switch` on `kind` to narrow `data`. It is synchronous.
 *
 * @example
 * ```ts
 * const event = verifyWebhook({ body: rawBody, headers: request.headers }, { secret });
 * if (event.kind === "inbound_message") console.log(event.data.text);
 * ```
 * @throws WebhookVerificationError as `verifySignature`, `invalid_json` if the signed body is not a JSON object,
 * `several_events` if it is an array, and `decode_failed` if `profile.events.decode` fails.
 * @see Specification, section 6
 */
export function verifyWebhook(delivery: WebhookDelivery, options: VerifyWebhookOptions = {}): WebhookEvent {
	assertArguments("verifyWebhook", delivery, options);
	const fields = checkSignature(delivery, options);
	return readEvent(fields, delivery.body, options.profile).event;
}

/** The options of {@link verifyWebhookRequest}. */
export interface VerifyWebhookRequestOptions extends VerifyWebhookOptions {
	/** The largest body to read, in bytes. @default 1_048_576 */
	maxBodyBytes?: number | undefined;
	/** When this request arrived, if it waited since. It belongs to one request, so don't keep it in shared options. */
	receivedAt?: ReceivedAt | undefined;
}

const HINT = "the request's body was read before: verify first, and use the event";

/**
 * Checks the signature of a Fetch API request and returns its event. It reads the body.
 * @throws WebhookVerificationError as `verifyWebhook`, `body_too_large`, and `raw_body_unavailable` if the
 * body was read before.
 * @see Specification, section 6
 */
export async function verifyWebhookRequest(
	request: Request,
	options: VerifyWebhookRequestOptions = {},
): Promise<WebhookEvent> {
	if (typeof request?.headers?.get !== "function" || Object(options) !== options) {
		throw new WebhookVerificationError(
			"configuration",
			"verifyWebhookRequest needs a Request of the Fetch API. With Express, pass the raw body to verifyWebhook({ body, headers: request.headers }, { secret })",
		);
	}
	const { maxBodyBytes = 1024 * 1024, receivedAt, ...given } = options;
	const verifyOptions = { ...given, secret: copyWebhookSecret(given.secret) };
	const { headers } = request;
	// A limit of NaN would be none at all.
	if (!Number.isFinite(maxBodyBytes) || maxBodyBytes <= 0) {
		throw new WebhookVerificationError("configuration", "maxBodyBytes must be a number above 0");
	}
	assertContentLength(findHeader(headers, "Content-Length"), maxBodyBytes);
	const body = await readRawBody(() => rawBodyOf(request), maxBodyBytes, HINT);
	return verifyWebhook({ body, headers, receivedAt }, verifyOptions);
}
