import { inspect } from "node:util";
import { createMemoryState } from "@chat-adapter/state-memory";
import { Chat, type ChatConfig, type ChatInstance } from "chat";
import { MessagingGateway } from "messaging-gateway";
import {
	createGatewayAdapter,
	type GatewayAdapter,
	type GatewayAdapterOptions,
} from "messaging-gateway/chat";
import { memoryStore } from "messaging-gateway/webhooks";
import { expect, test, vi } from "vitest";
import { catchError, catchRejection } from "../../../support/catch-error.ts";
import { CONTACT, createChatWorld } from "./chat-world.ts";

const CHAT = {
	userName: "bot",
	state: createMemoryState(),
	logger: "silent",
	concurrency: "concurrent",
} as const;

const AUTHOR = { userId: "", userName: "", fullName: "", isBot: false, isMe: false };

test.each<NonNullable<ChatConfig["concurrency"]> | null>([
	null,
	"drop",
	"queue",
	"burst",
	"debounce",
	{ strategy: "queue", maxQueueSize: 1_000 },
])("the strategy %o is rejected, with what to write", async (concurrency) => {
	const { bot, local, take } = createChatWorld({ concurrency });
	const error = await catchRejection(bot.initialize());
	expect(error).toMatchObject({ code: "configuration" });
	expect(error).toMatchObject({
		message: expect.stringContaining('new Chat({ concurrency: "concurrent", … })'),
	});
	await local.contact(CONTACT).reply("Hello");
	// No delivery is acknowledged.
	expect(await catchRejection(take())).toBeInstanceOf(SyntaxError);
	expect(local.deliveries.map(({ state }) => state)).not.toContain("acknowledged");
});

test("a limit of what runs at once is accepted", async () => {
	const concurrency = { strategy: "concurrent", maxConcurrent: 2 } as const;
	expect(await createChatWorld({ concurrency }).bot.initialize()).toBe(undefined);
});

/** A Chat SDK with another value of a member. */
const change = (bot: object, name: string, value?: unknown): ChatInstance =>
	Object.create(bot, { [name]: { value } });

test("a Chat SDK that doesn't show its strategy works, with one warning", async () => {
	const { bot, adapter, logged } = createChatWorld();
	await adapter.initialize(change(bot, "_concurrencyStrategy"));
	expect(logged).toEqual([expect.stringContaining("doesn't show its strategy")]);
});

test("a Chat SDK before 4.41 is rejected, with the version to install", async () => {
	const { bot, adapter } = createChatWorld();
	const error = await catchRejection(adapter.initialize(change(bot, "processInstalled")));
	expect(error).toMatchObject({
		code: "configuration",
		message: expect.stringContaining("npm install chat@4.41"),
	});
});

test("an adapter under another name is rejected, since a thread's id would lead to another account", async () => {
	const [us, eu] = [createChatWorld().adapter, createChatWorld().adapter];
	const bot = new Chat({ ...CHAT, adapters: { us, gateway: eu } });
	expect(await catchRejection(bot.initialize())).toMatchObject({ code: "configuration" });
	const adapters = { us: createChatWorld({ name: "us" }).adapter, gateway: createChatWorld().adapter };
	expect(await new Chat({ ...CHAT, adapters }).initialize()).toBe(undefined);
});

test("the bot's name is that of Chat SDK, or its own", async () => {
	const [world, named] = [createChatWorld(), createChatWorld({ userName: "helper" })];
	await world.bot.initialize();
	expect([world.adapter.userName, named.adapter.userName]).toEqual(["bot", "helper"]);
});

test("a Chat SDK that sets messages aside, or takes a repeat for a duplicate, is found at the first one", async () => {
	const { bot, adapter, local, take } = createChatWorld();
	await bot.initialize();
	vi.spyOn(bot, "processMessage").mockResolvedValue();
	await local.contact(CONTACT).reply("Hello");
	expect(await catchRejection(adapter.process(await take()))).toMatchObject({ code: "configuration" });
});

test("an event before bot.initialize() is an error that says so", async () => {
	const { adapter, local, take, bot } = createChatWorld();
	bot.onDirectMessage(() => {});
	await local.contact(CONTACT).reply("Hello");
	const event = await take();
	const other = createChatWorld().adapter;
	expect(await catchRejection(other.process(event))).toMatchObject({
		message: expect.stringContaining("bot.initialize()"),
	});
	await adapter.process(event);
});

