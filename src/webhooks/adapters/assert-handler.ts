import { WebhookVerificationError } from "../../errors.ts";
import type { WebhookHandler } from "../create-webhook-handler.ts";

/** Rejects what cannot handle a delivery: code without types would only find out at the first one. */
export function assertHandler(adapter: string, webhooks: WebhookHandler): void {
	const given: Partial<WebhookHandler> | null | undefined = webhooks;
	if (typeof given === "object" && typeof given?.handle === "function") return;
	throw new WebhookVerificationError("configuration", `${adapter} needs what createWebhookHandler returns`);
}
