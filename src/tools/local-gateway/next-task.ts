import { findTimer } from "../../library/host.ts";

/** As they are at import: a test that fakes them later must not stop the gateway. */
const setImmediate = findTimer("setImmediate");
const setTimer = findTimer("setTimeout");
const { MessageChannel: Channel } = globalThis;

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
