import type { SetWebhooksInput } from "../../library/catalogue/settings.ts";
import type { ChangeSink } from "./change-sink.ts";
import type { WebhookEventDetails } from "./delivery.ts";
import { assertDestination } from "./destination-url.ts";
import type { GatewaySettings } from "./settings.ts";

/** The registered webhook URLs; `null` for one that is not set (specification, section 4.2). */
export interface Destinations {
	inboundWebhookUrl: string | null;
	statusWebhookUrl: string | null;
}

/** The destinations as an item that changed. */
export interface DestinationsItem {
	readonly type: "destinations";
}

/** The dependencies of {@link setDestinations}. */
interface DestinationTools {
	readonly destinations: Destinations;
	readonly feed: ChangeSink<DestinationsItem>;
}

/** The URL of deliveries to a `deliverTo` function. */
const RECEIVER_URL = "http://receiver.localhost/webhooks";

/** The URL that `deliverTo` registers for all events. */
export function receiverUrl(deliverTo: GatewaySettings["deliverTo"]): string | null {
	return typeof deliverTo === "function" ? RECEIVER_URL : (deliverTo ?? null);
}

const FIELDS = ["inboundWebhookUrl", "statusWebhookUrl"] as const;

/**
 * Registers destinations: an absent field stays as it is, an empty one is unset (specification, section 4.2).
 * @throws RequestRejection when a URL would send webhooks unencrypted to another machine.
 */
export function setDestinations({ destinations, feed }: DestinationTools, input: SetWebhooksInput): void {
	for (const field of FIELDS) if (input[field]) assertDestination(field, input[field]);
	for (const field of FIELDS) if (input[field] !== undefined) destinations[field] = input[field] || null;
	feed.changed({ type: "destinations" });
}

/** The destination of an event; a message's own URL takes precedence (specification, section 4.2, rule 3). */
export function destinationOf(
	{ kind, statusCallback }: Pick<WebhookEventDetails, "kind" | "statusCallback">,
	{ inboundWebhookUrl, statusWebhookUrl }: Destinations,
): string | undefined {
	return (kind === "status" ? (statusCallback ?? statusWebhookUrl) : inboundWebhookUrl) ?? undefined;
}
