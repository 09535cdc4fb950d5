import type { MessagingGateway } from "messaging-gateway";
import {
	createWebhookHandler,
	type InboundMessage,
	memoryStore,
	type WebhookHandlerOptions,
} from "messaging-gateway/webhooks";

/** What the app gets from outside, so that a test can replace it. */
interface Dependencies extends Pick<WebhookHandlerOptions, "secret" | "clock" | "profile"> {
	gateway: MessagingGateway;
	/** Keeps the raw body of an event that is not as documented. If it fails, the event is not acknowledged. */
	keep: (eventId: string, rawBody: string) => unknown;
}

/** Reminds customers of their appointments, and records who confirms. */
export function createReminders({ gateway, keep, ...webhookOptions }: Dependencies) {
	const confirmed: string[] = [];
	function readAnswer({ text, from }: Partial<InboundMessage>): void {
		if (text !== undefined && from !== undefined && /^yes\b/i.test(text)) confirmed.push(from);
	}
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
				inbound_message: ({ data }) => readAnswer(data),
				unknown: async ({ eventId, narrowed }, { readBody }) => {
					await keep(eventId, readBody());
					if (narrowed?.kind === "inbound_message") readAnswer(narrowed.data);
				},
			},
		}),
	};
}
