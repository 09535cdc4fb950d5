import type { VendorProfile } from "./profile.ts";

/** The names of the three headers of a webhook request. */
export interface WebhookHeaderNames {
	readonly eventId: string;
	readonly timestamp: string;
	readonly signature: string;
}

/** Kept, since a receiver has one vendor: to put them together costs as much as to find the headers. */
let latest: { readonly word: string; readonly names: WebhookHeaderNames } | undefined;

/** The names of the headers (specification, section 6.1), with the vendor's word in them. */
export function webhookHeaderNames(vendor: VendorProfile | undefined): WebhookHeaderNames {
	const word = vendor?.headerPrefix ?? "SVC";
	if (latest?.word !== word) {
		latest = {
			word,
			names: {
				eventId: `X-${word}-Event-Id`,
				timestamp: `X-${word}-Timestamp`,
				signature: `X-${word}-Signature`,
			},
		};
	}
	return latest.names;
}
