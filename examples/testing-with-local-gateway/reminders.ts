import type { MessagingGateway } from "messaging-gateway";
import { createWebhookHandler, memoryStore, type WebhookHandlerOptions } from "messaging-gateway/webhooks";

/** What the app gets from outside, so that a test can replace it. */
interface Dependencies extends Pick<WebhookHandlerOptions, "secret" | "clock"> {
	gateway: MessagingGateway;
}

/** Reminds customers of their appointments, and records who confirms. */
export function createReminders({ gateway, ...webhookOptions }: Dependencies) {
	const confirmed: string[] = [];
	return {
		/** The numbers of those who have confirmed. */
		confirmed,
		/** The name is part of the text, because a duplicate window may block equal texts to two customers. */
		async remind(phone: string, name: string): Promise<void> {
			await gateway.messages.sendText({ to: phone, text: `${name}, see you tomorrow? Please answer yes.` });
		},
		webhooks: createWebhookHandler({
			...webhookOptions,
			store: memoryStore({ clock: webhookOptions.clock }),
			on: {
				inbound_message: ({ data }) => {
					if (/^yes\b/i.test(data.text)) confirmed.push(data.from);
				},
				unknown: ({ type, issues }) => console.warn("not as documented:", type, issues),
			},
		}),
	};
}
