import type { WebhookEvent } from "messaging-gateway/webhooks";
import { describe, expect, test, vi } from "vitest";
import { IN_PROCESS_QUEUES, QUEUE_NAMES } from "../../../support/in-process-queues.ts";
import { CONTACT, createChatWorld, OTHER_CONTACT } from "./chat-world.ts";

/** Runs events together, and those that fail again, as a queue of two workers does. @returns how often each ran. */
async function runUntilDone(
	{ adapter }: Pick<ReturnType<typeof createChatWorld>, "adapter">,
	events: readonly WebhookEvent[],
): Promise<void> {
	let left = events;
	for (let tries = 0; left.length > 0; tries++) {
		if (tries === 10) throw new Error("an event is never done");
		const ends = await Promise.allSettled(left.map((event) => adapter.process(event)));
		left = left.filter((_, at) => ends[at]?.status === "rejected");
	}
}

/** Throws the first time that each text of one contact comes by: if both failed, both would run together again. */
function createFailure(): (text: string) => void {
	const seen = new Set(["one", "three"]);
	return (text) => {
		if (seen.has(text)) return;
		seen.add(text);
		throw new Error("a bug");
	};
}

const FAILS = ["before the post", "after the post", "never"] as const;

describe.each(QUEUE_NAMES)("posts through %s", (name) => {
	test.each(FAILS)("reach each contact once, in a handler that fails %s", async (fails) => {
		const world = createChatWorld();
		const { local, bot, take } = world;
		const enqueue = IN_PROCESS_QUEUES[name](1);
		const fail = createFailure();
		bot.onDirectMessage(async (thread, { text }) => {
			if (fails === "before the post") fail(text);
			await enqueue(() => thread.post(`You said ${text}`));
			if (fails === "after the post") fail(text);
		});
		await bot.initialize();
		const events: WebhookEvent[] = [];
		for (const [from, text] of [
			[CONTACT, "one"],
			[OTHER_CONTACT, "two"],
			[CONTACT, "three"],
			[OTHER_CONTACT, "four"],
		] as const) {
			await local.contact(from).reply(text);
			events.push(await take());
		}
		await runUntilDone(world, events.slice(0, 2));
		await runUntilDone(world, events.slice(2));
		expect(local.sent.map(({ to, text }) => `${to} ${text}`).sort()).toEqual([
			`${CONTACT} You said one`,
			`${CONTACT} You said three`,
			`${OTHER_CONTACT} You said four`,
			`${OTHER_CONTACT} You said two`,
		]);
	});
});

describe("the thread of a handler", () => {
	/** A queue that is busy with something else until it is let go, and so has no context of an event. */
	function createBusyQueue() {
		const enqueue = IN_PROCESS_QUEUES.fastq(1);
		const gate = Promise.withResolvers<void>();
		void enqueue(() => gate.promise);
		return { enqueue, letGo: gate.resolve };
	}

	test("knows its event in a queue, so that nobody waits for another event", async () => {
		const world = createChatWorld();
		const { local, bot, adapter, take } = world;
		const enqueue = IN_PROCESS_QUEUES.fastq(1);
		const posts: Promise<unknown>[] = [];
		const areBoth = () => vi.waitUntil(() => posts.length === 2);
		bot.onDirectMessage(async (thread, { text }) => {
			posts.push(enqueue(() => areBoth().then(() => thread.post(`Yes, ${text}`))));
			await areBoth();
			await Promise.all(posts);
		});
		await bot.initialize();
		await local.contact(CONTACT).reply("one");
		const first = await take();
		await local.contact(OTHER_CONTACT).reply("two");
		await Promise.all([adapter.process(first), adapter.process(await take())]);
		expect(world.texts()).toEqual(["Yes, one", "Yes, two"]);
	});

	test("posts nothing that a late run has left in a queue", async () => {
		const { local, bot, adapter, take, texts } = createChatWorld();
		const { enqueue, letGo } = createBusyQueue();
		const ends: Promise<unknown>[] = [];
		bot.onDirectMessage(async (thread) => {
			const run = ends.length + 1;
			ends.push(enqueue(() => thread.post(`Answer ${run}`)));
			await ends.at(-1);
		});
		await bot.initialize();
		await local.contact(CONTACT).reply("Hello");
		const event = await take();
		const controller = new AbortController();
		const late = adapter.process(event, { signal: controller.signal });
		const isLate = expect(late).rejects.toThrow("too late");
		await vi.waitUntil(() => ends.length === 1);
		controller.abort(new Error("too late"));
		await isLate;
		const again = adapter.process(event);
		await vi.waitUntil(() => ends.length === 2);
		letGo();
		await again;
		expect(await Promise.allSettled(ends)).toMatchObject([{ status: "rejected" }, { status: "fulfilled" }]);
		expect(texts()).toEqual(["Answer 2"]);
	});

	test("posts nothing that a failed run has left behind while the next one runs", async () => {
		const { local, bot, adapter, take, texts } = createChatWorld();
		const running = Promise.withResolvers<void>();
		const rest: Promise<unknown>[] = [];
		bot.onDirectMessage(async (thread) => {
			if (rest.length > 0) {
				running.resolve();
				await Promise.allSettled(rest);
				await thread.post("Hello yourself");
				return;
			}
			rest.push(running.promise.then(() => thread.post("The rest of a run that failed")));
			throw new Error("a bug");
		});
		await bot.initialize();
		await local.contact(CONTACT).reply("Hello");
		const event = await take();
		await expect(adapter.process(event)).rejects.toThrow("a bug");
		await adapter.process(event);
		await expect(rest[0]).rejects.toMatchObject({ code: "configuration" });
		expect(texts()).toEqual(["Hello yourself"]);
	});
});

