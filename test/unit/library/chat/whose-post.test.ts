import { AsyncLocalStorage } from "node:async_hooks";
import type { Thread } from "chat";
import type { WebhookEvent } from "messaging-gateway/webhooks";
import { describe, expect, test, vi } from "vitest";
import { catchRejection, codeOf } from "../../../support/catch-error.ts";
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

	test("posts nothing that a failed run has left in a queue which another contact's run has started", async () => {
		const { local, bot, adapter, take } = createChatWorld();
		const enqueue = IN_PROCESS_QUEUES.fastq(1);
		const [started, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
		const rest: Promise<unknown>[] = [];
		bot.onDirectMessage(async (thread, { text }) => {
			if (text === "one") {
				await enqueue(() => {
					started.resolve();
					return gate.promise;
				});
				await rest[0];
			} else if (rest.length > 0) await thread.post("Answer");
			else {
				rest.push(catchRejection(enqueue(() => thread.post("Answer"))));
				throw new Error("a bug");
			}
		});
		await bot.initialize();
		await local.contact(CONTACT).reply("one");
		const other = adapter.process(await take());
		await started.promise;
		await local.contact(OTHER_CONTACT).reply("two");
		const event = await take();
		await expect(adapter.process(event)).rejects.toThrow("a bug");
		gate.resolve();
		await other;
		expect(await rest[0]).toMatchObject({ code: "configuration" });
		await adapter.process(event);
		expect(local.sent.map(({ to, text }) => [to, text])).toEqual([[OTHER_CONTACT, "Answer"]]);
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
		let live: Promise<void> = Promise.resolve();
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
			await live;
			await bot.thread(other).post("Second");
			if (results.includes("rejected")) throw new Error("again");
		});
		await bot.initialize();
		await local.contact(OTHER_CONTACT).reply("hi");
		live = adapter.process(await take());
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

/** What nobody can know. */
const DOUBT = {
	code: "configuration",
	message: expect.stringContaining("name it with gateway.post(thread.id, message, { key })"),
};

/** Runs a function as a queue within the process does that was started in the caller's context. */
type InContext = <Result>(work: () => Result) => Result;
const takeContext = (): InContext => AsyncLocalStorage.snapshot();

/** A bot whose handlers do what a test says for each text. */
async function open(handlers: Record<string, (thread: Thread) => Promise<unknown>>) {
	const world = createChatWorld();
	const { local, bot, adapter, take } = world;
	bot.onDirectMessage(async (thread, { text }) => void (await handlers[text]?.(thread)));
	await bot.initialize();
	return {
		...world,
		threadId: adapter.encodeThreadId({ to: CONTACT }),
		otherId: adapter.encodeThreadId({ to: OTHER_CONTACT }),
		async receive(text: string, from = CONTACT): Promise<WebhookEvent> {
			await local.contact(from).reply(text);
			return take();
		},
	};
}

describe("a post that is in no run", () => {
	/** Posts while an event of the thread runs, whose answer comes after that. */
	async function postBeside(post: (world: Awaited<ReturnType<typeof open>>) => Promise<unknown>) {
		const [started, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
		const world = await open({
			question: async (thread) => {
				started.resolve();
				await gate.promise;
				await thread.post("Answer");
			},
		});
		const live = world.adapter.process(await world.receive("question"));
		await started.promise;
		const error = await catchRejection(post(world));
		gate.resolve();
		await live;
		return { error, texts: world.texts() };
	}

	test.each<[string, (world: Awaited<ReturnType<typeof open>>) => Promise<unknown>]>([
		["gateway.post", ({ adapter, threadId }) => adapter.post(threadId, "News")],
		["bot.thread", ({ bot, threadId }) => bot.thread(threadId).post("News")],
	])("is rejected beside an event of its thread, and counts as nobody's: %s", async (_name, post) => {
		const { error, texts } = await postBeside(post);
		expect(error).toMatchObject(DOUBT);
		expect(texts).toEqual(["Answer"]);
	});

	test.each<[string, (world: Awaited<ReturnType<typeof open>>, thread: Thread) => Promise<unknown>]>([
		["thread.post", (_world, thread) => thread.post("Reminder")],
		["gateway.post", ({ adapter, threadId }) => adapter.post(threadId, "Reminder")],
		["bot.thread", ({ bot, threadId }) => bot.thread(threadId).post("Reminder")],
	])("since its handler has returned, is rejected while the next event runs: %s", async (_name, post) => {
		const [later, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
		const reminders: Promise<unknown>[] = [];
		const world = await open({
			first: async (thread) =>
				void reminders.push(later.promise.then(() => post(world, thread)).catch((error: unknown) => error)),
			second: async (thread) => {
				later.resolve();
				await gate.promise;
				await thread.post("Second");
			},
		});
		await world.adapter.process(await world.receive("first"));
		const live = world.adapter.process(await world.receive("second"));
		await later.promise;
		expect(await reminders[0]).toMatchObject(DOUBT);
		gate.resolve();
		await live;
		expect(world.texts()).toEqual(["Second"]);
	});

	test("is a plain send when no event of the thread runs", async () => {
		const later = Promise.withResolvers<void>();
		const reminders: Promise<unknown>[] = [];
		const world = await open({
			first: async (thread) => void reminders.push(later.promise.then(() => thread.post("Reminder"))),
		});
		await world.adapter.process(await world.receive("first"));
		later.resolve();
		await reminders[0];
		expect(world.texts()).toEqual(["Reminder"]);
	});

	test("is rejected if its run has failed, which makes it again", async () => {
		const later = Promise.withResolvers<void>();
		const rest: Promise<unknown>[] = [];
		const world = await open({
			question: async (thread) => {
				if (rest.length > 0) return thread.post("Answer");
				rest.push(later.promise.then(() => thread.post("Answer")).catch((error: unknown) => error));
				throw new Error("a bug");
			},
		});
		const event = await world.receive("question");
		await catchRejection(world.adapter.process(event));
		later.resolve();
		expect(await rest[0]).toMatchObject(DOUBT);
		await world.adapter.process(event);
		expect(world.texts()).toEqual(["Answer"]);
	});
});

describe("a thread that is kept from an earlier event", () => {
	test("forwards once in another contact's handler", async () => {
		const kept: Thread[] = [];
		let runs = 0;
		const world = await open({
			first: async (thread) => void kept.push(thread),
			second: async () => {
				await kept[0]?.post("Forwarded");
				if (++runs === 1) throw new Error("a bug");
			},
		});
		await world.adapter.process(await world.receive("first"));
		await runUntilDone(world, [await world.receive("second", OTHER_CONTACT)]);
		expect(runs).toBe(2);
		expect(world.local.sent.map(({ to, text }) => [to, text])).toEqual([[CONTACT, "Forwarded"]]);
	});

	/** A session that keeps the first thread of its contact. */
	async function openSession() {
		let session: Thread | undefined;
		let runs = 0;
		const hung = Promise.withResolvers<void>();
		const answer = (text: string) => async (thread: Thread) => {
			session ??= thread;
			if (++runs === 1 && text === "late") await hung.promise;
			if (runs === 1) throw new Error("a bug");
			await session.post(`You said ${text}`);
			if (runs === 2) throw new Error("another bug");
		};
		const texts = ["first", "late", "second"];
		const world = await open(Object.fromEntries(texts.map((text) => [text, answer(text)])));
		return { ...world, hung };
	}

	test("answers for each later event, once its run has failed", async () => {
		const world = await openSession();
		await runUntilDone(world, [await world.receive("first")]);
		await world.adapter.process(await world.receive("second"));
		expect(world.texts()).toEqual(["You said first", "You said second"]);
	});

	test("answers for each later event, once its late run has ended", async () => {
		const world = await openSession();
		const event = await world.receive("late");
		const controller = new AbortController();
		const late = catchRejection(world.adapter.process(event, { signal: controller.signal }));
		await new Promise((resolve) => setImmediate(resolve));
		controller.abort(new Error("too late"));
		await late;
		world.hung.resolve();
		await new Promise((resolve) => setImmediate(resolve));
		await runUntilDone(world, [event]);
		await world.adapter.process(await world.receive("second"));
		expect(world.texts()).toEqual(["You said late", "You said second"]);
	});

	test("posts no part of a stream that Chat SDK cuts off, since its signal has fired", async () => {
		const [started, aborted] = [Promise.withResolvers<Thread>(), Promise.withResolvers<void>()];
		async function* stream() {
			yield "Hel";
			yield "lo";
		}
		const world = await open({
			late: async (thread) => {
				started.resolve(thread);
				await aborted.promise;
			},
			next: async () => void (await (await started.promise).post(stream())),
		});
		const controller = new AbortController();
		const late = catchRejection(
			world.adapter.process(await world.receive("late"), { signal: controller.signal }),
		);
		await started.promise;
		controller.abort(new Error("too late"));
		await late;
		aborted.resolve();
		await new Promise((resolve) => setImmediate(resolve));
		expect(await catchRejection(world.adapter.process(await world.receive("next")))).toMatchObject({
			code: "configuration",
			message: expect.stringContaining("the signal of the thread has fired"),
		});
		expect(world.texts()).toEqual([]);
	});

	test("posts nothing for a late run that goes on beside the next one", async () => {
		const hung = Promise.withResolvers<void>();
		const posted: Promise<unknown>[] = [];
		let inNext: InContext = takeContext();
		const world = await open({
			question: async (thread) => {
				if (posted.length === 0) {
					posted.push(hung.promise.then(() => inNext(() => thread.post("Late"))).catch((error) => error));
					await posted[0];
					return;
				}
				inNext = takeContext();
				hung.resolve();
				await posted[0];
				await thread.post("Answer");
			},
		});
		const event = await world.receive("question");
		const controller = new AbortController();
		const late = catchRejection(world.adapter.process(event, { signal: controller.signal }));
		await vi.waitUntil(() => posted.length === 1);
		controller.abort(new Error("too late"));
		await late;
		await world.adapter.process(event);
		expect(await posted[0]).toMatchObject({ message: "too late" });
		expect(world.texts()).toEqual(["Answer"]);
	});
});

describe("a queue that was started in a run", () => {
	/** The context of a run that has failed, or is late. */
	async function openPoisoned(isLate: boolean) {
		const contexts: InContext[] = [];
		const world = await open({
			first: async () => {
				contexts.push(takeContext());
				if (isLate) await new Promise(() => undefined);
				throw new Error("a bug");
			},
			second: async (thread) => {
				const [inFirst = takeContext()] = contexts;
				await inFirst(() => thread.post("Answer"));
				await inFirst(() => world.adapter.post(thread.id, "And more", { key: "more" }));
			},
		});
		const controller = new AbortController();
		const event = await world.receive("first");
		const failed = catchRejection(world.adapter.process(event, { signal: controller.signal }));
		await vi.waitUntil(() => contexts.length === 1);
		if (isLate) controller.abort(new Error("too late"));
		await failed;
		return world;
	}

	test.each([false, true])("and outlives it serves all others: late %s", async (isLate) => {
		const world = await openPoisoned(isLate);
		await world.adapter.process(await world.receive("second", OTHER_CONTACT));
		await world.adapter.process(await world.receive("second", "+15550001111"));
		expect(world.local.sent.map(({ to, text }) => `${to} ${text}`)).toEqual([
			`${OTHER_CONTACT} Answer`,
			`${OTHER_CONTACT} And more`,
			"+15550001111 Answer",
			"+15550001111 And more",
		]);
	});

	test("leaves its event alone when another's named post fails there", async () => {
		let posting: Promise<unknown> = Promise.resolve();
		const world = await open({
			first: async () => {
				world.local.faults.respond({ status: 429, operationId: "messages.sendText" });
				posting = codeOf(world.adapter.post(world.otherId, "News", { key: "news" }));
			},
		});
		await world.adapter.process(await world.receive("first"));
		expect(await posting).toBe("rate_limited");
	});
});
