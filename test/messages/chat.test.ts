import { createMemoryState } from "@chat-adapter/state-memory";
import { Chat, type ChatConfig } from "chat";
import { MessagingGateway } from "messaging-gateway";
import { createGatewayAdapter, type GatewayAdapterOptions } from "messaging-gateway/chat";
import { memoryStore } from "messaging-gateway/webhooks";
import { describeMessages } from "./message-table.ts";

const gateway = new MessagingGateway({ baseUrl: "http://localhost", appId: "app-1", appSecret: "secret-1" });
const store = memoryStore();
const enqueue = () => undefined;

/** An adapter with options as a user in plain JavaScript passes them. */
function adapt(options: object = {}) {
	return createGatewayAdapter({ gateway, ...options } as GatewayAdapterOptions);
}

/** A bot with such an adapter, ready to run. */
async function start(options: Partial<ChatConfig>, adapter = adapt()): Promise<Chat> {
	const chat = { userName: "bot", state: createMemoryState(), logger: "silent" } as const;
	const bot = new Chat({ ...chat, adapters: { gateway: adapter }, ...options });
	await bot.initialize();
	return bot;
}

describeMessages("options of createGatewayAdapter", [
	[
		"no gateway",
		() => adapt({ gateway: undefined }),
		"gateway must be a MessagingGateway: pass new MessagingGateway(). You passed undefined",
	],
	[
		"the options of a gateway",
		() => adapt({ gateway: { baseUrl: "http://localhost" } }),
		"gateway must be a MessagingGateway: pass new MessagingGateway()",
	],
	["a sender that is none", () => adapt({ sender: {} }), "sender must be what createSender returns"],
	[
		"the Promise of a sender",
		() => adapt({ sender: Promise.resolve({}) }),
		"sender must be what createSender returns. You passed a Promise: await it first",
	],
	[
		"no queue",
		() => adapt({ webhooks: { store } }),
		"webhooks.enqueue is required: add each event to a durable queue, whose worker calls the adapter's process(event). For a bot that is always done within seconds, pass webhooks.maxHandlerMs instead, at most 25000",
	],
	[
		"a limit beyond the patience of a gateway",
		() => adapt({ webhooks: { store, maxHandlerMs: 60_000 } }),
		"webhooks.maxHandlerMs must be above 0, and at most 25000. For a slower bot, pass webhooks.enqueue instead",
	],
	[
		"no store",
		() => adapt({ webhooks: { enqueue } }),
		"store is required. Use memoryStore() in development, and redisStore, postgresStore, … in production",
	],
	[
		"a number without its country",
		() => adapt({ ownNumbers: ["+15550000001", "555 1234"] }),
		"ownNumbers[1] must be a number in E.164, a short code or an e-mail address, as events have it",
	],
	[
		"a name with a colon",
		() => adapt({ name: "a:b" }),
		"name must be 1 to 32 letters, digits, underscores or hyphens",
	],
]);

describeMessages("a bot", [
	[
		"with Chat SDK's default",
		() => start({}),
		'concurrency: "drop", the default, loses messages. Write new Chat({ concurrency: "concurrent", … }): the adapter keeps the order within a conversation',
	],
	[
		"with another strategy",
		() => start({ concurrency: "queue" }),
		'concurrency: "queue" loses messages. Write new Chat({ concurrency: "concurrent", … }): the adapter keeps the order within a conversation',
	],
	[
		"that knows the adapter by another name",
		() => start({ concurrency: "concurrent", adapters: { us: adapt() } }),
		'createGatewayAdapter uses the name "gateway", but new Chat({ adapters }) uses another. Give both the same name',
	],
	[
		"with the adapter of another one",
		async () => {
			const adapter = adapt();
			await start({ concurrency: "concurrent" }, adapter);
			await start({ concurrency: "concurrent" }, adapter);
		},
		"The adapter belongs to another Chat: create one for each",
	],
	[
		"that opens a thread by a number",
		async () => (await start({ concurrency: "concurrent" })).openDM("+15551234567"),
		"Chat SDK can't tell which adapter a handle belongs to. Instead of bot.openDM, write bot.thread(await gateway.openDM(handle))",
	],
]);

const event = { eventId: "evt_1", kind: "inbound_message", data: { from: "+15551234567" } };

describeMessages("an adapter", [
	[
		"that gets a delivery without webhooks",
		() => adapt().handleWebhook(new Request("http://localhost")),
		"webhooks is required for deliveries: createGatewayAdapter({ gateway, webhooks: { store, enqueue } })",
	],
	[
		"that gets the text of a job",
		() => adapt().process(JSON.stringify(event) as never),
		"event must be what enqueue got: parse the job's JSON",
	],
	[
		"that posts to a number",
		() => adapt().post("+15551234567", "Hello"),
		'This id belongs to no thread of the adapter "gateway". Get one from openDM(handle), or use the adapter whose name the id begins with',
	],
	[
		"that posts with a key, without a sender",
		() => {
			const adapter = adapt();
			return adapter.post(adapter.encodeThreadId({ to: "+15551234567" }), "Hello", { key: "welcome" });
		},
		"A post with a key needs a sender: pass one to createGatewayAdapter",
	],
]);
