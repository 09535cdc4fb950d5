import { ConfigurationError } from "../../errors.ts";
import type { WebhookHandler } from "../create-webhook-handler.ts";

/** Rejects anything but a webhook handler: untyped code would notice only at the first delivery. */
export function assertHandler(adapter: string, webhooks: WebhookHandler): void {
	const given: Partial<WebhookHandler> | null | undefined = webhooks;
	if (typeof given === "object" && typeof given?.handle === "function") return;
	throw new ConfigurationError(`${adapter} needs a webhook handler: ${adapter}(createWebhookHandler({ … }))`);
}
