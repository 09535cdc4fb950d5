/** The timers as they were at import: a test that fakes them later must not stop the gateway. */
const { setTimeout: setTimer, MessageChannel: Channel } = globalThis;

/** Faked timers have a clock, with Vitest as with Jest, which can fake them before a test imports anything. */
const areTimersFake = setTimer !== undefined && "clock" in setTimer;

/** Resolves in a later task, after all queued promise callbacks; timers that are due later are not awaited. */
export function nextTask(): Promise<void> {
	return new Promise((resolve) => {
		if (!areTimersFake || Channel === undefined) setTimer(resolve, 0);
		else postTask(resolve);
	});
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
