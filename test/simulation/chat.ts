import { AsyncLocalStorage } from "node:async_hooks";
import { createMemoryState } from "@chat-adapter/state-memory";
import { Chat, type Thread } from "chat";
import type { GatewayAdapter } from "messaging-gateway/chat";
import type { WebhookEvent } from "messaging-gateway/webhooks";
import { inboundMessage, inboundReaction } from "../support/webhook-payloads.ts";
import { Deliveries, SECRET } from "./deliveries.ts";
import { Key, PlayedGateway } from "./gateway.ts";
import { type Job, PlayedQueue } from "./queue.ts";
import { openMemorySends } from "./send-stores.ts";
import type { Subject } from "./subject.ts";
import { type Plan, Process, World } from "./world.ts";

const CONTACTS = ["+15551234567", "+15551234568"];

/** Who is told of some events, in a thread without events. */
const DESK = "+15551234569";

/** What a part of a bot's work takes: the longest is longer than the lease of some jobs. */
const WORK_MS = [0, 0, 0, 0, 300, 900, 4_000, 14_000];

/** How often a worker looks for a job, how long it waits for the queue, and how long it is gone that has died. */
const POLL_MS = 1_000;
const PATIENCE_MS = 5_000;
const RESTART_MS = [100, 5_000, 30_000];

/** Longer than anything goes on that a run has left behind. */
const QUIET_MS = 60_000;

/** What no later run would mend. */
const PERMANENT: readonly unknown[] = ["configuration", "invalid_input", "key_reused"];

type BotsThread = Pick<Thread<unknown>, "id" | "signal" | "post" | "startTyping">;

/** What a bot does for an event, in each run of it. */
interface Script {
	/** The posts in the event's thread, in their order. */
	readonly posts: readonly string[];
	/** A post in the thread of the desk, sometimes sooner and sometimes later. */
	readonly toDesk: string | undefined;
	readonly awaitsPosts: boolean;
	readonly streams: boolean;
	/** Whether it stops when the signal of its thread fires. */
	readonly isHeedful: boolean;
	readonly reacts: boolean;
	readonly types: boolean;
}

/** A run of an event, from the call of `process` on. */
interface Run {
	readonly number: number;
	readonly message: string;
	readonly job: Job;
	readonly process: Process;
	readonly signal: AbortSignal;
	/** The bot's signal, once its handler has started. */
	botsSignal?: AbortSignal | undefined;
	handler: "not started" | "running" | "finished" | "failed";
	openSends: number;
	/** Whether `process` has ended. */
	isOver: boolean;
}