test.each(["openDM", "getUser"] as const)(
	"bot.%s outside of an event shows no handle in its error",
	async (method) => {
		const { bot } = createChatWorld();
		await bot.initialize();
		for (const user of [CONTACT, "88022", { ...AUTHOR, userId: "ana@icloud.example" }]) {
			const error = await catchRejection(bot[method](user));
			expect(error).toMatchObject({
				code: "configuration",
				message: expect.stringContaining("bot.thread(await gateway.openDM(handle))"),
			});
			expect(inspect(error)).not.toContain(typeof user === "string" ? user : user.userId);
		}
	},
);

test("bot.openDM finds the adapters of other platforms as before", async () => {
	const { adapter } = createChatWorld({ name: "slack" });
	const chat = new Chat({ ...CHAT, adapters: { slack: adapter } });
	await chat.initialize();
	vi.spyOn(adapter, "openDM").mockResolvedValue("slack:dm:1");
	expect((await chat.openDM("U12345678")).id).toBe("slack:dm:1");
});

const OPTIONS = {
	gateway: new MessagingGateway({ baseUrl: "http://localhost", appId: "a", appSecret: "b" }),
};
const STORE = { store: memoryStore() };

test.each<[string, object]>([
	["a misspelt option", { senders: {} }],
	["a name with a colon", { name: "a:b" }],
	["a misspelt setting", { webhooks: { ...STORE, enqueue: () => {}, secrets: "x" } }],
	["a function that is none", { onUnknown: true }],
])("%s is rejected", (_name, options) => {
	const error = catchError(() => createGatewayAdapter({ ...OPTIONS, ...options } as GatewayAdapterOptions));
	expect(error).toMatchObject({ code: "configuration" });
});

test("an adapter that has a Chat is rejected by another, which would take its events", async () => {
	const { bot, adapter, state } = createChatWorld();
	await bot.initialize();
	await adapter.initialize(bot);
	const options = { userName: "other", state, logger: "silent", concurrency: "concurrent" } as const;
	expect(
		await catchRejection(new Chat({ ...options, adapters: { gateway: adapter } }).initialize()),
	).toMatchObject({
		code: "configuration",
		message: expect.stringContaining("belongs to another Chat"),
	});
});

const WRONG: unknown[] = [undefined, null, 5, {}, ""];

test.each<[string, (adapter: GatewayAdapter, wrong: never) => unknown]>([
	["postMessage", (adapter, wrong) => adapter.postMessage(wrong, "Hello")],
	["post", (adapter, wrong) => adapter.post(wrong, "Hello")],
	["post with a key", (adapter, wrong) => adapter.post(wrong, "Hello", { key: "a" })],
	["markAsRead", (adapter, wrong) => adapter.markAsRead?.(wrong, "guid-1")],
	["fetchMessages", (adapter, wrong) => adapter.fetchMessages(wrong)],
	["decodeThreadId", async (adapter, wrong) => adapter.decodeThreadId(wrong)],
])("%s of what is no thread's id is an error that says so", async (_name, call) => {
	const { bot, adapter } = createChatWorld();
	await bot.initialize();
	for (const wrong of WRONG)
		expect(await catchRejection(Promise.resolve(call(adapter, wrong as never)))).toMatchObject({
			code: "configuration",
			message: expect.stringContaining("belongs to no thread of the adapter"),
		});
});

test.each<[string, (adapter: GatewayAdapter, threadId: string, wrong: never) => unknown]>([
	["reply", (adapter, threadId, wrong) => adapter.reply?.(threadId, wrong, "Hello")],
	["markAsRead", (adapter, threadId, wrong) => adapter.markAsRead?.(threadId, wrong)],
	["addReaction", (adapter, threadId, wrong) => adapter.addReaction(threadId, wrong, "heart")],
	["removeReaction", (adapter, threadId, wrong) => adapter.removeReaction(threadId, wrong, "heart")],
])("%s of what is no message's id is an error that says so", async (_name, call) => {
	const { bot, adapter } = createChatWorld();
	await bot.initialize();
	for (const wrong of WRONG)
		expect(
			await catchRejection(
				Promise.resolve(call(adapter, adapter.encodeThreadId({ to: CONTACT }), wrong as never)),
			),
		).toMatchObject({ code: "invalid_input", message: expect.stringContaining("messageId must be") });
});

test.each([{ signal: "now" }, { signal: null }, { signal: {} }])(
	"process with %j is rejected before the bot runs",
	async (options) => {
		const { bot, adapter, local, take } = createChatWorld();
		const handler = vi.fn();
		bot.onDirectMessage(handler);
		await bot.initialize();
		await local.contact(CONTACT).reply("Hello");
		const processing = adapter.process(await take(), JSON.parse(JSON.stringify({ options })).options);
		expect(await catchRejection(processing)).toMatchObject({ code: "configuration" });
		expect(handler).not.toHaveBeenCalled();
	},
);
