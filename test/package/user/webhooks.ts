import {
	createWebhookHandler,
	type EventStore,
	memoryStore,
	verifyWebhook,
	type WebhookEvent,
} from "messaging-gateway/webhooks";

const store: EventStore = memoryStore();

export const webhooks = createWebhookHandler({
	store,
	secret: ["new", "old"],
	on: {
		inbound_message: ({ eventId, data }, { signal }) => {
			signal.throwIfAborted();
			console.log(eventId, data.text);
		},
		status: async (event) => console.log(event.data.messageId, event.data.status),
		unknown: ({ reason, issues, narrowed }) => {
			console.log(reason, issues.length);
			if (narrowed?.kind === "inbound_message") console.log(narrowed.data.text);
		},
	},
	onError: (error, { hint }) => console.error(error, hint),
});

export const POST: (request: Request) => Promise<Response> = webhooks.fetch;

/** Verifies a delivery. @returns its text, or else its kind. */
export function read(body: Uint8Array, headers: Headers): string {
	const event: WebhookEvent = verifyWebhook({ body, headers }, { secret: "secret" });
	return event.kind === "inbound_message" ? event.data.text : event.kind;
}
