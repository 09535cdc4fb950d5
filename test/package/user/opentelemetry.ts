import { MessagingGateway } from "messaging-gateway";
import { traceCalls, traceEvents } from "messaging-gateway/opentelemetry";
import { createWebhookHandler, memoryStore } from "messaging-gateway/webhooks";

export const gateway = new MessagingGateway({ hooks: { ...traceCalls(), onRetry: () => undefined } });

export const webhooks = createWebhookHandler({
	store: memoryStore(),
	on: { status: () => undefined, unknown: () => undefined },
	hooks: traceEvents(),
});
