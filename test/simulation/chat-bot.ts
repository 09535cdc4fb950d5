import { AsyncLocalStorage } from "node:async_hooks";
import type { createMemoryState } from "@chat-adapter/state-memory";
import { Chat, type Thread } from "chat";
import type { GatewayAdapter, GatewayPost } from "messaging-gateway/chat";
import type { WebhookEvent } from "messaging-gateway/webhooks";
import {
	type Enqueue,
	IN_PROCESS_QUEUES,
	QUEUE_NAMES,
	type QueueName,
} from "../support/in-process-queues.ts";
import { type Expected, type PlayedPost, type PlayedPosts, type Run, wordsOf } from "./chat-posts.ts";
import type { PlayedGateway } from "./gateway.ts";
import type { SendStoreOf } from "./send-stores.ts";
import type { Subject } from "./subject.ts";
import type { Process, World } from "./world.ts";

export const CONTACTS = ["+15551234567", "+15551234568"] as const;

/** Who is told of some events, in a thread without events. */
export const DESK = "+15551234569";

/** What a part of a bot's work takes: the longest is longer than the lease of some jobs. */
const WORK_MS = [0, 0, 0, 0, 300, 900, 4_000, 14_000];

/** What a queue does for a job before the post, so that others wait. */
const PAUSES_MS = [0, 0, 300, 2_000];

/** How long a post in a queue may take: Chat SDK's state, which it asks as well, may never answer. */
const QUEUED_MS = 60_000;

type BotsThread = Pick<Thread<unknown>, "id" | "signal" | "post" | "startTyping" | "subscribe">;

/** By which ways the bots of a history post. */
interface Ways {
	/** Through which queue within a process some of them post. */
	readonly queue: QueueName | undefined;
	readonly concurrency: number;
	/** How often a bot has a key of its own for a post. */
	readonly named: number;
	/** How often it forwards to the other contact. */
	readonly forwards: number;
	/** How often it asks what became of a post. */
	readonly asks: number;
	/** How often it decides anew what it posts. */
	readonly decidesAnew: number;
	/** How often it goes on posting after it has failed. */
	readonly leavesRest: number;
	/** Whether no run is late that still posts. */
	readonly isPatient: boolean;
	/** Whether it posts through the first thread that it got of a contact. */
	readonly keepsThreads: boolean;
	/** Whether it hears of mentions, and of messages in threads that it has subscribed to. */
	readonly subscribes: boolean;
	/** Whether there are posts outside of events. */
	readonly hasNews: boolean;
}

const PLAIN_WAYS: Ways = {
	queue: undefined,
	concurrency: 1,
	named: 0,
	forwards: 0,
	asks: 0,
	decidesAnew: 0,
	leavesRest: 0,
	isPatient: false,
	keepsThreads: false,
	subscribes: false,
	hasNews: false,
};

/** What a bot does for an event, in each run of it. */
interface Script {
	/** The posts in the event's thread, in their order; one that decides anew makes some of them. */
	readonly answers: readonly PlayedPost[];
	readonly count: number;
	readonly decidesAnew: boolean;
	/** A post in the thread of the desk, sometimes sooner and sometimes later. */
	readonly toDesk: PlayedPost | undefined;
	/** One to the other contact. */
	readonly forwarded: PlayedPost | undefined;
	readonly isQueued: boolean;
	readonly awaitsPosts: boolean;
	readonly streams: boolean;
	/** Whether it stops when the signal of its thread fires. */
	readonly isHeedful: boolean;
	readonly reacts: boolean;
	readonly types: boolean;
	readonly asks: boolean;
	/** Whether it goes on posting after it has failed. */
	readonly leavesRest: boolean;
}

/** A bot in a process. */
export interface StartedBot {
	readonly adapter: GatewayAdapter;
	/** The first thread of each contact. */
	readonly threads: Map<string, BotsThread>;
	/** The queue within its process. */
	readonly enqueue: Enqueue | undefined;
}

/** A post, and how it is made. */
interface Call {
	readonly post: PlayedPost;
	readonly isOwn: boolean;
	/** Whether it goes through the thread that its handler got. */
	readonly isBound: boolean;
	make(text: string): Promise<GatewayPost | undefined>;
}

