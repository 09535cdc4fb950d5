import type { Profile } from "../catalogue/profile.ts";
import { webhookHeaderNames } from "../catalogue/webhook-headers.ts";
import { ConfigurationError } from "../errors.ts";
import { randomHex, systemClock } from "../runtime.ts";
import { hmacKeyOf } from "../signing/hash.ts";

/** The delivery that {@link signWebhook} signs. */
export interface SignWebhookInput {
	/** The raw body. Send exactly these bytes. */
	body: string | Uint8Array;
	/** The webhook secret: a string, which `profile.events.secret` may decode, or bytes. */
	secret: string | Uint8Array;
	/**
	 * The time of signing, in Unix seconds.
	 * @default the current time
	 */
	timestamp?: number | undefined;
	/**
	 * The event's id, of the form `evt_…`.
	 * @default a random id
	 */
	eventId?: string | undefined;
	/** The vendor's word in the header names, and the encoding of the secret. */
	profile?: Pick<Profile, "vendor" | "events"> | undefined;
}

/**
 * Signs a delivery as the gateway does, to test your receiver.
 * @throws ConfigurationError when the secret is unusable.
 * @returns the three headers of a delivery and `Content-Type`.
 * @see Specification, section 6.1
 */
export function signWebhook(input: SignWebhookInput): Record<string, string> {
	if (Object(input) !== input)
		throw new ConfigurationError("signWebhook needs a body and a secret: signWebhook({ body, secret })");
	const { body, secret, eventId = createEventId(), timestamp = Math.floor(systemClock.now() / 1000) } = input;
	const toError = (problem: string): ConfigurationError =>
		new ConfigurationError(`The webhook secret ${problem}`);
	const key = hmacKeyOf(secret, toError, input.profile?.events?.secret);
	const names = webhookHeaderNames(input.profile?.vendor);
	const signature = key.signHex(`${timestamp}.`, body);
	return {
		"Content-Type": "application/json",
		[names.eventId]: eventId,
		[names.timestamp]: String(timestamp),
		[names.signature]: `v1=${signature}`,
	};
}

/** A new event id of the form `evt_…`. */
export function createEventId(): string {
	return `evt_${randomHex(12)}`;
}
