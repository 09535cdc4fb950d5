import { findBuiltin } from "../../library/host.ts";

type StartTask = (task: () => void, delayMs?: number) => unknown;

/** The timers of a runtime. */
interface Timers {
	readonly setImmediate: StartTask;
	readonly setTimeout: StartTask;
}

const nodeTimers = findBuiltin<Timers>("node:timers");
/** As they were at import: a test that fakes them later must not stop the gateway. jsdom has fewer than Node beneath it. */
const found: readonly (Partial<Timers> | undefined)[] = [globalThis, nodeTimers];
const setTimer = findReal("setTimeout");
/**
 * A task that waits for no timer, in Node and what is like it. Elsewhere it is no such thing: the edge runtime of Next.js has
 * one that throws, and Workers do not read bodies between two of them.
 */
const isLikeNode = nodeTimers !== undefined && !("WebSocketPair" in globalThis);
const setImmediate = isLikeNode ? findReal("setImmediate") : undefined;
const { MessageChannel: Channel } = globalThis;

/** Faked timers have a clock, with Vitest as with Jest, which can fake them before a test imports anything. */
function findReal(name: keyof Timers): StartTask | undefined {
	return found.map((timers) => timers?.[name]).find((start) => start !== undefined && !("clock" in start));
}

/** Resolves in a later task, after all queued promise callbacks. */
export function nextTask(): Promise<void> {
	return new Promise((resolve) => {
		if (setImmediate !== undefined) setImmediate(resolve);
		else if (setTimer !== undefined) setTimer(resolve, 0);
		else if (Channel !== undefined) postTask(resolve);
		else resolve();
	});
}

/** Resolves after the timers that are due now; those that are due later are not awaited. */
export function dueTimers(): Promise<void> {
	if (setTimer === undefined) return nextTask();
	return new Promise((resolve) => void setTimer(resolve, 0));
}

/** A message is a task of its own, and nobody fakes it. */
function postTask(task: () => void): void {
	const { port1, port2 } = new Channel();
	port1.onmessage = () => {
		// An open port would keep the process.
		port1.close();
		task();
	};
	port2.postMessage(undefined);
}