/** Plays receivers that add events to a queue, whose workers give them to bots, and a gateway that gets the bots' posts. */
export async function playChat(subject: Subject, plan: Plan, story?: string[]): Promise<void> {
	const world = new World(plan, story);
	const { random } = world;
	const server = new Process(world, "server", true);
	const queue = new PlayedQueue(world);
	const deliveries = new Deliveries(world, subject);
	const events = subject.memoryStore({ clock: server.clock });
	const state = createMemoryState();
	const sendsOf = await openMemorySends(subject, world);
	const scripts = new Map<string, Script>();
	const runs: Run[] = [];
	const threadIds = new Set<string>();
	const current = new AsyncLocalStorage<Run>();
	/** What the bots post, whatever its words. */
	const keys = new Map<string, Key>();
	/** Those of which a run was told that they may have been accepted. */
	const unresolved = new Set<Key>();
	/** The last job of each conversation of which a post has left. */
	const lastPlaces = new Map<string, number>();

	const gateway = new PlayedGateway(world, subject, sendsOf, (text) => {
		const run = current.getStore();
		const key = keys.get(postIn(text));
		if (run === undefined || key === undefined) throw new Error("a post of no run");
		if (run.signal.aborted) world.fail(`${key.name} leaves after the signal of its run has fired`);
		const { conversation, place } = run.job;
		if (queue.isOrdered && place < (lastPlaces.get(conversation) ?? 0))
			world.fail(`${key.name} leaves after posts of a later event`);
		lastPlaces.set(conversation, Math.max(place, lastPlaces.get(conversation) ?? 0));
		return key;
	});

	function scriptOf(message: string): Script {
		const known = scripts.get(message);
		if (known !== undefined) return known;
		const script: Script = {
			posts: Array.from({ length: random.between(1, 4) }, (_, at) => `${message}/post-${at + 1}`),
			toDesk: random.chance(0.4) ? `${message}/desk` : undefined,
			awaitsPosts: random.chance(0.7),
			streams: random.chance(0.2),
			isHeedful: random.chance(0.5),
			reacts: random.chance(0.2),
			types: random.chance(0.2),
		};
		scripts.set(message, script);
		return script;
	}

	/** A bot's handler, whose words are others in each run. */
	async function handle(
		adapter: GatewayAdapter,
		bot: Chat,
		thread: BotsThread,
		messageId: string,
	): Promise<void> {
		const run = current.getStore();
		if (run === undefined) throw new Error("a handler without a run");
		const { process, message } = run;
		const { posts, toDesk, awaitsPosts, streams, isHeedful, reacts, types } = scriptOf(message);
		world.tell(process, `run ${run.number} of ${message} starts`);
		if (runs.some((other) => isBefore(other, run)))
			world.fail(`run ${run.number} of ${message} starts before its turn`);
		threadIds.add(thread.id);
		// Chat SDK has no signal for the handlers of reactions.
		const signal = run.job.event.includes("inbound_message") ? thread.signal : undefined;
		Object.assign(run, { handler: "running", botsSignal: signal });
		const desk = bot.thread(await adapter.openDM(DESK));
		const calls = posts.map((post) => ({ post, to: thread }));
		if (toDesk !== undefined)
			calls.splice(random.between(0, posts.length + 1), 0, { post: toDesk, to: desk });
		const throwsAt = world.misfortune(0.3) ? random.between(0, calls.length + 1) : undefined;
		const work = async (): Promise<void> => {
			await process.sleep(random.pick(WORK_MS));
			if (isHeedful) signal?.throwIfAborted();
		};
		async function* stream(text: string): AsyncGenerator<string> {
			yield text;
			await process.sleep(random.pick(WORK_MS));
		}
		try {
			await work();
			if (reacts) await adapter.addReaction(thread.id, messageId, "heart");
			if (types) await thread.startTyping();
			for (const [at, { post, to }] of calls.entries()) {
				if (throwsAt === at) throw new Error("a bug");
				const text = `${post} in run ${run.number}`;
				const posting = to.post(streams ? stream(text) : text);
				if (!awaitsPosts) posting.catch(() => undefined);
				else await posting.then(work);
			}
			if (throwsAt === calls.length) throw new Error("a bug");
			run.handler = "finished";
		} catch (error) {
			run.handler = "failed";
			throw error;
		}
	}

	/** Whether a run has to be over before another one starts. */
	function isBefore(other: Run, run: Run): boolean {
		const isSameThread = other.process === run.process && other.job.conversation === run.job.conversation;
		return isSameThread && other.number < run.number && !other.isOver && !other.signal.aborted;
	}

	async function startBot(process: Process): Promise<GatewayAdapter | undefined> {
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
				async send(storeKey, input, options) {
					const post = postIn("text" in input ? String(input.text) : "");
					const key = keys.get(post) ?? new Key(post);
					keys.set(post, Object.assign(key, { storeKey }));
					const run = current.getStore();
					if (run !== undefined) run.openSends++;
					try {
						const result = await sender.send(storeKey, input, options);
						if (result.status === "unresolved") unresolved.add(key);
						return result;
					} finally {
						if (run !== undefined) run.openSends--;
					}
				},
			},
		});
		const bot = new Chat({
			userName: "bot",
			adapters: { gateway: adapter },
			state: process.through("state", state),
			concurrency: "concurrent",
			logger: "silent",
		});
		bot.onDirectMessage((thread, { id }) => handle(adapter, bot, thread, id));
		bot.onReaction(({ thread, messageId }) => handle(adapter, bot, thread, messageId));
		const isStarted = await waitFor(
			process,
			bot.initialize().then(() => true),
		);
		return isStarted ? adapter : undefined;
	}

	/** A worker of the queue, which runs some jobs at once. */
	async function startWorker(name: string, count: number): Promise<void> {
		const process = new Process(world, `${name}, start ${count}`);
		process.onEnd(() => {
			server.clock.setTimer(() => void startWorker(name, count + 1), random.pick(RESTART_MS));
		});
		const adapter = await startBot(process);
		if (adapter === undefined) return world.end(process);
		for (let slots = random.between(1, 4); slots > 0; slots--) void work(process, adapter);
	}

	async function work(process: Process, adapter: GatewayAdapter): Promise<void> {
		while (process.isAlive) {
			const isReady = queue.find() !== undefined;
			const job = isReady
				? await waitFor(
						process,
						process.call("take", () => queue.take()),
					)
				: undefined;
			if (job === undefined) {
				await process.sleep(POLL_MS);
				continue;
			}
			const isDone = await runJob(process, adapter, job);
			const end = isDone ? () => queue.complete(job) : () => queue.fail(job);
			await waitFor(process, process.call(`${isDone ? "complete" : "fail"} ${job.id}`, end));
		}
	}

	async function runJob(process: Process, adapter: GatewayAdapter, job: Job): Promise<boolean> {
		const event: WebhookEvent = JSON.parse(job.event);
		const controller = new AbortController();
		const cancel = process.clock.setTimer(() => {
			controller.abort(new Error("the job expired"));
			server.clock.setTimer(() => judgeAborted(run), 1);
		}, job.leaseMs);
		const run: Run = {
			number: runs.length + 1,
			message: String(event.data["messageId"]),
			job,
			process,
			signal: controller.signal,
			handler: "not started",
			openSends: 0,
			isOver: false,
		};
		runs.push(run);
		const processing = current.run(run, () => adapter.process(event, { signal: run.signal }));
		const error: unknown = await processing.then(
			() => undefined,
			(reason: unknown) => reason ?? new Error("no reason"),
		);
		run.isOver = true;
		cancel();
		if (process.isAlive) judgeEnded(run, error);
		return error === undefined;
	}

	function judgeAborted({ process, message, number, isOver, botsSignal, handler }: Run): void {
		if (!process.isAlive) return;
		if (!isOver) world.fail(`run ${number} of ${message} goes on after its signal has fired`);
		if (handler === "running" && botsSignal?.aborted === false)
			world.fail(`the bot's signal does not fire in run ${number} of ${message}`);
	}

	function judgeEnded(run: Run, error: unknown): void {
		const { process, message, number, signal, handler, openSends } = run;
		const name = `run ${number} of ${message}`;
		world.tell(process, `${name}: ${error ?? "done"}`);
		if (error === undefined && handler !== "finished")
			world.fail(`${name} is done, and its handler is ${handler}`);
		if (PERMANENT.includes(Object(error).code)) world.fail(`${name} and each later one fails: ${error}`);
		if (!signal.aborted && handler === "running") world.fail(`${name} ends before its handler`);
		if (!signal.aborted && openSends > 0) world.fail(`${name} ends before its posts`);
	}

	/** Each post was accepted, or a person sees that it may have been. What proved later that it was not is open again. */
	async function judgePosts(message: string): Promise<void> {
		const listed = new Set<string>();
		for (const status of ["unresolved", "open"] as const)
			for await (const { key } of subject.listSends(sendsOf(), { status, clock: server.clock }))
				listed.add(key);
		const { posts, toDesk } = scriptOf(message);
		for (const post of toDesk === undefined ? posts : [...posts, toDesk]) {
			const key = keys.get(post);
			if (key?.accepted || (key && unresolved.has(key) && listed.has(key.storeKey))) continue;
			world.fail(`${post} is lost`);
		}
	}

	/** A process that starts later knows every thread. */
	async function judgeThreads(): Promise<void> {
		const adapter = await startBot(new Process(world, "later worker", true));
		for (const threadId of threadIds)
			await adapter?.markAsRead?.(threadId, "guid-1").catch((error) => world.fail(`no thread: ${error}`));
	}

	for (let at = random.between(1, 3); at > 0; at--) void startWorker(`worker ${at}`, 1);
	await deliveries.play({
		choosePayload: () => ({
			...(random.chance(0.8) ? inboundMessage : inboundReaction),
			from: random.pick(CONTACTS),
		}),
		createHandler: (process) =>
			subject.createWebhookHandler({
				secret: SECRET,
				clock: process.clock,
				store: process.through("store", events),
				enqueue: (event) =>
					process.call("add", () =>
						queue.add({
							id: event.eventId,
							event: JSON.stringify(event),
							conversation: subject.conversationOf(event) ?? "unknown",
						}),
					),
				onError: () => undefined,
			}),
		acknowledges: (message) => {
			if (!queue.jobs.some(({ id }) => deliveries.messageIn(id) === message))
				world.fail(`${message} is acknowledged and not in the queue`);
		},
	});
	await world.run(() => queue.jobs.every((job) => job.state === "done"));
	let isQuiet = false;
	server.clock.setTimer(() => {
		isQuiet = true;
	}, QUIET_MS);
	await world.run(() => isQuiet);
	for (const message of deliveries.messages()) await judgePosts(message);
	let isJudged = false;
	void judgeThreads().then(() => {
		isJudged = true;
	});
	await world.run(() => isJudged);
}

/** What is posted, without the words of a run. */
function postIn(text: string): string {
	return text.split(" ")[0] ?? "";
}

/** What a promise resolves to; `undefined` if it fails, or takes too long. */
function waitFor<Value>(process: Process, promise: Promise<Value>): Promise<Value | undefined> {
	const late = process.sleep(PATIENCE_MS).then(() => undefined);
	return Promise.race([promise.catch(() => undefined), late]);
}
