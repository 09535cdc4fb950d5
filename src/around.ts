/**
 * A hook around something that runs, so that what `run` calls sees what the hook has set up, such as an
 * `AsyncLocalStorage` or a span. It calls `run` before it returns or awaits anything.
 * @param info - what runs.
 * @param run - runs it once, however often it is called, and resolves to how it ended; never rejects.
 * @returns anything: what ran ends as it ends, and nobody waits for the hook.
 */
export type Around<Info, Ending> = (info: Info, run: () => Promise<Ending>) => unknown;

/** What runs inside a hook, and what is told of it. */
export interface AroundOptions<Info, Result, Ending> {
	info: Info;
	run: () => Promise<Result>;
	/** What the hook is told of the end. */
	describe: (settled: PromiseSettledResult<Result>) => Ending;
	/** Called when the hook fails, or has not run what it was given. */
	onFailure: (error: unknown) => void;
}

/**
 * Runs something inside a hook, where there is one. Whatever the hook does, it runs once, at once, and ends as it
 * would without it.
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
			if (isLate) onFailure(new Error("the hook did not call run before it returned or awaited something"));
		}, onFailure);
	} catch (error) {
		onFailure(error);
	}
	const { result, ended } = start();
	// The hook hears of the end first: a span is over before its caller goes on.
	await ended;
	return result;
}

function begin<Result, Ending>(
	run: () => Promise<Result>,
	describe: (settled: PromiseSettledResult<Result>) => Ending,
): { result: Promise<Result>; ended: Promise<Ending> } {
	const result = run();
	// Promise.allSettled has results of another shape where the class was replaced, as by bluebird.
	const ended = result.then(
		(value) => describe({ status: "fulfilled", value }),
		(reason: unknown) => describe({ status: "rejected", reason }),
	);
	return { result, ended };
}
