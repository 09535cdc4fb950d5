import { createHash } from "node:crypto";
import { inspect } from "node:util";
import { createMemoryState } from "@chat-adapter/state-memory";
import { emoji } from "chat";
import { listSends } from "messaging-gateway/sends";
import { createWebhookRequest } from "messaging-gateway/testing";
import { conversationOf, type WebhookEvent } from "messaging-gateway/webhooks";
import { describe, expect, test } from "vitest";
import { nextTask } from "../../../../src/tools/local-gateway/next-task.ts";
import { catchError, catchRejection } from "../../../support/catch-error.ts";
import { collect } from "../../../support/collect.ts";
import { CONTACT, createChatWorld, OTHER_CONTACT } from "./chat-world.ts";

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

describe("an event", () => {
	test("goes to the queue, and from there to the bot, which answers", async () => {
		const { local, bot, work, texts, responses } = createChatWorld();
		bot.onDirectMessage(async (thread, message) => {
			await thread.post(`You said ${message.text}`);
		});
		await local.contact(CONTACT).reply("Hello");
		await work();
		expect(texts()).toEqual(["You said Hello"]);
		expect(local.sent[0]?.to).toBe(CONTACT);
		expect(responses).toEqual([200]);
	});

	test("whose handler throws is run again, although Chat SDK has seen it", async () => {
		const { local, bot, adapter, take, texts } = createChatWorld();
		let runs = 0;
		bot.onDirectMessage(async (thread) => {
			if (++runs < 3) throw new Error(`run ${runs}`);
			await thread.post("Hello");
		});
		await local.contact(CONTACT).reply("Hello");
		const event = await take();
		for (const run of [1, 2])
			expect(await catchRejection(adapter.process(event))).toMatchObject({ message: `run ${run}` });
		await adapter.process(event);
		expect(texts()).toEqual(["Hello"]);
	});

	test("in a delivery whose handler throws is delivered and run again", async () => {
		const { local, bot, texts, responses } = createChatWorld({ maxHandlerMs: 10_000 });
		let runs = 0;
		bot.onDirectMessage(async (thread) => {
			await thread.post("Hello");
			if (++runs < 3) throw new Error("a bug");
		});
		await local.contact(CONTACT).reply("Hello");
		await local.settled();
		expect(responses.filter((status) => status === 500)).toHaveLength(2);
		expect(runs).toBe(3);
		expect(texts()).toEqual(["Hello"]);
	});

	test("is shown as Chat SDK's users know it", async () => {
		const { local, bot, work, adapter } = createChatWorld();
		const seen: unknown[] = [];
		bot.onDirectMessage(async (thread, { id, text, author, attachments, metadata, raw, formatted }) => {
			const { dateSent } = metadata;
			seen.push({ thread: thread.id, id, text, author, attachments, dateSent, raw, formatted });
		});
		const { messageGuid } = await local.contact(CONTACT).reply("*Hi*", {
			attachments: [{ url: "https://files.example/a.png", mimeType: "image/png", size: 7 }, { id: "x" }],
		});
		await work();
		expect(seen).toEqual([
			{
				thread: adapter.encodeThreadId({ to: CONTACT }),
				id: messageGuid,
				text: "*Hi*",
				author: { userId: CONTACT, userName: CONTACT, fullName: CONTACT, isBot: false, isMe: false },
				attachments: [
					{ type: "image", url: "https://files.example/a.png", mimeType: "image/png", size: 7 },
					{ type: "file" },
				],
				dateSent: new Date(1_767_225_600_000),
				raw: expect.objectContaining({ type: "inbound_message", messageGuid }),
				formatted: expect.objectContaining({
					children: [expect.objectContaining({ children: [{ type: "text", value: "*Hi*" }] })],
				}),
			},
		]);
	});

	test("of a group has the group's thread, and is answered there", async () => {
		const { local, bot, gateway, work, texts } = createChatWorld();
		const { message } = await gateway.messages.sendText({
			participants: [CONTACT, OTHER_CONTACT],
			text: "Eight?",
		});
		const groupId = message.groupId ?? "";
		bot.onNewMention(async (thread) => {
			expect(thread.isDM).toBe(false);
			await thread.post("Yes");
		});
		await local.contact(CONTACT).reply("no mention", { groupId });
		await local.contact(OTHER_CONTACT).reply("@bot eight?", { groupId });
		await work();
		expect(texts()).toEqual(["Eight?", "Yes"]);
		expect(local.sent[1]?.groupId).toBe(groupId);
	});

	test.each(["ana@icloud.example", "88022"])(
		"of %s is answered there, and so is its thread",
		async (from) => {
			const { local, bot, adapter, sender, logged, work } = createChatWorld();
			bot.onDirectMessage(async (thread, message) => void (await thread.post(`You said ${message.text}`)));
			await bot.initialize();
			await local.contact(from).reply("Hello");
			await work();
			const threadId = await adapter.openDM(from);
			expect(threadId).toBe(adapter.encodeThreadId({ to: from }));
			await bot.thread(threadId).post("One more");
			await sender.send("key-1", { to: from, text: "By key" });
			expect(local.sent.map(({ to, text }) => [to, text])).toEqual([
				[from, "You said Hello"],
				[from, "One more"],
				[from, "By key"],
			]);
			const { messages } = await adapter.fetchMessages(threadId);
			expect(messages.map(({ text, author }) => [text, author.isMe])).toEqual([
				["Hello", false],
				["You said Hello", true],
				["One more", true],
				["By key", true],
			]);
			expect(JSON.stringify([threadId, logged])).not.toContain(from);
		},
	);

	test("whose handler calls bot.openDM fails with what to call instead, and without the handle", async () => {
		const { local, bot, adapter, logged, take, texts } = createChatWorld();
		let call = (to: string) => bot.openDM(to);
		bot.onDirectMessage(async (_, { author }) => void (await (await call(author.userId)).post("Hello")));
		await local.contact(CONTACT).reply("Hello");
		const event = await take();
		const error = await catchRejection(adapter.process(event));
		expect(error).toMatchObject({
			code: "configuration",
			message: expect.stringContaining("gateway.openDM("),
		});
		expect(inspect([error, logged])).not.toContain(CONTACT);
		expect(logged.join()).toContain("gateway.openDM(");
		call = async (to) => bot.thread(await adapter.openDM(to));
		await adapter.process(event);
		expect(texts()).toEqual(["Hello"]);
	});

	test("is a reaction", async () => {
		const { local, bot, gateway, work, texts } = createChatWorld();
		await gateway.messages.sendText({ to: CONTACT, text: "Done" });
		await local.settled();
		bot.onReaction([emoji.heart], async ({ thread, rawEmoji, messageId }) => {
			expect(messageId).toBe(local.sent[0]?.messageGuid);
			await thread.post(`Thanks for the ${rawEmoji}`);
		});
		await local.contact(CONTACT).react("love");
		await work();
		expect(texts()).toEqual(["Done", "Thanks for the love"]);
	});

	test("is a reaction that is taken back", async () => {
		const { local, bot, gateway, work } = createChatWorld();
		const seen: unknown[] = [];
		await gateway.messages.sendText({ to: CONTACT, text: "Done" });
		await local.settled();
		bot.onReaction(({ rawEmoji, added }) => void seen.push([rawEmoji, added]));
		await local.contact(CONTACT).react("love");
		await local.contact(CONTACT).react("love", { action: "remove" });
		await work();
		expect(seen).toEqual([
			["love", true],
			["love", false],
		]);
	});

	test("of our own is ignored", async () => {
		const { adapter, bot, take, local, texts } = createChatWorld();
		bot.onDirectMessage(async (thread) => void (await thread.post("me?")));
		bot.onReaction(async ({ thread }) => void (await thread.post("me?")));
		await bot.initialize();
		await local.contact(CONTACT).reply("Hello");
		const event = await take();
		await adapter.process({ ...event, data: { ...event.data, outbound: true } } as WebhookEvent);
		expect(texts()).toEqual([]);
	});
});

