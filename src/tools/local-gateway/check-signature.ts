import type { Profile } from "../../library/catalogue/profile.ts";
import { WebhookVerificationError } from "../../library/errors.ts";
import { systemClock } from "../../library/runtime.ts";
import { verifySignature, type WebhookDelivery } from "../../library/webhooks/verify-signature.ts";

/** The result of this package's verification of a delivery. */
export type SignatureCheck =
	| { readonly isValid: true }
	| { readonly isValid: false; readonly code: string; readonly message: string };

/** Verifies a delivery as its receiver does at `nowMs`. */
export function checkDeliverySignature(
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