/** What bots share. */
interface BotsWorld {
	readonly world: World;
	readonly subject: Subject;
	readonly gateway: PlayedGateway;
	readonly sendsOf: SendStoreOf;
	readonly state: ReturnType<typeof createMemoryState>;
	readonly posts: PlayedPosts;
}

/** Bots whose handlers answer, forward, fail and take their time, as the seed decides. */
export class PlayedBots {
	readonly ways: Ways;
	readonly threadIds = new Set<string>();
	readonly #world: BotsWorld;
	readonly #scripts = new Map<string, Script>();
	readonly #current = new AsyncLocalStorage<Run>();

	constructor(world: BotsWorld) {
		this.#world = world;
		this.ways = chooseWays(world.world);
	}

	/** A process that has died, or a state that never answers, keeps it from being resolved. */
	async start(process: Process): Promise<StartedBot> {
		const { world, subject, gateway, sendsOf, state, posts } = this.#world;
		const client = gateway.createClient(process);
		const sender = subject.createSender({
			gateway: client,
			store: sendsOf(process),
			digestSecret: "digest-secret-0123456789",
			leaseMs: 20_000,
			storeTimeoutMs: 3_000,
			statusCallback: (token) => `https://app.example/webhooks/${token}`,
		});
		const adapter = subject.createGatewayAdapter({
			gateway: client,
			sender: {
				send: (key, input, options) =>
					posts.send("text" in input ? String(input.text) : "", key, () => sender.send(key, input, options)),
			},
			onKept: (post) => posts.reportKept(post, gateway),
		});
		const { queue, concurrency } = this.ways;
		const pause = () => process.sleep(world.postRandom.pick(PAUSES_MS));
		const threads = new Map<string, BotsThread>();
		const started = { adapter, threads, enqueue: queue && openQueue(process, queue, concurrency, pause) };
		const bot = new Chat({
			userName: "bot",
			adapters: { gateway: adapter },
			state: process.through("state", state),
			concurrency: "concurrent",
			logger: "silent",
		});
		const handle = (thread: BotsThread, { id }: { readonly id: string }) =>
			this.#handle(started, bot, thread, id);
		if (this.ways.subscribes) {
			bot.onNewMention(handle);
			bot.onSubscribedMessage(handle);
		} else bot.onDirectMessage(handle);
		bot.onReaction(({ thread, messageId }) => handle(thread, { id: messageId }));
		await bot.initialize();
		return started;
	}

	/** A worker gives a job to its bot. */
	run({ adapter }: StartedBot, run: Run): Promise<void> {
		const event: WebhookEvent = JSON.parse(run.job.event);
		return this.#current.run(run, () => adapter.process(event, { signal: run.signal }));
	}