describe("order", () => {
	test("the events of a thread run one after the other, those of others meanwhile", async () => {
		const { local, bot, adapter, take } = createChatWorld();
		const log: string[] = [];
		const release = Promise.withResolvers<void>();
		bot.onDirectMessage(async (_thread, { text }) => {
			log.push(`${text} begins`);
			if (text === "one") await release.promise;
			log.push(`${text} ends`);
		});
		await local.contact(CONTACT).reply("one");
		await local.contact(CONTACT).reply("two");
		await local.contact(OTHER_CONTACT).reply("three");
		const runs: Promise<void>[] = [];
		for (let at = 0; at < 3; at++) runs.push(adapter.process(await take()));
		await runs[2];
		expect(log).toEqual(["one begins", "three begins", "three ends"]);
		release.resolve();
		await Promise.all(runs);
		expect(log.slice(3)).toEqual(["one ends", "two begins", "two ends"]);
	});

	test("a turn that fails, or is over, doesn't hold the next one", async () => {
		const { local, bot, adapter, take, texts } = createChatWorld();
		const never = new Promise<never>(() => {});
		const seen: string[] = [];
		bot.onDirectMessage(async (thread, { text }) => {
			seen.push(text);
			if (text === "fails") throw new Error("a bug");
			if (text === "hangs") {
				await Promise.race([
					never,
					new Promise((resolve) => thread.signal.addEventListener("abort", resolve)),
				]);
				await thread.post("too late");
			}
			await thread.post(text);
		});
		const events: WebhookEvent[] = [];
		for (const text of ["fails", "hangs", "waits", "next"]) {
			await local.contact(CONTACT).reply(text);
			events.push(await take());
		}
		const [hanging, waiting] = [new AbortController(), new AbortController()];
		const signals = [undefined, hanging.signal, waiting.signal, undefined];
		const runs = events.map((event, at) => adapter.process(event, { signal: signals[at] }));
		const results = Promise.allSettled(runs);
		while (!seen.includes("hangs")) await nextTask();
		// It has not begun, and those behind it wait for the one before.
		waiting.abort(new Error("its job expired"));
		await nextTask();
		expect(seen).toEqual(["fails", "hangs"]);
		hanging.abort(new Error("the job expired"));
		expect((await results).map((result) => ("reason" in result ? result.reason.message : "done"))).toEqual([
			"a bug",
			"the job expired",
			"its job expired",
			"done",
		]);
		expect(texts()).toEqual(["next"]);
	});

	test("a turn that is over while it waits leaves its place to those that come later", async () => {
		const { local, bot, adapter, take } = createChatWorld();
		const log: string[] = [];
		const release = Promise.withResolvers<void>();
		bot.onDirectMessage(async (_thread, { text }) => {
			log.push(text);
			if (text === "one") await release.promise;
		});
		const receive = async (text: string): Promise<WebhookEvent> => {
			await local.contact(CONTACT).reply(text);
			return take();
		};
		const [one, two, three] = [await receive("one"), await receive("two"), await receive("three")];
		const first = adapter.process(one);
		const signal = AbortSignal.abort(new Error("its job expired"));
		expect(await catchRejection(adapter.process(two, { signal }))).toMatchObject({
			message: "its job expired",
		});
		const last = adapter.process(three);
		await nextTask();
		expect(log).toEqual(["one"]);
		release.resolve();
		await Promise.all([first, last]);
		expect(log).toEqual(["one", "three"]);
	});

	test("fails with the state, and leaves nothing of those who write meanwhile", async () => {
		const state = createMemoryState();
		const { local, bot, adapter, take, texts } = createChatWorld({ state });
		bot.onDirectMessage(async (thread) => void (await thread.post("Hello")));
		await local.contact(CONTACT).reply("Hello");
		const event = await take();
		const { set } = state;
		state.set = () => Promise.reject(new Error("no connection"));
		expect(await catchRejection(adapter.process(event))).toMatchObject({ message: "no connection" });
		const threadId = `gateway:dm:${conversationOf(event)}`;
		expect(() => adapter.decodeThreadId(threadId)).toThrow("isn't known");
		state.set = set;
		await adapter.process(event);
		expect(texts()).toEqual(["Hello"]);
		expect(adapter.decodeThreadId(threadId)).toEqual({ to: CONTACT });
	});
});

