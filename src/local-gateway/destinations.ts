import type { SetWebhooksInput } from "../catalogue/settings.ts";
import type { WebhookEventDetails } from "./deliveries.ts";
import { assertDestination } from "./destination-url.ts";
import type { Settings } from "./settings.ts";
import type { World } from "./world.ts";

/** Where webhooks are registered to go; `null` where nobody wants them (specification, section 4.2). */
export interface Destinations {
	inboundWebhookUrl: string | null;
	statusWebhookUrl: string | null;
}

/** The address that stands for a function in `deliverTo`. */
const RECEIVER_URL = "http://receiver.localhost/webhooks";

/** Where `deliverTo` sends everything. */
export function receiverUrl(deliverTo: Settings["deliverTo"]): string | null {
	return typeof deliverTo === "function" ? RECEIVER_URL : (deliverTo ?? null);
}

const FIELDS = ["inboundWebhookUrl", "statusWebhookUrl"] as const;

/**
 * Registers destinations: an absent field stays as it is, an empty one is unset (specification, section 4.2).
 * @throws Refusal when a URL would leave the machine unencrypted.
 */
export function setDestinations({ destinations, feed }: World, input: SetWebhooksInput): void {
	for (const field of FIELDS) if (input[field]) assertDestination(field, input[field]);
	for (const field of FIELDS) if (input[field] !== undefined) destinations[field] = input[field] || null;
	feed.changed({ type: "destinations" });
}

/** Where an event goes: a message's own URL wins (specification, section 4.2, rule 3). */
export function destinationOf(
	{ kind, statusCallback }: Pick<WebhookEventDetails, "kind" | "statusCallback">,
	{ inboundWebhookUrl, statusWebhookUrl }: Destinations,
): string | undefined {
	return (kind === "status" ? (statusCallback ?? statusWebhookUrl) : inboundWebhookUrl) ?? undefined;
}
