import { createMemoryState } from "@chat-adapter/state-memory";
import { inboundMessage, inboundReaction } from "../support/webhook-payloads.ts";
import { CONTACTS, PlayedBots, type StartedBot } from "./chat-bot.ts";
import { PlayedNews } from "./chat-news.ts";
import { isPermanent, PlayedPosts, type Run } from "./chat-posts.ts";
import { Deliveries, SECRET } from "./deliveries.ts";
import { PlayedGateway } from "./gateway.ts";
import { type Job, PlayedQueue } from "./queue.ts";
import { openMemorySends } from "./send-stores.ts";
import type { Subject } from "./subject.ts";
import { type Plan, Process, World } from "./world.ts";

/** How often a worker looks for a job, how long it waits for the queue, and how long it is gone that has died. */
const POLL_MS = 1_000;
const PATIENCE_MS = 5_000;
const RESTART_MS = [100, 5_000, 30_000];

/** Longer than any run takes whose calls all end. */
const LONG_MS = 300_000;

/** Longer than anything goes on that a run has left behind. */
const QUIET_MS = 60_000;

/** When Chat SDK's state forgets a subscription. */
const LAPSES_MS = [500, 6_000, 20_000, 60_000];

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
	const posts = new PlayedPosts(world, queue.isOrdered);
	const { runs } = posts;
	const gateway = new PlayedGateway(world, subject, sendsOf, (text, to) => posts.leaves(text, to));
	const bots = new PlayedBots({ world, subject, gateway, sendsOf, state, posts });
	const news = new PlayedNews(world, posts, bots);
	if (bots.ways.isPatient) queue.leaseMs = LONG_MS;

	/** A worker of the queue, which runs some jobs at once. */
	async function startWorker(name: string, count: number): Promise<void> {
		const process = new Process(world, `${name}, start ${count}`);
		process.onEnd(() => {
			server.clock.setTimer(() => void startWorker(name, count + 1), random.pick(RESTART_MS));
		});
		const bot = await waitFor(process, bots.start(process));
		if (bot === undefined) return world.end(process);
		for (let slots = random.between(1, 4); slots > 0; slots--) void work(process, bot);
		void news.tell(process, bot);
	}

	async function work(process: Process, bot: StartedBot): Promise<void> {
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
			const isDone = await runJob(process, bot, job);
			const end = isDone ? () => queue.complete(job) : () => queue.fail(job);
			await waitFor(process, process.call(`${isDone ? "complete" : "fail"} ${job.id}`, end));
		}
	}

	async function runJob(process: Process, bot: StartedBot, job: Job): Promise<boolean> {
		const controller = new AbortController();
		const cancel = process.clock.setTimer(() => {
			controller.abort(new Error("the job expired"));
			server.clock.setTimer(() => judgeAborted(run), 1);
		}, job.leaseMs);
		const run: Run = {
			number: runs.length + 1,
			message: String(JSON.parse(job.event).data.messageId),
			job,
			process,
			signal: controller.signal,
			handler: "not started",
			openSends: 0,
			begun: new Set(),
			isOver: false,
		};
		runs.push(run);
		const error: unknown = await bots.run(bot, run).then(
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
		const { process, message, number, signal, handler, openSends, begun } = run;
		const name = `run ${number} of ${message}`;
		world.tell(process, `${name}: ${error ?? "done"}`);
		if (error === undefined && handler !== "finished")
			world.fail(`${name} is done, and its handler is ${handler}`);
		if (isPermanent(error)) world.fail(`${name} and each later one fails: ${error}`);
		if (!signal.aborted && handler === "running") world.fail(`${name} ends before its handler`);
		const isLoose = [...begun].some((post) => post.isLoose);
		if (!signal.aborted && openSends > 0 && !isLoose) world.fail(`${name} ends before its posts`);
		if (error === undefined) for (const post of begun) posts.owed.add(post);
	}

	/** Each post was accepted, or a person sees that it may have been. What proved later that it was not is open again. */
	async function judgePosts(): Promise<void> {
		const listed = new Set<string>();
		for (const status of ["unresolved", "open"] as const)
			for await (const { key } of subject.listSends(sendsOf(), { status, clock: server.clock }))
				listed.add(key);
		for (const { name, accepted, isUnresolved, storeKey } of posts.owed)
			if (accepted === 0 && !(isUnresolved && listed.has(storeKey))) world.fail(`${name} is lost`);
	}

	/** A process that starts later knows every thread. */
	async function judgeThreads(): Promise<void> {
		const { adapter } = await bots.start(new Process(world, "later worker", true));
		for (const threadId of bots.threadIds)
			await adapter.markAsRead?.(threadId, "guid-1").catch((error) => world.fail(`no thread: ${error}`));
	}

	for (let at = random.between(1, 3); at > 0; at--) void startWorker(`worker ${at}`, 1);
	if (bots.ways.subscribes)
		for (const lapseMs of LAPSES_MS)
			server.clock.setTimer(() => {
				for (const threadId of bots.threadIds) void state.unsubscribe(threadId);
			}, lapseMs);
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
	for (const message of deliveries.messages())
		if (!runs.some((run) => run.message === message && run.handler === "finished"))
			world.fail(`no run of ${message} has finished`);
	await judgePosts();
	let isJudged = false;
	void judgeThreads().then(() => {
		isJudged = true;
	});
	await world.run(() => isJudged);
}

/** What a promise resolves to; `undefined` if it fails, or takes too long. */
function waitFor<Value>(process: Process, promise: Promise<Value>): Promise<Value | undefined> {
	const late = process.sleep(PATIENCE_MS).then(() => undefined);
	return Promise.race([promise.catch(() => undefined), late]);
}
