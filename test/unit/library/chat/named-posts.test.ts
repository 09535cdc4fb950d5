import { inspect } from "node:util";
import { createMemoryState } from "@chat-adapter/state-memory";
import { Chat } from "chat";
import { createGatewayAdapter, type GatewayAdapter } from "messaging-gateway/chat";
import { listSends } from "messaging-gateway/sends";
import { describe, expect, test, vi } from "vitest";
import { catchRejection } from "../../../support/catch-error.ts";
import { collect } from "../../../support/collect.ts";
import { type ChatWorldOptions, CONTACT, createChatWorld, OTHER_CONTACT } from "./chat-world.ts";

async function open(options?: ChatWorldOptions) {
	const world = createChatWorld(options);
	await world.bot.initialize();
	const threadId = world.adapter.encodeThreadId({ to: CONTACT });
	return { ...world, threadId };
}

describe("a post with a key", () => {
	test("is made once, outside of an event and in two processes", async () => {
		const { adapter, texts, threadId, sends } = await open();
		const first = await adapter.post(threadId, "Your order left", { key: "order-17" });
		const again = await adapter.post(threadId, "Your order left", { key: "order-17" });
		expect(texts()).toEqual(["Your order left"]);
		expect(again.id).toBe(first.id);
		expect([first, again].map(({ kept, text, key }) => [kept, text, key])).toEqual(
			Array(2).fill([false, "Your order left", `gateway/${threadId.split(":")[2]}/order-17`]),
		);
		const keys = (await collect(listSends(sends, { status: "accepted" }))).map(({ key }) => key);
		expect(keys).toEqual([first.key]);
	});

	test("is another one in each thread, so that no contact gets another's", async () => {
		const { adapter, local, threadId } = await open();
		await adapter.post(threadId, "For you", { key: "a" });
		await adapter.post(adapter.encodeThreadId({ to: OTHER_CONTACT }), "And you", { key: "a" });
		expect(local.sent.map(({ to, text }) => [to, text])).toEqual([
			[CONTACT, "For you"],
			[OTHER_CONTACT, "And you"],
		]);
	});

	test("that was used for other words is an error, or keeps them if asked for", async () => {
		const onKept = vi.fn();
		const { adapter, texts, threadId } = await open({ onKept });
		const { id } = await adapter.post(threadId, "Yes", { key: "a" });
		expect(await catchRejection(adapter.post(threadId, "No", { key: "a" }))).toMatchObject({
			code: "key_reused",
		});
		const kept = await adapter.post(threadId, "No", { key: "a", ifReused: "keep" });
		expect(kept).toMatchObject({ id, kept: true, text: "Yes", raw: { text: "Yes" } });
		expect(onKept.mock.calls).toEqual([[kept]]);
		expect(texts()).toEqual(["Yes"]);
	});

	test.each([
		["desk", "fulfilled", ["Hello of the shop", "Hello of the desk"]],
		["shop", "rejected", ["Hello of the shop"]],
	])("of two bots on one store, of which the second is called %s, is %s", async (name, status, texts) => {
		const { gateway, sender, adapter, texts: sent } = createChatWorld({ name: "shop" });
		const other = createGatewayAdapter({ gateway, sender, name });
		const post = (bot: GatewayAdapter, text: string) =>
			bot.post(bot.encodeThreadId({ to: CONTACT }), text, { key: "welcome" });
		await post(adapter, "Hello of the shop");
		const [second] = await Promise.allSettled([post(other, "Hello of the desk")]);
		expect(second).toMatchObject({
			status,
			...(status === "rejected" && { reason: { code: "key_reused" } }),
		});
		expect(sent()).toEqual(texts);
	});

	test("that may not have been accepted does not say what its contact got", async () => {
		const { adapter, local, threadId } = await open();
		local.faults.dropConnection({ when: "after" });
		const post = await adapter.post(threadId, "Hello", { key: "a" });
		expect(post).toMatchObject({ kept: false, text: undefined, raw: { status: "unresolved" } });
	});

	test.each([
		["an empty key", { key: "" }, "key must be a string of 1 to 128 visible ASCII characters"],
		["a long one", { key: "a".repeat(129) }, "key must be"],
		["one with a space", { key: "a b" }, "key must be"],
		["an option that does not exist", JSON.parse('{ "name": "a" }'), "name"],
		["another choice", JSON.parse('{ "key": "a", "ifReused": "replace" }'), "ifReused"],
	])("with %s is rejected before it is sent", async (_name, options, message) => {
		const { adapter, texts, threadId } = await open();
		expect(await catchRejection(adapter.post(threadId, "Hello", options))).toMatchObject({
			message: expect.stringContaining(message),
		});
		expect(texts()).toEqual([]);
	});

	test("needs a sender", async () => {
		const { adapter, texts, threadId } = await open({ withoutSender: true });
		expect(await catchRejection(adapter.post(threadId, "Hello", { key: "a" }))).toMatchObject({
			code: "configuration",
			message: "A post with a key needs a sender: pass one to createGatewayAdapter",
		});
		expect(texts()).toEqual([]);
	});

	test("in a process whose bot was not initialized names what to call, and is made after that", async () => {
		const state = createMemoryState();
		const { threadId, adapter } = await open({ state });
		await adapter.post(threadId, "Hello", { key: "a" });
		const restarted = createChatWorld({ state });
		const post = () => restarted.adapter.post(threadId, "Hello again", { key: "b" });
		expect(await catchRejection(post())).toMatchObject({
			code: "configuration",
			message: expect.stringContaining("call `await bot.initialize()` first"),
		});
		await restarted.bot.initialize();
		await post();
		expect(restarted.texts()).toEqual(["Hello again"]);
	});

	test("to a handle names how to make its thread, and shows no handle", async () => {
		const { adapter, local } = await open();
		const error = await catchRejection(adapter.post(CONTACT, "Hello", { key: "order-17" }));
		expect(error).toMatchObject({
			code: "configuration",
			message: expect.stringContaining("Get one from openDM(handle)"),
		});
		expect(inspect(error)).not.toContain(CONTACT);
		expect(local.requests).toEqual([]);
	});

	test("to a thread of another adapter of the same state is rejected, with and without a key", async () => {
		const { adapter, texts, state } = await open();
		const other = createChatWorld({ name: "second", state });
		const adapters = { second: other.adapter };
		const options = { userName: "bot", state, concurrency: "concurrent", logger: "silent" } as const;
		await new Chat({ ...options, adapters }).initialize();
		const threadId = other.adapter.encodeThreadId({ to: CONTACT });
		await other.adapter.post(threadId, "Known to the state");
		for (const post of [
			() => adapter.post(threadId, "Hello", { key: "a" }),
			() => adapter.postMessage(threadId, "Hello"),
			async () => adapter.decodeThreadId(threadId),
		])
			expect(await catchRejection(post())).toMatchObject({
				code: "configuration",
				message: expect.stringContaining('belongs to no thread of the adapter "gateway"'),
			});
		expect(texts()).toEqual([]);
	});
});

