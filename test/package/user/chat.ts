import { createMemoryState } from "@chat-adapter/state-memory";
import { Chat } from "chat";
import { MessagingGateway } from "messaging-gateway";
import { createGatewayAdapter, type GatewayAdapter, type GatewayThread } from "messaging-gateway/chat";
import { createSender, memorySendStore } from "messaging-gateway/sends";
import { memoryStore, type WebhookEvent } from "messaging-gateway/webhooks";

const client = new MessagingGateway();
const gateway: GatewayAdapter = createGatewayAdapter({
	gateway: client,
	sender: createSender({ gateway: client, store: memorySendStore() }),
	webhooks: { store: memoryStore(), enqueue: (event) => console.log(event.kind) },
});

export const bot = new Chat({
	userName: "bot",
	adapters: { gateway },
	state: createMemoryState(),
	concurrency: "concurrent",
});
bot.onDirectMessage(async (thread, message) => {
	await thread.post(`You said ${message.text}`);
});

const contact: GatewayThread = { to: "+15551234567" };
export const thread = bot.thread(gateway.encodeThreadId(contact));
export const POST = (request: Request): Promise<Response> => bot.webhooks.gateway(request);
export const work = (event: WebhookEvent, signal: AbortSignal): Promise<void> =>
	gateway.process(event, { signal });

// @ts-expect-error without a queue a limit must be stated
createGatewayAdapter({ gateway: client, webhooks: { store: memoryStore() } });