describe("time", () => {
	test("a bot slower than maxHandlerMs isn't acknowledged, and posts nothing after it", async () => {
		const { local, clock, bot, responses, texts } = createChatWorld({ maxHandlerMs: 5_000 });
		const errors: unknown[] = [];
		let runs = 0;
		bot.onDirectMessage(async (thread) => {
			if (++runs > 1) return void (await thread.post("in time"));
			await new Promise((resolve) => thread.signal.addEventListener("abort", resolve));
			await thread.post("too late").catch((error: unknown) => errors.push(error));
		});
		await local.contact(CONTACT).reply("Hello");
		while (runs === 0) await clock.advance(1);
		await clock.advance(5_000);
		await local.settled();
		expect(responses[0]).toBe(500);
		expect(runs).toBe(2);
		expect(errors).toMatchObject([{ name: "LeaseEndedError", reason: "time" }]);
		expect(texts()).toEqual(["in time"]);
	});

	test("a bot slower than the half minute of Chat SDK's locks loses nothing, in order", async () => {
		const { local, clock, bot, adapter, take, texts, responses } = createChatWorld();
		bot.onDirectMessage(async (thread, { text }) => {
			const pause = Promise.withResolvers<void>();
			clock.setTimer(pause.resolve, text === "slow" ? 45_000 : 0);
			await pause.promise;
			await thread.post(`You said ${text}`);
		});
		const runs: Promise<void>[] = [];
		for (const text of ["slow", "fast"]) {
			await local.contact(CONTACT).reply(text);
			runs.push(adapter.process(await take()));
		}
		await clock.advance(44_999);
		expect(texts()).toEqual([]);
		await clock.advance(1);
		await clock.advance(1);
		await Promise.all(runs);
		expect(texts()).toEqual(["You said slow", "You said fast"]);
		expect(responses).toEqual([200, 200]);
	});
});

