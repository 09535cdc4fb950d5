import { fixedClock } from "./fixed-clock.ts";
import { hmacSha256 } from "./node-crypto.ts";

/** The second at which the deliveries of these tests were signed; the receiver's clock shows it. */
export const signedAt = 1767225600;

export const webhookSecret = "whsec-1";

/** The signature of section 6.1, by node:crypto. */
export function webhookSignature(
	body: string | Uint8Array,
	secret: string | Uint8Array = webhookSecret,
	timestamp: number | string = signedAt,
): string {
	return hmacSha256(secret, `${timestamp}.`, body);
}

/** A delivery signed by node:crypto, with headers as a plain record; `headers` replaces some of them. */
export function deliver<Body extends string | Uint8Array>(
	body: Body,
	headers: Record<string, string | string[] | undefined> = {},
) {
	return {
		body,
		headers: {
			"x-svc-event-id": "evt_1",
			"x-svc-timestamp": String(signedAt),
			"x-svc-signature": `v1=${webhookSignature(body)}`,
			...headers,
		},
	};
}

/** Options with the right secret and a clock fixed at the signing time. */
export function receiver() {
	return { secret: webhookSecret, clock: fixedClock(signedAt * 1000) };
}
