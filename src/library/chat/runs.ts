import { AsyncLocalStorage } from "node:async_hooks";
import { ConfigurationError, InputError, isMessagingGatewayError } from "../errors.ts";
import { sha256Hex } from "../signing/hash.ts";
import { PermanentWebhookError } from "../webhooks/permanent-error.ts";
import { afterReports } from "./unhandled.ts";

/** One run of the bot for an event. */
export interface BotRun {
	readonly eventId: string;
	/** The event's own thread. */
	readonly threadId: string;
	readonly signal: AbortSignal | undefined;
	/** How many posts each thread got. */
	readonly posts: Map<string, number>;
	/** What has not ended: posts, also those that the bot does not await, and the typing indicators that Chat SDK ends after them. */
	readonly open: Set<Promise<unknown>>;
	/** What nobody has handled of the posts that have failed; undefined while none has failed. */
	unhandled?: unknown[];
	/**
	 * Undefined while it is under way. One whose signal has fired is late until its handlers have ended. A queue may fire the
	 * signal of a job that has succeeded, too.
	 */
	end?: "done" | "failed" | "late" | undefined;
}

/** The run in which code of the bot was started: of a job, that of whoever started the queue. */
const contextRun = new AsyncLocalStorage<BotRun>();

/** The run whose thread is called. */
const threadRun = new AsyncLocalStorage<BotRun>();

/** The runs of an adapter. */
export class Runs {
	/** Those under way, by their thread: a thread has one at a time. */
	readonly #live = new Map<string, BotRun>();

	/** Does the work of a run in its context, until it has ended or the signal fires. */
	async play(
		{ eventId, threadId, signal }: Pick<BotRun, "eventId" | "threadId" | "signal">,
		work: (run: BotRun) => Promise<void>,
	): Promise<void> {
		const run: BotRun = { eventId, threadId, signal, posts: new Map(), open: new Set() };
		this.#live.set(threadId, run);
		const fail = (): void => {
			run.end = "failed";
		};
		const working = contextRun.run(run, () => work(run));
		try {
			await orAborted(working, signal);
			run.end = "done";
		} catch (error) {
			run.end = "late";
			working.then(fail, fail);
			throw error;
		} finally {
			this.#live.delete(threadId);
		}
	}

	/**
	 * The run that a post to a thread belongs to; `undefined` if there is none. A job in a queue within the process has the
	 * context of whoever started the queue, so a run of another event is believed only while this thread has none.
	 * @throws ConfigurationError if nobody can know.
	 */
	of(threadId: string): BotRun | undefined {
		const run = findRun();
		const live = this.#live.get(threadId);
		// What a failed run has left in a queue may run in the context of any other.
		const isRest = isRepeated(threadRun.getStore());
		// A late run cannot be stopped.
		if (run?.end === "late" && run.threadId === threadId) run.signal?.throwIfAborted();
		if (run !== undefined && run.end === undefined && (run.threadId === threadId || !isRest)) {
			if (live === undefined || live === run) return run;
			// It counts all the same, as a post that the gateway rejects: those after it keep their numbers.
			countPost(run, threadId);
		} else if (live === undefined && !isRepeated(run) && !isRest) return undefined;
		throw new ConfigurationError(
			"It can't be known which event the post belongs to, so it wasn't sent: name it with gateway.post(thread.id, message, { key })",
		);
	}

	/** The run under way in which this is called. */
	context(): BotRun | undefined {
		const run = findRun();
		return run?.end === undefined ? run : undefined;
	}
}

/** A thread that the bot keeps after its run hides nothing. */
function findRun(): BotRun | undefined {
	const run = threadRun.getStore();
	const isOver = run === undefined || run.end === "done" || run.end === "failed";
	return isOver ? contextRun.getStore() : run;
}

/** Whether there is another run of its event, which makes its posts. */
function isRepeated(run: BotRun | undefined): boolean {
	return run?.end !== undefined && run.end !== "done";
}