	async #handle(bot: StartedBot, chat: Chat, thread: BotsThread, messageId: string): Promise<void> {
		const run = this.#current.getStore();
		if (run === undefined) throw new Error("a handler without a run");
		const { world, posts } = this.#world;
		const { random, postRandom } = world;
		const { process, message, number } = run;
		const script = this.#scriptOf(run);
		world.tell(process, `run ${number} of ${message} starts`);
		if (posts.runs.some((other) => isBefore(other, run)))
			world.fail(`run ${number} of ${message} starts before its turn`);
		this.threadIds.add(thread.id);
		// Chat SDK has no signal for the handlers of reactions.
		const signal = isMessage(run) ? thread.signal : undefined;
		Object.assign(run, { handler: "running", botsSignal: signal });
		if (!bot.threads.has(thread.id)) bot.threads.set(thread.id, thread);
		const { awaitsPosts, isQueued, streams } = script;
		// Once its signal has fired, Chat SDK streams nothing through a thread.
		const isKept = this.ways.keepsThreads && awaitsPosts && !isQueued && !streams;
		const kept = isKept ? bot.threads.get(thread.id) : undefined;
		const calls = await this.#callsOf(script, bot, chat, kept ?? thread);
		const throwsAt = world.misfortune(0.3) ? random.between(0, calls.length + 1) : undefined;
		const work = async (): Promise<void> => {
			await process.sleep(random.pick(WORK_MS));
			if (script.isHeedful) signal?.throwIfAborted();
		};
		try {
			await work();
			if (this.ways.subscribes && postRandom.chance(0.7)) await thread.subscribe();
			if (script.reacts) await bot.adapter.addReaction(thread.id, messageId, "heart");
			if (script.types) await thread.startTyping();
			for (const [at, call] of calls.entries()) {
				if (throwsAt === at) {
					if (script.leavesRest)
						void this.#makeRest(calls.slice(at), run, script.isQueued ? bot.enqueue : undefined);
					throw new Error("a bug");
				}
				run.begun.add(call.post);
				const posting = this.#make(call, run, script.isQueued ? bot.enqueue : undefined);
				if (!script.awaitsPosts) posting.catch(() => undefined);
				else await posting.then(work);
			}
			if (throwsAt === calls.length) throw new Error("a bug");
			run.handler = "finished";
		} catch (error) {
			run.handler = "failed";
			throw error;
		}
	}

	/** Makes a post, at once or through a queue, and holds what its bot is told against what became of it. */
	#make(
		{ post, isOwn, isBound, make }: Call,
		{ number }: Run,
		enqueue: Enqueue | undefined,
		isRest = false,
	): Promise<unknown> {
		const text = wordsOf(post, number);
		const isCertain = post.isNamed || (isOwn && !isRest && (isBound || enqueue === undefined));
		const judged = () => this.judge(post, text, make(text), { isCertain });
		return enqueue === undefined ? judged() : enqueue(judged);
	}

	/** The answers that a failed run goes on with, or has left in a queue, since it has not awaited all that it began. */
	async #makeRest(calls: readonly Call[], run: Run, enqueue: Enqueue | undefined): Promise<void> {
		const { random } = this.#world.world;
		for (const call of calls.filter(({ isOwn }) => isOwn)) {
			await run.process.sleep(random.pick(WORK_MS));
			await this.#make(call, run, enqueue, true).catch(() => undefined);
		}
	}

	/** @returns the same post. */
	async judge(
		post: PlayedPost,
		text: string,
		posting: Promise<GatewayPost | undefined>,
		expected: Expected,
	): Promise<GatewayPost | undefined> {
		const { posts } = this.#world;
		try {
			const result = await posting;
			posts.judgeMade(post, text, result, expected);
			return result;
		} catch (error) {
			posts.judgeRejected(post, text, error, expected);
			throw error;
		}
	}

	/** The posts of a run, of which those to others come anywhere. */
	async #callsOf(
		{ answers, count, decidesAnew, toDesk, forwarded, streams, asks }: Script,
		{ adapter }: StartedBot,
		chat: Chat,
		thread: BotsThread,
	): Promise<Call[]> {
		const { random, postRandom } = this.#world.world;
		const { process } = this.#current.getStore() ?? {};
		async function* stream(text: string): AsyncGenerator<string> {
			yield text;
			await process?.sleep(random.pick(WORK_MS));
		}
		const postIn = (to: Pick<Thread<unknown>, "id" | "post">, post: PlayedPost) => {
			const key = post.isNamed ? { key: keyOf(post), ifReused: "keep" as const } : undefined;
			return async (text: string): Promise<GatewayPost | undefined> => {
				if (post.isNamed || asks) return adapter.post(to.id, text, key);
				await to.post(streams ? stream(text) : text);
				return undefined;
			};
		};
		const desk = chat.thread(await adapter.openDM(DESK));
		const chosen = answers.slice(0, decidesAnew ? postRandom.between(1, answers.length + 1) : count);
		const calls: Call[] = chosen.map((post) => ({
			post,
			isOwn: true,
			isBound: !asks,
			make: postIn(thread, post),
		}));
		const addAnywhere = (by: typeof random, call: Call): void => {
			calls.splice(by.between(0, calls.length + 1), 0, call);
		};
		if (toDesk !== undefined)
			addAnywhere(random, { post: toDesk, isOwn: false, isBound: false, make: postIn(desk, toDesk) });
		if (forwarded !== undefined) {
			const other = chat.thread(adapter.encodeThreadId({ to: forwarded.to }));
			addAnywhere(postRandom, {
				post: forwarded,
				isOwn: false,
				isBound: false,
				make: postIn(other, forwarded),
			});
		}
		return calls;
	}

	#scriptOf(run: Run): Script {
		const { message } = run;
		const known = this.#scripts.get(message);
		if (known !== undefined) return known;
		const { world, posts } = this.#world;
		const { random, postRandom } = world;
		const { queue, named, forwards, asks, decidesAnew } = this.ways;
		const from = contactOf(run);
		const other = CONTACTS.find((contact) => contact !== from) ?? from;
		const count = random.between(1, 4);
		const hasDesk = random.chance(0.4);
		const awaitsPosts = random.chance(0.7);
		// A queue's jobs are awaited: what a run leaves there belongs to nobody.
		const isQueued = queue !== undefined && postRandom.chance(0.8);
		const isNamed = () => postRandom.chance(named);
		const areNamed = isNamed();
		// A post in a queue is known by its key, or by the thread of its handler.
		const doesAsk = (areNamed || !isQueued) && postRandom.chance(asks);
		const leavesRest = !doesAsk && postRandom.chance(this.ways.leavesRest);
		const isDecidedAnew = !leavesRest && postRandom.chance(decidesAnew);
		const isLoose = isDecidedAnew || leavesRest;
		const script: Script = {
			answers: Array.from({ length: 3 }, (_, at) =>
				posts.add(`${message}/post-${at + 1}`, from, {
					isNamed: areNamed,
					isLoose,
					place: (awaitsPosts || isQueued) && !isLoose ? at + 1 : 0,
				}),
			),
			count,
			decidesAnew: isDecidedAnew,
			// With a name it is no event's: its bot awaits it.
			toDesk: hasDesk
				? posts.add(`${message}/desk`, DESK, { isNamed: isQueued || (isNamed() && awaitsPosts) })
				: undefined,
			// It may be rejected, since the other contact writes at that moment: nobody but its bot can know.
			forwarded:
				(awaitsPosts || isQueued) && postRandom.chance(forwards)
					? posts.add(`${message}/forwarded`, other, { isNamed: isQueued || isNamed() })
					: undefined,
			isQueued,
			awaitsPosts: awaitsPosts || isQueued,
			streams: random.chance(0.2),
			isHeedful: random.chance(0.5),
			reacts: random.chance(0.2),
			types: random.chance(0.2),
			asks: doesAsk,
			leavesRest,
		};
		this.#scripts.set(message, script);
		return script;
	}
}

