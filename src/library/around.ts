/**
 * Wraps an operation, for example to run it inside an `AsyncLocalStorage` or a span. Call `run` before you return or
 * await anything.
 * @param info - describes the operation.
 * @param run - runs the operation once, even if called repeatedly, and resolves to how it ended; never rejects.
 * @returns anything: the value is ignored, and a returned promise is not awaited.
 */
export type Around<Info, Ending> = (info: Info, run: () => Promise<Ending>) => unknown;

/** The operation that runs inside a hook. */
export interface AroundOptions<Info, Result, Ending> {
	info: Info;
	run: () => Promise<Result>;
	/** Describes the result for the hook. */
	describe: (settled: PromiseSettledResult<Result>) => Ending;
	/** Called when the hook fails, or did not call `run` in time. */
	onFailure: (error: unknown) => void;
}

/**
 * Runs an operation inside a hook, if there is one. The operation runs exactly once, immediately, and its result does
 * not depend on the hook.
 */
export function runAround<Info, Result, Ending>(
	around: Around<Info, Ending> | undefined,
	options: AroundOptions<Info, Result, Ending>,
): Promise<Result> {
	return around === undefined ? options.run() : runInside(around, options);
}

async function runInside<Info, Result, Ending>(
	around: Around<Info, Ending>,
	{ info, run, describe, onFailure }: AroundOptions<Info, Result, Ending>,
): Promise<Result> {
	let started: { result: Promise<Result>; ended: Promise<Ending> } | undefined;
	const start = () => {
		started ??= begin(run, describe);
		return started;
	};
	try {
		const returned = Promise.resolve(around(info, () => start().ended));
		const isLate = started === undefined;
		returned.then(() => {
			if (isLate) onFailure(new Error("the hook didn't call run before it returned or awaited something"));
		}, onFailure);
	} catch (error) {
		onFailure(error);
	}
	const { result, ended } = start();
	// The hook continues before the caller does: a span has ended by then.
	await ended;
	return result;
}

function begin<Result, Ending>(
	run: () => Promise<Result>,
	describe: (settled: PromiseSettledResult<Result>) => Ending,
): { result: Promise<Result>; ended: Promise<Ending> } {
	const result = run();
	// Not Promise.allSettled: a replaced Promise, such as bluebird's, returns another shape.
	const ended = result.then(
		(value) => describe({ status: "fulfilled", value }),
		(reason: unknown) => describe({ status: "rejected", reason }),
	);
	return { result, ended };
}
