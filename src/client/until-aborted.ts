/** The promise's outcome, or a rejection with the signal's reason, whichever is first. */
export function untilAborted<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
	return new Promise((resolve, reject) => {
		const abort = (): void => reject(signal.reason);
		if (signal.aborted) abort();
		signal.addEventListener("abort", abort, { once: true });
		const letGo = (): void => signal.removeEventListener("abort", abort);
		promise.then(
			(value) => {
				letGo();
				resolve(value);
			},
			(error: unknown) => {
				letGo();
				reject(error);
			},
		);
	});
}
