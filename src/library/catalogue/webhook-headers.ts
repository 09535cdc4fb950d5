import type { VendorProfile } from "./profile.ts";

/** The names of the three headers of a webhook request. */
export interface WebhookHeaderNames {
	readonly eventId: string;
	readonly timestamp: string;
	readonly signature: string;
	/** The three in this order. */
	readonly all: readonly string[];
	/** The same in lower case. */
	readonly lowerCase: readonly string[];
}

const DOCUMENTED = /* @__PURE__ */ namesWith("SVC");

/** The names of the headers (specification, section 6.1), with the vendor's prefix in them. */
export function webhookHeaderNames(vendor: VendorProfile | undefined): WebhookHeaderNames {
	return vendor?.headerPrefix === undefined ? DOCUMENTED : namesWith(vendor.headerPrefix);
}

function namesWith(prefix: string): WebhookHeaderNames {
	const eventId = `X-${prefix}-Event-Id`;
	const timestamp = `X-${prefix}-Timestamp`;
	const signature = `X-${prefix}-Signature`;
	const all = [eventId, timestamp, signature];
	return { eventId, timestamp, signature, all, lowerCase: all.map((name) => name.toLowerCase()) };
}
