import { createMemoryState } from "@chat-adapter/state-memory";
import { Chat, type ChatConfig, type Logger } from "chat";
import { MessagingGateway } from "messaging-gateway";
import { createGatewayAdapter, type GatewayAdapterOptions } from "messaging-gateway/chat";
import { createSender, memorySendStore } from "messaging-gateway/sends";
import {
	createAdjustableClock,
	createLocalGateway,
	type LocalGatewayOptions,
} from "messaging-gateway/testing";
import { memoryStore, type WebhookEvent } from "messaging-gateway/webhooks";

export const CONTACT = "+15551234567";
export const OTHER_CONTACT = "+15557654321";

export interface ChatWorldOptions extends Partial<Omit<GatewayAdapterOptions, "webhooks">> {
	rules?: LocalGatewayOptions["rules"];
	agents?: LocalGatewayOptions["agents"];
	/** With `null` it is left out. */
	concurrency?: ChatConfig["concurrency"] | null;
	/** Runs the bot before the response to a delivery, for so long at most. */
	maxHandlerMs?: number;
	withoutSender?: boolean;
	state?: ReturnType<typeof createMemoryState>;
}

/** A bot for a local gateway whose clock stands still, with a queue from which a test takes the events. */
export function createChatWorld({
	rules = "off",
	agents,
	concurrency = "concurrent",
	maxHandlerMs,
	withoutSender = false,
	state = createMemoryState(),
	...given
}: ChatWorldOptions = {}) {
	const clock = createAdjustableClock({ frozen: true, startMs: 1_767_225_600_000 });
	const queue: string[] = [];
	const logged: string[] = [];
	const responses: number[] = [];
	const local = createLocalGateway({
		clock,
		rules,
		agents,
		deliverTo: async (request) => {
			const response = await bot.webhooks.gateway(request);
			responses.push(response.status);
			return response;
		},
	});
	const gateway = new MessagingGateway({ ...local.clientOptions, logLevel: "off", maxRetries: 0 });
	const sends = memorySendStore({ clock });
	const sender = createSender({ gateway, store: sends, digestSecret: "a secret for digests" });
	const settings = { secret: local.webhookSecret, store: memoryStore({ clock }), clock, onError: () => {} };
	const enqueue = async (event: WebhookEvent) => void queue.push(JSON.stringify(event));
	const adapter = createGatewayAdapter({
		gateway,
		...(!withoutSender && { sender }),
		webhooks: maxHandlerMs === undefined ? { ...settings, enqueue } : { ...settings, maxHandlerMs },
		...given,
	});
	const log = (...values: unknown[]) => void logged.push(JSON.stringify(values));
	const logger: Logger = { debug: () => {}, info: log, warn: log, error: log, child: () => logger };
	const bot = new Chat({
		userName: "bot",
		adapters: { gateway: adapter },
		state,
		logger,
		...(concurrency !== null && { concurrency }),
	});

	/** Takes the events out of the queue, and runs one after the other. */
	async function work(): Promise<void> {
		await local.settled();
		for (let json = queue.shift(); json !== undefined; json = queue.shift())
			await adapter.process(JSON.parse(json));
	}

	return {
		local,
		clock,
		gateway,
		sends,
		sender,
		adapter,
		bot,
		state,
		queue,
		/** What Chat SDK logs from `info` on. */
		logged,
		/** The statuses of the responses to deliveries. */
		responses,
		work,
		texts: () => local.sent.map(({ text }) => text),
		/** Takes the next event out of the queue. */
		async take(): Promise<WebhookEvent> {
			await local.settled();
			return JSON.parse(queue.shift() ?? "no event is in the queue");
		},
	};
}
