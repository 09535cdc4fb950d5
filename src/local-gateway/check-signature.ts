import type { Profile } from "../catalogue/profile.ts";
import { WebhookVerificationError } from "../errors.ts";
import { systemClock } from "../runtime.ts";
import { verifySignature, type WebhookDelivery } from "../webhooks/verify-signature.ts";

/** What the webhook verification of this package says of what was sent. */
export type SignatureCheck =
	| { readonly isValid: true }
	| { readonly isValid: false; readonly code: string; readonly message: string };

/** Checks a delivery as its receiver does at `nowMs`. */
export function checkSignature(
	delivery: WebhookDelivery,
	nowMs: number,
	{ webhookSecret, profile }: { readonly webhookSecret: string; readonly profile: Profile },
): SignatureCheck {
	try {
		verifySignature(delivery, {
			secret: webhookSecret,
			profile,
			clock: { ...systemClock, now: () => nowMs },
		});
		return { isValid: true };
	} catch (error) {
		if (!(error instanceof WebhookVerificationError)) throw error;
		return { isValid: false, code: error.code, message: error.message };
	}
}
