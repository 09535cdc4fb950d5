/**
 * Runs a bot for one event, whose post fails and is not awaited. Arguments: what it does. Prints what `process` did, and
 * "alive" when the process has survived it.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { createMemoryState } from "@chat-adapter/state-memory";
import { Chat, type Thread } from "chat";
import { MessagingGateway } from "messaging-gateway";
import { createGatewayAdapter } from "messaging-gateway/chat";
import { createSender, memorySendStore } from "messaging-gateway/sends";
import { createLocalGateway } from "messaging-gateway/testing";
import { verifyWebhookRequest, type WebhookEvent } from "messaging-gateway/webhooks";

const received = Promise.withResolvers<WebhookEvent>();
const local = createLocalGateway({
	rules: "off",
	deliverTo: async (request) => {
		received.resolve(await verifyWebhookRequest(request, { secret: local.webhookSecret }));
		return new Response("ok");
	},
});
const client = new MessagingGateway({ ...local.clientOptions, logLevel: "off", maxRetries: 0 });
const gateway = createGatewayAdapter({
	gateway: client,
	sender: createSender({ gateway: client, store: memorySendStore(), digestSecret: "a secret for digests" }),
});
const bot = new Chat({
	userName: "bot",
	adapters: { gateway },
	state: createMemoryState(),
	concurrency: "concurrent",
	logger: "silent",
});

/** What the bot does, and what of it nobody handles. */
const DEEDS: Readonly<Record<string, (thread: Pick<Thread<unknown>, "post" | "id">) => unknown>> = {
	early: async (thread) => {
		void thread.post("One");
		await sleep(20);
		await thread.post("Two");
	},
	late: (thread) => void thread.post("One"),
	after: (thread) => void setTimeout(() => thread.post("One"), 20),
	named: (thread) => void gateway.post(thread.id, "One", { key: "one" }),
	misspelt: (thread) => void gateway.post(thread.id, "One", JSON.parse('{ "kye": "one" }')),
	foreign: () => void Promise.reject(new Error("of the application")),
	"late, then foreign": (thread) => {
		void thread.post("One");
		setTimeout(() => Promise.reject(new Error("of the application")), 20);
	},
};

const [deed = "", copies] = process.argv.slice(2);
if (copies !== undefined) {
	// As a framework compiles a part of the application apart.
	const copy = "../../../src/library/chat/unhandled.ts?another";
	const { onUnhandled } = await import(copy);
	onUnhandled(new Error("of another copy"), () => undefined);
}
bot.onDirectMessage(async (thread) => void (await DEEDS[deed]?.(thread)));
await bot.initialize();
await local.contact("+15551234567").reply("Hello");
const event = await received.promise;
local.faults.respond({ status: 429, operationId: "messages.sendText" });
console.log(
	await gateway.process(event).then(
		() => "done",
		(error: unknown) => (error instanceof Error && "code" in error ? error.code : error),
	),
);
await sleep(100);
console.log("alive");
