import process from "node:process";
import type { Thread } from "chat";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { nextTask } from "../../../../src/tools/local-gateway/next-task.ts";
import { catchRejection } from "../../../support/catch-error.ts";
import { CONTACT, createChatWorld, OTHER_CONTACT } from "./chat-world.ts";

const EVENT = "unhandledRejection";
const WARNING = "a post that wasn't awaited has failed";

type Say = Pick<Thread<unknown>, "post" | "startTyping" | "id">;

/** Those of the test's runner, which would report what the adapter hears. */
let others: NodeJS.UnhandledRejectionListener[] = [];
/** What nobody but the process hears of. */
const unheard: unknown[] = [];
const note = (error: unknown) => void unheard.push(error);

beforeEach(() => {
	unheard.length = 0;
	others = process.listeners(EVENT);
	process.removeAllListeners(EVENT);
});
afterEach(() => {
	process.removeAllListeners(EVENT);
	for (const other of others) process.on(EVENT, other);
});

/** Runs a handler whose first post fails; what `process` rejects with, and the texts that arrived. */
async function run(handler: (thread: Say, world: ReturnType<typeof createChatWorld>) => Promise<void>) {
	const world = createChatWorld();
	const { local, bot, adapter, take, texts, logged } = world;
	bot.onDirectMessage((thread) => handler(thread, world));
	await local.contact(CONTACT).reply("Hello");
	const event = await take();
	const outcome = await adapter.process(event).then(
		() => "done",
		(error: { code: unknown }) => error.code,
	);
	await nextTask();
	return {
		...world,
		event,
		outcome,
		texts: texts(),
		warned: logged.filter((line) => line.includes(WARNING)),
	};
}

const fail = ({ local }: Pick<ReturnType<typeof createChatWorld>, "local">) =>
	local.faults.respond({ status: 429, operationId: "messages.sendText" });

async function tasks(count: number): Promise<void> {
	for (let at = 0; at < count; at++) await nextTask();
}

describe("a post that is not awaited and fails", () => {
	test.each<[string, string[], Parameters<typeof run>[0]]>([
		[
			"after its handler has returned",
			[],
			async (thread, world) => {
				fail(world);
				void thread.post("One");
			},
		],
		[
			"while its handler goes on",
			["Two"],
			async (thread, world) => {
				fail(world);
				void thread.post("One");
				await nextTask();
				await thread.post("Two");
			},
		],
		[
			"while its handler goes on, and the end of typing takes longer than that",
			[],
			async (thread, world) => {
				await thread.startTyping();
				fail(world);
				world.local.faults.delay(1_000, { operationId: "messages.typing" });
				void thread.post("One");
				await tasks(20);
				void tasks(20).then(() => world.clock.advance(1_000));
			},
		],
		[
			"under a key",
			["Two"],
			async (thread, world) => {
				fail(world);
				void world.adapter.post(thread.id, "One", { key: "one" });
				await nextTask();
				await thread.post("Two");
			},
		],
	])("%s fails its event, and not the process", async (_when, arrived, handler) => {
		const { outcome, texts, warned } = await run(handler);
		expect(outcome).toBe("rate_limited");
		expect(texts).toEqual(arrived);
		expect(warned).toHaveLength(1);
	});

	test("since an option does not exist fails its event, and not the process", async () => {
		const { outcome, texts, warned } = await run(async (thread, world) => {
			void world.adapter.post(thread.id, "One", JSON.parse('{ "kye": "one" }'));
			await nextTask();
			await thread.post("Two");
		});
		expect(outcome).toBe("configuration");
		expect(texts).toEqual(["Two"]);
		expect(warned).toHaveLength(1);
	});

	test("outside of an event is logged, without its text and contact", async () => {
		const world = await run(async () => {});
		fail(world);
		void world.bot.thread(await world.adapter.openDM(OTHER_CONTACT)).post("Secret");
		const warned = () => world.logged.filter((line) => line.includes(WARNING));
		while (warned().length === 0) await nextTask();
		expect(warned()).toEqual([expect.stringContaining("rate_limited")]);
		expect(warned().join()).not.toMatch(/Secret|5557654321/);
	});

	test("of a run whose signal has fired with a text is logged like any other", async () => {
		process.on(EVENT, note);
		const { bot, local, adapter, take, logged } = createChatWorld();
		const [started, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
		bot.onDirectMessage(async (thread) => {
			started.resolve();
			await gate.promise;
			void thread.post("One");
		});
		await local.contact(CONTACT).reply("Hello");
		const controller = new AbortController();
		const processing = catchRejection(adapter.process(await take(), { signal: controller.signal }));
		await started.promise;
		controller.abort("time is up");
		expect(await processing).toBe("time is up");
		gate.resolve();
		await tasks(5);
		expect(logged.filter((line) => line.includes(WARNING))).toEqual([
			JSON.stringify([WARNING, { code: "another" }]),
		]);
		expect(unheard).toMatchObject([{ message: "time is up", cause: "time is up" }]);
	});

	test("is heard by the application's own listener, too", async () => {
		process.on(EVENT, note);
		const { outcome } = await run(async (thread, world) => {
			fail(world);
			void thread.post("One");
			await nextTask();
		});
		expect(outcome).toBe("rate_limited");
		expect(unheard).toMatchObject([{ code: "rate_limited" }]);
	});
});

test("a post whose failure the bot has seen leaves its event alone, and a post that succeeds the process", async () => {
	const succeeded = await run(async (thread) => void (await thread.post("One")));
	expect(process.listenerCount(EVENT)).toBe(0);
	const seen = await run(async (thread, world) => {
		fail(world);
		expect(await catchRejection(thread.post("One"))).toMatchObject({ code: "rate_limited" });
		await thread.post("Two");
	});
	expect([succeeded.outcome, seen.outcome]).toEqual(["done", "done"]);
	expect(seen.warned).toEqual([]);
	expect(process.listenerCount(EVENT)).toBe(1);
});

test("a stream that breaks off in a post that was rejected, and awaited, is nobody's to hear of", async () => {
	process.on(EVENT, note);
	const { bot, local, adapter, take } = createChatWorld();
	const [started, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
	bot.onDirectMessage(async () => {
		started.resolve();
		await gate.promise;
	});
	await local.contact(CONTACT).reply("Hello");
	const processing = adapter.process(await take());
	await started.promise;
	async function* breakOff() {
		yield "One";
		throw new Error("the model broke off");
	}
	const posting = bot.thread(adapter.encodeThreadId({ to: CONTACT })).post(breakOff());
	expect(await catchRejection(posting)).toMatchObject({ code: "configuration" });
	await tasks(5);
	gate.resolve();
	await processing;
	expect(unheard).toEqual([]);
});

test("copies of the package share one listener, and each hears of its own", async () => {
	const heard: number[] = [];
	const errors = [1, 2].map((copy) => new Error(`of copy ${copy}`));
	for (const [copy, error] of errors.entries()) {
		vi.resetModules();
		const { onUnhandled } = await import("../../../../src/library/chat/unhandled.ts");
		onUnhandled(error, () => heard.push(copy));
	}
	expect(process.listenerCount(EVENT)).toBe(1);
	for (const error of errors) process.emit(EVENT, error, Promise.resolve());
	expect(heard).toEqual([0, 1]);
});
