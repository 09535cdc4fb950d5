/** The bot of the example on an adapter of the usual shape: it starts Chat SDK, and acknowledges at once. */
import { setTimeout as sleep } from "node:timers/promises";
import { createMemoryState } from "@chat-adapter/state-memory";
import { serve } from "@hono/node-server";
import {
	type Adapter,
	Chat,
	type ChatInstance,
	type ConcurrencyStrategy,
	Message,
	parseMarkdown,
} from "chat";
import { MessagingGateway } from "messaging-gateway";
import { verifyWebhookRequest } from "messaging-gateway/webhooks";

const { messages } = new MessagingGateway();
let chat: ChatInstance | undefined;

const unsupported = async (): Promise<never> => {
	throw new Error("not used");
};

const adapter: Adapter<string, unknown> = {
	name: "plain",
	userName: "bot",
	async initialize(instance) {
		chat = instance;
	},
	async handleWebhook(request, options) {
		const event = await verifyWebhookRequest(request);
		if (event.kind !== "inbound_message") return new Response("ok");
		const threadId = `plain:${event.data.from}`;
		const { from, text } = event.data;
		const message = new Message({
			id: event.eventId,
			threadId,
			text,
			formatted: parseMarkdown(text),
			raw: event.data,
			author: { userId: from, userName: from, fullName: from, isBot: false, isMe: false },
			metadata: { dateSent: new Date(), edited: false },
			attachments: [],
		});
		// Nobody waits for it; Chat SDK logs what goes wrong.
		chat?.processMessage(adapter, threadId, message, options).catch(() => undefined);
		return new Response("ok");
	},
	async postMessage(threadId, message) {
		const { message: sent } = await messages.sendText({ to: threadId.slice(6), text: String(message) });
		return { id: sent.messageId, raw: sent, threadId };
	},
	isDM: () => true,
	channelIdFromThreadId: (threadId) => threadId,
	encodeThreadId: (number) => `plain:${number}`,
	decodeThreadId: (threadId) => threadId.slice(6),
	fetchThread: async (id) => ({ id, channelId: id, metadata: {} }),
	renderFormatted: () => "",
	parseMessage: () => {
		throw new Error("not used");
	},
	fetchMessages: unsupported,
	editMessage: unsupported,
	deleteMessage: unsupported,
	addReaction: unsupported,
	removeReaction: unsupported,
	startTyping: unsupported,
};

const strategies: readonly ConcurrencyStrategy[] = ["drop", "queue", "burst", "debounce", "concurrent"];
const bot = new Chat({
	userName: "bot",
	adapters: { plain: adapter },
	state: createMemoryState(),
	concurrency: strategies.find((strategy) => strategy === process.env["STRATEGY"]) ?? "drop",
	logger: "silent",
});
bot.onDirectMessage(async (thread, message) => {
	await sleep(Number(process.env["THINKING_MS"]));
	await thread.post(`You said: ${message.text}`);
});
await bot.initialize();
serve({ fetch: (request) => bot.webhooks.plain(request), port: Number(process.env["PORT"]) }, () =>
	console.log("listening"),
);
