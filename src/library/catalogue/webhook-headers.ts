import type { VendorProfile } from "./profile.ts";

/** The names of the three headers of a webhook request. */
export interface WebhookHeaderNames {
	readonly eventId: string;
	readonly timestamp: string;
	readonly signature: string;
}

/** The names of the headers (specification, section 6.1), with the vendor's prefix in them. */
export function webhookHeaderNames(vendor: VendorProfile | undefined): WebhookHeaderNames {
	const prefix = vendor?.headerPrefix ?? "SVC";
	return {
		eventId: `X-${prefix}-Event-Id`,
		timestamp: `X-${prefix}-Timestamp`,
		signature: `X-${prefix}-Signature`,
	};
}