describe("a state that never answers", () => {
	test.each(["set", "get"] as const)("at %s doesn't hold an event whose signal fires", async (method) => {
		const state = createMemoryState();
		const { local, bot, adapter, take, texts } = createChatWorld({ state });
		const started = Promise.withResolvers<void>();
		const hang = () => {
			started.resolve();
			return new Promise<never>(() => {});
		};
		bot.onDirectMessage(
			async (thread, { text }) => void (await (text === "slow" ? hang() : thread.post(text))),
		);
		await local.contact(CONTACT).reply("slow");
		await local.contact(CONTACT).reply("next");
		const [slow, next] = [await take(), await take()];
		state[method] = hang;
		const controller = new AbortController();
		const result = catchRejection(adapter.process(slow, { signal: controller.signal }));
		await started.promise;
		controller.abort(new Error("the job expired"));
		expect(await result).toMatchObject({ message: "the job expired" });
		Reflect.deleteProperty(state, method);
		await adapter.process(next);
		expect(texts()).toEqual(["next"]);
	});
});

describe("posts", () => {
	test("are made once, though the bot says something else when it is run again", async () => {
		const { local, bot, adapter, take, texts, sends } = createChatWorld();
		let runs = 0;
		bot.onDirectMessage(async (thread) => {
			runs++;
			await thread.post(`One of run ${runs}`);
			if (runs === 1) throw new Error("a bug");
			await thread.post(`Two of run ${runs}`);
		});
		await local.contact(CONTACT).reply("Hello");
		const event = await take();
		await catchRejection(adapter.process(event));
		await adapter.process(event);
		expect(texts()).toEqual(["One of run 1", "Two of run 2"]);
		const keys = (await collect(listSends(sends, { status: "accepted" }))).map(({ key }) => key);
		const name = `gateway:${conversationOf(event)}:${event.eventId}`;
		expect(keys).toEqual([`${name}:1`, `${name}:2`]);
	});

	test("that were rejected are made with the words of the later run", async () => {
		const { local, bot, adapter, take, texts } = createChatWorld();
		let runs = 0;
		bot.onDirectMessage(async (thread) => void (await thread.post(`Run ${++runs}`)));
		await local.contact(CONTACT).reply("Hello");
		const event = await take();
		local.faults.respond({ status: 429, retryAfterSeconds: 7 });
		expect(await catchRejection(adapter.process(event))).toMatchObject({ code: "rate_limited" });
		await adapter.process(event);
		expect(texts()).toEqual(["Run 2"]);
	});

	test("that may have been accepted aren't made again, and are listed", async () => {
		const { local, bot, adapter, take, texts, sends } = createChatWorld();
		bot.onDirectMessage(async (thread) => {
			const post = await thread.post("One");
			await expect(post.addReaction("heart")).rejects.toMatchObject({ code: "too_early" });
			await thread.post("Two");
		});
		await local.contact(CONTACT).reply("Hello");
		const event = await take();
		local.faults.dropConnection({ when: "after" });
		await adapter.process(event);
		await adapter.process(event);
		expect(texts()).toEqual(["One", "Two"]);
		expect(await collect(listSends(sends, { status: "unresolved" }))).toHaveLength(1);
	});

	test("have their thread, their event and their number in their keys, also in other threads", async () => {
		const { local, bot, adapter, take, sends } = createChatWorld();
		const other = adapter.encodeThreadId({ to: OTHER_CONTACT });
		bot.onDirectMessage(async (thread) => {
			await bot.thread(other).post("Look");
			await thread.post("We look");
		});
		await local.contact(CONTACT).reply("Hello");
		const event = await take();
		await adapter.process(event);
		expect(local.sent.map(({ to }) => to)).toEqual([OTHER_CONTACT, CONTACT]);
		const keys = (await collect(listSends(sends, { status: "accepted" }))).map(({ key }) => key);
		expect(keys.sort()).toEqual(
			[conversationOf(event), other.split(":")[2]].map((chat) => `gateway:${chat}:${event.eventId}:1`).sort(),
		);
	});

	test.each<[string, readonly string[]]>([
		["the same id", ["evt_1", "evt_1"]],
		["ids with colons", ["evt:1", "evt", "evt:1:1"]],
		["ids that are no visible ASCII", ["Ereignis für Ana", "Ereignis für Ben", "", " "]],
		["long ids", ["e".repeat(256), `${"e".repeat(255)}f`]],
		["an id that is the digest of another", ["e".repeat(256), sha256("e".repeat(256))]],
	])("are each contact's own, of events with %s", async (_name, ids) => {
		const { local, bot, adapter, take } = createChatWorld();
		bot.onDirectMessage(async (thread) => {
			await thread.post("One");
			await thread.post("Two");
		});
		const events: WebhookEvent[] = [];
		for (const [at, eventId] of ids.entries()) {
			await local.contact(at === 0 ? CONTACT : OTHER_CONTACT).reply("Hello");
			events.push({ ...(await take()), eventId });
		}
		for (const event of [...events, ...events]) await adapter.process(event);
		expect(local.sent.map(({ to, text }) => `${to} ${text}`)).toEqual(
			ids.flatMap((_, at) => ["One", "Two"].map((text) => `${at === 0 ? CONTACT : OTHER_CONTACT} ${text}`)),
		);
	});

	test("to other threads are made once, in whatever order the next run takes them", async () => {
		const { local, bot, adapter, take } = createChatWorld();
		const members = ["+15550000011", "+15550000012", "+15550000013"];
		bot.onDirectMessage(async () => {
			for (const to of members) {
				await bot.thread(adapter.encodeThreadId({ to })).post("News");
				if (local.sent.length === 1) throw new Error("a bug");
			}
		});
		await local.contact(CONTACT).reply("Hello");
		const event = await take();
		await catchRejection(adapter.process(event));
		members.reverse();
		await adapter.process(event);
		expect(local.sent.map(({ to }) => to)).toEqual(["+15550000011", "+15550000013", "+15550000012"]);
	});

	test("that the bot doesn't await are made before the event is done", async () => {
		const { local, bot, work, texts } = createChatWorld();
		bot.onDirectMessage((thread) => {
			void thread.post("One");
			void thread.post("Two");
		});
		await local.contact(CONTACT).reply("Hello");
		await work();
		expect(texts()).toEqual(["One", "Two"]);
	});

	test("of a stream count from its start, and are waited for", async () => {
		const { local, bot, adapter, take, sends, texts } = createChatWorld();
		const model = Promise.withResolvers<string>();
		async function* stream() {
			yield await model.promise;
		}
		bot.onDirectMessage(async (thread) => {
			void thread.post(stream());
			await thread.post("One moment");
			model.resolve("The answer");
		});
		await local.contact(CONTACT).reply("Hello");
		const event = await take();
		await adapter.process(event);
		expect(texts()).toEqual(["One moment", "The answer"]);
		const [first] = await collect(listSends(sends, { status: "accepted" }));
		expect(first).toMatchObject({
			key: `gateway:${conversationOf(event)}:${event.eventId}:1`,
			verdict: { messageId: local.sent[1]?.messageId },
		});
	});

	test("that come after the event are made, though a queue fires the signal of a job that has succeeded", async () => {
		const { local, bot, adapter, take, texts } = createChatWorld();
		const hour = Promise.withResolvers<void>();
		let later: Promise<unknown> = Promise.resolve();
		bot.onDirectMessage(async (thread) => {
			later = hour.promise.then(() => thread.post("Still there?"));
			await thread.post("Hello");
		});
		await local.contact(CONTACT).reply("Hello");
		const job = new AbortController();
		await adapter.process(await take(), { signal: job.signal });
		job.abort();
		hour.resolve();
		await later;
		expect(texts()).toEqual(["Hello", "Still there?"]);
	});

	test("that the bot doesn't await fail the event, if they fail", async () => {
		const { local, bot, adapter, take, texts } = createChatWorld();
		bot.onDirectMessage((thread) => {
			thread.post("Hello").catch(() => undefined);
		});
		await local.contact(CONTACT).reply("Hello");
		const event = await take();
		local.faults.respond({ status: 429, retryAfterSeconds: 7 });
		expect(await catchRejection(adapter.process(event))).toMatchObject({ code: "rate_limited" });
		await adapter.process(event);
		expect(texts()).toEqual(["Hello"]);
	});

	test("whose failure the bot has seen don't fail the event", async () => {
		const { local, bot, work, texts } = createChatWorld();
		bot.onDirectMessage(async (thread) => {
			await thread.post("Hello").catch(() => thread.post("Well"));
		});
		await local.contact(CONTACT).reply("Hello");
		local.faults.respond({ status: 429, retryAfterSeconds: 7 });
		await work();
		expect(texts()).toEqual(["Well"]);
	});

	test("that are under way when the handler throws have ended when the event fails", async () => {
		const { local, bot, adapter, take, texts } = createChatWorld();
		bot.onDirectMessage((thread) => {
			void thread.post("Hello");
			throw new Error("a bug");
		});
		await local.contact(CONTACT).reply("Hello");
		expect(await catchRejection(adapter.process(await take()))).toMatchObject({ message: "a bug" });
		expect(texts()).toEqual(["Hello"]);
	});

	test("without a sender are made again", async () => {
		const { local, bot, adapter, take, texts } = createChatWorld({ withoutSender: true });
		let runs = 0;
		bot.onDirectMessage(async (thread) => {
			await thread.post("Hello");
			if (++runs === 1) throw new Error("a bug");
		});
		await local.contact(CONTACT).reply("Hello");
		const event = await take();
		await catchRejection(adapter.process(event));
		await adapter.process(event);
		expect(texts()).toEqual(["Hello", "Hello"]);
	});

	test("outside of an event need no sender", async () => {
		const { local, bot, adapter, sends } = createChatWorld();
		await bot.initialize();
		const { id } = await bot.thread(await adapter.openDM(CONTACT)).post("News");
		expect(id).toBe(`sent:${local.sent[0]?.messageId}`);
		expect(await collect(listSends(sends, { status: "accepted" }))).toEqual([]);
	});
});