/** Who wrote. */
export function contactOf({ job }: Pick<Run, "job">): string {
	return JSON.parse(job.event).data.from;
}

/** A key that a bot has for what it tells everybody. */
export function keyOf({ name }: PlayedPost): string {
	return name.replace(/\/(desk|forwarded|\+\d+)$/, "/to-others");
}

function chooseWays({ postRandom }: World): Ways {
	if (postRandom.chance(0.4)) return PLAIN_WAYS;
	return {
		queue: postRandom.chance(0.6) ? postRandom.pick(QUEUE_NAMES) : undefined,
		concurrency: postRandom.between(1, 4),
		named: postRandom.pick([0, 0.2]),
		forwards: postRandom.pick([0, 0.5]),
		asks: postRandom.pick([0.2, 0.6]),
		decidesAnew: postRandom.pick([0, 0.5]),
		leavesRest: postRandom.pick([0, 0.5]),
		isPatient: postRandom.chance(0.4),
		keepsThreads: postRandom.chance(0.3),
		subscribes: postRandom.chance(0.3),
		hasNews: postRandom.chance(0.4),
	};
}

function isMessage({ job }: Run): boolean {
	return job.event.includes("inbound_message");
}

/** Whether a run has to be over before another one starts. */
function isBefore(other: Run, run: Run): boolean {
	const isSameThread = other.process === run.process && other.job.conversation === run.job.conversation;
	return isSameThread && other.number < run.number && !other.isOver && !other.signal.aborted;
}

/** A queue within a process, whose jobs end in time. */
function openQueue(
	process: Process,
	name: QueueName,
	concurrency: number,
	pause: () => Promise<void>,
): Enqueue {
	const enqueue = IN_PROCESS_QUEUES[name](concurrency);
	return (work) =>
		enqueue(() => {
			const late = process.sleep(QUEUED_MS).then(() => {
				throw new Error("a post is late");
			});
			return Promise.race([pause().then(work), late]);
		});
}
