/**
 * A bot on Vercel's Chat SDK that answers within the delivery: it echoes what a contact writes, and thanks for a reaction. Reads
 * PORT and the variables of the client and the webhooks from the environment.
 */
import { appendFile } from "node:fs/promises";
import { createMemoryState } from "@chat-adapter/state-memory";
import { serve } from "@hono/node-server";
import { Chat, emoji } from "chat";
import { MessagingGateway } from "messaging-gateway";
import { createGatewayAdapter } from "messaging-gateway/chat";
import { memoryStore } from "messaging-gateway/webhooks";

const gateway = createGatewayAdapter({
	gateway: new MessagingGateway(),
	webhooks: { store: memoryStore(), maxHandlerMs: 10_000 },
	// What the bot cannot read is kept. If this fails, the event is not acknowledged.
	onUnknown: (event) => appendFile("unknown-events.jsonl", `${JSON.stringify(event)}\n`, { mode: 0o600 }),
});
const bot = new Chat({
	userName: "bot",
	adapters: { gateway },
	state: createMemoryState(),
	concurrency: "concurrent",
	logger: "warn",
});

bot.onDirectMessage(async (thread, message) => {
	await thread.markAsRead();
	await thread.startTyping();
	const time = message.metadata.dateSent.toLocaleTimeString();
	// The gateway takes the same words within a minute for a duplicate.
	await thread.post(`At ${time} you said: ${message.text}`);
});
bot.onReaction([emoji.heart], async ({ thread }) => {
	await thread.post(`Thank you for the ${emoji.heart}`);
});
await bot.initialize();

serve(
	{ fetch: (request) => bot.webhooks.gateway(request), port: Number(process.env["PORT"] ?? 3000) },
	({ port }) => console.log(`listening on port ${port}`),
);