describe("a bot that says something else when it is run again", () => {
	/** What a model would say: something else each time. The first run fails after its post. */
	async function playModel(options?: ChatWorldOptions) {
		const world = await open(options);
		const posts: unknown[] = [];
		let runs = 0;
		world.bot.onDirectMessage(async (thread) => {
			posts.push(await world.adapter.post(thread.id, `Answer ${++runs}`));
			if (runs === 1) throw new Error("a bug");
		});
		await world.local.contact(CONTACT).reply("Hello");
		const event = await world.take();
		await catchRejection(world.adapter.process(event));
		await world.adapter.process(event);
		return { ...world, posts };
	}

	test("gets back what was sent, and onKept has it", async () => {
		const onKept = vi.fn();
		const { texts, posts } = await playModel({ onKept });
		expect(texts()).toEqual(["Answer 1"]);
		expect(posts).toMatchObject([
			{ kept: false, text: "Answer 1" },
			{ kept: true, text: "Answer 1" },
		]);
		expect(onKept.mock.calls).toEqual([[posts[1]]]);
	});

	/** It forwards before it answers; between the two the first run ends, or the gateway has rejected what it forwards. */
	async function playForwarding(isRejected: boolean) {
		const onKept = vi.fn();
		const world = await open({ onKept });
		const desk = world.bot.thread(world.adapter.encodeThreadId({ to: OTHER_CONTACT }));
		let runs = 0;
		world.bot.onDirectMessage(async (thread) => {
			runs++;
			await desk.post(`Forwarded in run ${runs}`);
			if (runs === 1) throw new Error("a bug");
			await thread.post(`Answer of run ${runs}`);
		});
		await world.local.contact(CONTACT).reply("Hello");
		const event = await world.take();
		if (isRejected) world.local.faults.respond({ status: 429, operationId: "messages.sendText" });
		await catchRejection(world.adapter.process(event));
		await world.adapter.process(event);
		return { sent: world.local.sent.map(({ to, text }) => [to, text]), onKept };
	}

	test("gets an error instead if it asks for one", async () => {
		const world = await open();
		let runs = 0;
		world.bot.onDirectMessage(async (thread) => {
			await world.adapter.post(thread.id, `Answer ${++runs}`, { ifReused: "throw" });
			if (runs === 1) throw new Error("a bug");
		});
		await world.local.contact(CONTACT).reply("Hello");
		const event = await world.take();
		await catchRejection(world.adapter.process(event));
		expect(await catchRejection(world.adapter.process(event))).toMatchObject({
			cause: { code: "key_reused", message: expect.stringContaining('ifReused: "keep"') },
		});
		expect(world.texts()).toEqual(["Answer 1"]);
	});

	test("answers although its post to another thread is kept, which is reported", async () => {
		const { sent, onKept } = await playForwarding(false);
		expect(sent).toEqual([
			[OTHER_CONTACT, "Forwarded in run 1"],
			[CONTACT, "Answer of run 2"],
		]);
		expect(onKept.mock.calls).toMatchObject([[{ kept: true, text: "Forwarded in run 1" }]]);
	});

	test("makes a post to another thread that was rejected, with the new words", async () => {
		const { sent, onKept } = await playForwarding(true);
		expect(sent).toEqual([
			[OTHER_CONTACT, "Forwarded in run 2"],
			[CONTACT, "Answer of run 2"],
		]);
		expect(onKept).not.toHaveBeenCalled();
	});

	test("is warned of in the log, without words, if nobody asks", async () => {
		const { logged } = await playModel();
		expect(logged.join()).toContain("the words of a post weren't sent");
		expect(logged.join()).not.toContain("Answer");
	});

	test("is no worse for an onKept that throws", async () => {
		const { posts } = await playModel({ onKept: () => Promise.reject(new Error("no")) });
		expect(posts).toMatchObject([{ kept: false }, { kept: true }]);
	});

	test("is not told words that the gateway does not show", async () => {
		const world = await open();
		await world.adapter.post(world.threadId, "Yes", { key: "a" });
		world.local.faults.respond({ status: 404 });
		const kept = await world.adapter.post(world.threadId, "No", { key: "a", ifReused: "keep" });
		expect(kept).toMatchObject({ kept: true, text: undefined, raw: { status: "accepted" } });
	});
});

test("a post outside of an event is a plain send, and says so", async () => {
	const { adapter, texts, threadId, logged } = await open();
	const posts = [await adapter.post(threadId, "Hello"), await adapter.post(threadId, "Hello")];
	expect(posts).toMatchObject(Array(2).fill({ key: undefined, kept: false, text: "Hello" }));
	expect(texts()).toEqual(["Hello", "Hello"]);
	const warned = logged.filter((line) => line.includes("is sent each time: give it a key"));
	expect(warned.map((line) => JSON.parse(line)[1])).toEqual([{ threadId }]);
});
