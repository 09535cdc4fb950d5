import { AsyncLocalStorage } from "node:async_hooks";
import { sha256Hex } from "../signing/hash.ts";

/** One run of the bot for an event. */
export interface BotRun {
	readonly eventId: string;
	/** The event's own thread. */
	readonly threadId: string;
	readonly signal: AbortSignal | undefined;
	/** How many posts each thread got. */
	readonly posts: Map<string, number>;
	/** The posts that have not ended: also those that the bot does not await. */
	readonly open: Set<Promise<unknown>>;
	/** Whether the event is done. A queue may fire the signal of a job that has succeeded, too. */
	isDone: boolean;
}

/** The run that calls, wherever in the bot's code. */
export const currentRun = new AsyncLocalStorage<BotRun>();

export function startRun(eventId: string, threadId: string, signal: AbortSignal | undefined): BotRun {
	return { eventId, threadId, signal, posts: new Map(), open: new Set(), isDone: false };
}

/** A key that names a post of a run, the same in each run that makes the posts of a thread in the same order. */
export function nextKey(name: string, run: BotRun, threadId: string): string {
	const count = (run.posts.get(threadId) ?? 0) + 1;
	run.posts.set(threadId, count);
	// By its id: the next run may take other threads in another order.
	const thread = threadId === run.threadId ? "" : `${threadId.split(":").at(-1)}:`;
	return `${name}:${shorten(run.eventId)}:${thread}${count}`;
}

/** Keeps a post until it has ended. */
export function keepOpen({ open }: BotRun, posting: Promise<unknown>): void {
	open.add(posting);
	const close = (): unknown => open.delete(posting);
	posting.then(close, close);
}

/**
 * Settles when the handlers and their posts have ended. What is still open after the handlers was not awaited: nobody but
 * the run can see that it failed.
 */
export async function endOf({ open }: BotRun, handlers: Promise<void>): Promise<void> {
	const [handled] = await Promise.allSettled([handlers]);
	for (const ended of [handled, ...(await Promise.allSettled(open))])
		if (ended.status === "rejected") throw ended.reason;
}

/** A key has 256 characters at most, as many as an event's id. */
function shorten(eventId: string): string {
	if (eventId.length <= 150) return eventId;
	return sha256Hex(eventId);
}

/** Settles as a promise does, or rejects with the signal's reason as soon as that fires. */
export async function orAborted<Value>(
	promise: Promise<Value>,
	signal: AbortSignal | undefined,
): Promise<Value> {
	if (signal === undefined) return promise;
	let stop: () => void = () => undefined;
	const aborted = new Promise<never>((_, reject) => {
		stop = () => reject(signal.reason);
	});
	if (signal.aborted) stop();
	signal.addEventListener("abort", stop);
	try {
		return await Promise.race([promise, aborted]);
	} finally {
		signal.removeEventListener("abort", stop);
	}
}