/** An adapter for the thread of a run: what is called through it is the run's, also in a queue, or when the run is late. */
export function bindTo<Bound extends object>(run: BotRun, adapter: Bound): Bound {
	return new Proxy(adapter, {
		get(target, name) {
			const value: unknown = Reflect.get(target, name, target);
			if (typeof value !== "function") return value;
			return (...given: unknown[]) => threadRun.run(run, () => Reflect.apply(value, target, given));
		},
	});
}

/**
 * A key that names a post of a run, the same in each run that makes the posts of a thread in the same order: the next one may
 * take other threads in another order, and several contacts may have events with one id.
 */
export function nextKey(name: string, run: BotRun, threadId: string): string {
	const count = countPost(run, threadId);
	return `${name}:${lastPart(threadId)}:${shorten(run.eventId)}:${count}`;
}

function countPost({ posts }: BotRun, threadId: string): number {
	const count = (posts.get(threadId) ?? 0) + 1;
	posts.set(threadId, count);
	return count;
}

/** The key of a post that the bot has named: each thread has its own, so that no name reaches two contacts. */
export function namedKey(name: string, threadId: string, key: unknown): string {
	if (typeof key !== "string" || !/^[!-~]{1,128}$/.test(key))
		throw new InputError("key must be a string of 1 to 128 visible ASCII characters");
	return `${name}/${lastPart(threadId)}/${key}`;
}

/** It is not checked here: what is no thread's id is not posted to. */
function lastPart(threadId: string): string | undefined {
	return String(threadId).split(":").pop();
}

/** Keeps a post until it has ended. */
export function keepOpen({ open }: BotRun, posting: Promise<unknown>): void {
	open.add(posting);
	const close = (): unknown => open.delete(posting);
	posting.then(close, close);
}

/**
 * Settles when the handlers and their posts have ended, and the host has reported which of them nobody handles. What is
 * still open after the handlers was not awaited: nobody but the run can see that it failed.
 * @throws PermanentWebhookError if another run would fail as well.
 */
export async function endOf(run: BotRun, handlers: Promise<void>): Promise<void> {
	const { eventId, open } = run;
	const ended: PromiseSettledResult<unknown>[] = await Promise.allSettled([handlers]);
	do {
		ended.push(...(await Promise.allSettled(open)));
		if (run.unhandled !== undefined) await afterReports();
	} while (open.size > 0);
	const reasons = ended.flatMap((each) => (each.status === "rejected" ? [each.reason] : []));
	for (const failure of [...reasons, ...(run.unhandled ?? [])].map((reason) => toPermanent(reason, eventId)))
		throw failure;
}

/** What is wrong with a post itself, which is the same in each run. */
const PERMANENT_CODES: readonly string[] = ["invalid_input", "bad_request", "unprocessable", "key_reused"];

/** @throws what is not permanent: the next run may succeed. */
function toPermanent(error: unknown, eventId: string): Error {
	if (error instanceof PermanentWebhookError) return error;
	if (!isMessagingGatewayError(error) || !PERMANENT_CODES.includes(error.code)) throw error;
	return new PermanentWebhookError(
		`the handler fails in each run of ${eventId}: ${error.message}; catch this error, or keep the event until the bot is fixed`,
		{ cause: error },
	);
}

/** An event's id as a part of a key. What is kept is shorter than a digest, so that no id is that of another. */
function shorten(eventId: string): string {
	return /^[!-~]{1,63}$/.test(eventId) ? eventId : sha256Hex(eventId);
}

/** Settles as a promise does, or rejects with the signal's reason as soon as that fires. */
export async function orAborted<Value>(
	promise: Promise<Value>,
	signal: AbortSignal | undefined,
): Promise<Value> {
	if (signal === undefined) return promise;
	const { promise: aborted, reject } = Promise.withResolvers<never>();
	const stop = (): void => reject(signal.reason);
	if (signal.aborted) stop();
	signal.addEventListener("abort", stop);
	try {
		return await Promise.race([promise, aborted]);
	} finally {
		signal.removeEventListener("abort", stop);
	}
}
