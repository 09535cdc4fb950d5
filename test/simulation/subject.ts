import type * as client from "messaging-gateway";
import type * as sends from "messaging-gateway/sends";
import type * as webhooks from "messaging-gateway/webhooks";

/** What is simulated: the package, or a mutant of it. */
export interface Subject
	extends Pick<typeof client, "MessagingGateway">,
		Pick<typeof sends, "createSender" | "memorySendStore" | "observeSend" | "resolveSend">,
		Pick<typeof webhooks, "createWebhookHandler" | "memoryStore" | "PermanentWebhookError" | "signWebhook"> {}