describe("a thread", () => {
	test("has the key of its conversation and no number, also in what Chat SDK logs", async () => {
		const { local, bot, adapter, take, logged } = createChatWorld();
		bot.onDirectMessage(() => {
			throw new Error("a bug");
		});
		await local.contact(CONTACT).reply("a secret");
		const event = await take();
		await catchRejection(adapter.process(event));
		const threadId = `gateway:dm:${conversationOf(event)}`;
		expect(adapter.encodeThreadId({ to: CONTACT })).toBe(threadId);
		expect(logged.join()).toContain(threadId);
		expect(logged.join()).not.toMatch(/a secret|15551234567/);
	});

	test.each([{ to: OTHER_CONTACT }, { groupId: CONTACT }, { to: 5 }, CONTACT, null])(
		"of which the state has %j isn't known, and nobody else gets its post",
		async (value) => {
			const state = createMemoryState();
			const { local, bot, adapter } = createChatWorld({ state });
			await bot.initialize();
			const threadId = createChatWorld().adapter.encodeThreadId({ to: CONTACT });
			await state.set(`messaging-gateway:${threadId}`, value);
			expect(await catchRejection(adapter.post(threadId, "Hello"))).toMatchObject({ code: "configuration" });
			expect(local.requests).toEqual([]);
			await state.set(`messaging-gateway:${threadId}`, { to: CONTACT });
			await adapter.post(threadId, "Hello");
			expect(local.sent.map(({ to }) => to)).toEqual([CONTACT]);
		},
	);

	test("is known to every process that shares the state", async () => {
		const state = createMemoryState();
		const { local, bot, work, adapter } = createChatWorld({ state });
		bot.onDirectMessage(() => {});
		await local.contact(CONTACT).reply("Hello");
		await work();
		const other = createChatWorld({ state });
		await other.bot.initialize();
		const threadId = adapter.encodeThreadId({ to: CONTACT });
		await other.bot.thread(threadId).post("News");
		expect(other.local.sent.map(({ to }) => to)).toEqual([CONTACT]);
		expect(other.adapter.decodeThreadId(threadId)).toEqual({ to: CONTACT });
		const unknown = other.bot.thread("gateway:dm:chat_0").post("News");
		expect(await catchRejection(unknown)).toMatchObject({ code: "configuration" });
	});
});

