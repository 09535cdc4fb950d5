import type { Thread } from "chat";
import DataLoader from "dataloader";
import fastq from "fastq";
import type { WebhookEvent } from "messaging-gateway/webhooks";
import PQueue from "p-queue";
import { describe, expect, test } from "vitest";
import { CONTACT, createChatWorld, OTHER_CONTACT } from "./chat-world.ts";

/** A post that a bot leaves to something within the process. */
interface Job {
	readonly thread: Pick<Thread<unknown>, "post">;
	readonly text: string;
}

/** What lets a job run in the context of another one: whoever is first starts the loop for all. */
const QUEUES: Readonly<
	Record<string, (post: (job: Job) => Promise<unknown>) => (job: Job) => Promise<unknown>>
> = {
	fastq: (post) => {
		const queue = fastq.promise(post, 1);
		return (job) => queue.push(job);
	},
	"p-queue": (post) => {
		const queue = new PQueue({ concurrency: 1 });
		return (job) => queue.add(() => post(job));
	},
	DataLoader: (post) => {
		const loader = new DataLoader<Job, unknown>(
			(jobs) => Promise.all(jobs.map((job) => post(job).catch((error: unknown) => Object(error)))),
			{ cache: false },
		);
		return (job) => loader.load(job);
	},
	"a hand-made queue": (post) => {
		const waiting: (() => Promise<void>)[] = [];
		let isDraining = false;
		async function drain(): Promise<void> {
			isDraining = true;
			for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await next();
			isDraining = false;
		}
		return (job) =>
			new Promise((resolve, reject) => {
				waiting.push(() => post(job).then(resolve, reject));
				if (!isDraining) void drain();
			});
	},
};

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

describe.each(Object.keys(QUEUES))("posts through %s", (name) => {
	test.each(FAILS)("reach each contact once, in a handler that fails %s", async (fails) => {
		const world = createChatWorld();
		const { local, bot, take } = world;
		const enqueue = QUEUES[name]?.(({ thread, text }) => thread.post(text));
		const fail = createFailure();
		bot.onDirectMessage(async (thread, { text }) => {
			if (fails === "before the post") fail(text);
			await enqueue?.({ thread, text: `You said ${text}` });
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

	test.each(FAILS)("is made at once with a key, if a handler fails %s", async (fails) => {
		expect(await playForwarding(fails, "forward-news")).toEqual({ sent: SENT, errors: [] });
	});
});