describe("a post to a contact who writes at that moment", () => {
	/** Both handlers have started before either posts. */
	async function playForwarding(fails: (typeof FAILS)[number], key?: string) {
		const world = createChatWorld();
		const { local, bot, adapter, take } = world;
		const fail = createFailure();
		const other = adapter.encodeThreadId({ to: OTHER_CONTACT });
		const errors: unknown[] = [];
		bot.onDirectMessage(async (thread, { text }) => {
			await new Promise((resolve) => setImmediate(resolve));
			if (fails === "before the post") fail(text);
			if (thread.id === other) await thread.post("An answer");
			else
				await (key === undefined
					? bot.thread(other).post(`Forwarded: ${text}`)
					: adapter.post(other, `Forwarded: ${text}`, { key })
				).catch((error: unknown) => {
					errors.push(error);
					throw error;
				});
			if (fails === "after the post") fail(text);
		});
		await bot.initialize();
		await local.contact(CONTACT).reply("news");
		const fromContact = await take();
		await local.contact(OTHER_CONTACT).reply("hi");
		await runUntilDone(world, [fromContact, await take()]);
		const sent = local.sent.map(({ to, text }) => `${to} ${text}`).sort();
		return { sent, errors };
	}

	const SENT = [`${OTHER_CONTACT} An answer`, `${OTHER_CONTACT} Forwarded: news`];

	test.each(FAILS)(
		"is rejected before it is sent, and made when that is over, if a handler fails %s",
		async (fails) => {
			const { sent, errors } = await playForwarding(fails);
			expect(sent).toEqual(SENT);
			expect(errors[0]).toMatchObject({
				code: "configuration",
				message: expect.stringContaining("name it with gateway.post(thread.id, message, { key })"),
			});
		},
	);

	test("counts although it is rejected, so that those after it keep their numbers", async () => {
		const { local, bot, adapter, take } = createChatWorld();
		const other = adapter.encodeThreadId({ to: OTHER_CONTACT });
		const answered = Promise.withResolvers<void>();
		let runs = 0;
		bot.onDirectMessage(async (thread) => {
			if (thread.id === other) return answered.promise;
			runs++;
			const results = [
				await bot
					.thread(other)
					.post("First")
					.catch(() => "rejected"),
			];
			answered.resolve();
			await new Promise((resolve) => setImmediate(resolve));
			await bot.thread(other).post("Second");
			if (results.includes("rejected")) throw new Error("again");
		});
		await bot.initialize();
		await local.contact(OTHER_CONTACT).reply("hi");
		const live = adapter.process(await take());
		await local.contact(CONTACT).reply("news");
		const event = await take();
		await expect(adapter.process(event)).rejects.toThrow("again");
		await live;
		await adapter.process(event);
		expect(runs).toBe(2);
		expect(local.sent.map(({ text }) => text)).toEqual(["Second", "First"]);
	});

	test.each(FAILS)("is made at once with a key, if a handler fails %s", async (fails) => {
		expect(await playForwarding(fails, "forward-news")).toEqual({ sent: SENT, errors: [] });
	});
});