test.each([
	["its messageId without a guid", { messageGuid: "", messageId: "m1" }, "sent:m1"],
	["its event's without both", { messageGuid: "", messageId: "" }, undefined],
])("the id of a message is %s, also if they are empty", async (_name, fields, expected) => {
	const { local, bot, adapter, take } = createChatWorld();
	const ids: string[] = [];
	bot.onDirectMessage((_thread, { id }) => void ids.push(id));
	await bot.initialize();
	await local.contact(CONTACT).reply("Hello");
	const event = await take();
	await adapter.process(JSON.parse(JSON.stringify({ ...event, data: { ...event.data, ...fields } })));
	expect(ids).toEqual([expected ?? event.eventId]);
});

test.each([
	"{}",
	'{ "to": "" }',
	'{ "groupId": "" }',
	'{ "to": "+15551234567", "groupId": "g1" }',
	'{ "to": 1 }',
	'{ "number": "+15551234567" }',
	"null",
])("a thread with %s is rejected", (json) => {
	const { adapter } = createChatWorld();
	expect(catchError(() => adapter.encodeThreadId(JSON.parse(json)))).toMatchObject({
		code: "invalid_input",
		message: "A thread needs either to or groupId",
	});
});

test("a field that is undefined names nobody", () => {
	const { adapter } = createChatWorld();
	const contact = Object.assign({ to: "+15551234567" }, { groupId: undefined });
	const group = Object.assign({ groupId: "g1" }, { to: undefined });
	expect(adapter.encodeThreadId(contact)).toBe(adapter.encodeThreadId({ to: "+15551234567" }));
	expect(adapter.encodeThreadId(group)).toBe(adapter.encodeThreadId({ groupId: "g1" }));
	expect(adapter.decodeThreadId(adapter.encodeThreadId(group))).toEqual({ groupId: "g1" });
});

