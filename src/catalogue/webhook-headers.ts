import type { VendorProfile } from "./profile.ts";

/** The names of the three headers of a webhook request (specification, section 6.1), with the vendor's word in them. */
export function webhookHeaderNames(vendor: VendorProfile | undefined): {
	eventId: string;
	timestamp: string;
	signature: string;
} {
	const prefix = `X-${vendor?.headerPrefix ?? "SVC"}`;
	return {
		eventId: `${prefix}-Event-Id`,
		timestamp: `${prefix}-Timestamp`,
		signature: `${prefix}-Signature`,
	};
}