test("ids are made of as many threads as needed before the first post to one", async () => {
	const { local, bot, adapter } = createChatWorld();
	await bot.initialize();
	const numbers = Array.from({ length: 10_001 }, (_, at) => `+1555${1_000_000 + at}`);
	const [first = ""] = numbers.map((to) => adapter.encodeThreadId({ to }));
	await bot.thread(first).post("News");
	expect(local.sent.map(({ to }) => to)).toEqual(numbers.slice(0, 1));
});

describe("what Chat SDK has no handlers for", () => {
	const UNKNOWN = JSON.parse('{ "type": "inbound_poll" }');

	async function receive(world: ReturnType<typeof createChatWorld>, request: Request): Promise<WebhookEvent> {
		await world.bot.webhooks.gateway(request);
		return world.take();
	}

	const sign = (world: ReturnType<typeof createChatWorld>) => ({
		secret: world.local.webhookSecret,
		timestamp: world.clock.now() / 1_000,
	});

	test("a status is done", async () => {
		const world = createChatWorld();
		const status = await receive(world, createWebhookRequest("status", {}, sign(world)));
		expect(await world.adapter.process(status)).toBe(undefined);
	});

	test.each([undefined, "{}", [], { eventId: "evt_1" }, { data: {} }])(
		"%j is no event, which is an error of its own",
		async (given) => {
			const { bot, adapter } = createChatWorld();
			await bot.initialize();
			const event: WebhookEvent = JSON.parse(JSON.stringify({ given })).given;
			expect(await catchRejection(adapter.process(event))).toMatchObject({ code: "invalid_input" });
		},
	);

	test("each has its function, and an event that doesn't show its chat is unknown", async () => {
		const seen: string[] = [];
		const world = createChatWorld({
			onStatus: ({ data }) => seen.push(data.status),
			onUnknown: ({ kind }) => seen.push(kind),
		});
		await world.bot.initialize();
		for (const request of [
			createWebhookRequest("status", {}, sign(world)),
			createWebhookRequest("inbound_message", UNKNOWN, sign(world)),
			createWebhookRequest("inbound_message", { from: "" }, sign(world)),
		])
			await world.adapter.process(await receive(world, request));
		expect(seen).toEqual(["delivered", "unknown", "inbound_message"]);
	});
});
