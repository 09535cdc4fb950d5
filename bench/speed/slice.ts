import { importPeer } from "../peers/load.ts";

/** The part of mitata that is used: it calls a function in batches until the time is over. */
interface Mitata {
	measure(run: () => unknown, options: MeasureOptions): Promise<{ avg: number }>;
}

interface MeasureOptions {
	gc: boolean;
	now: () => number;
	min_cpu_time: number;
	min_samples: number;
	batch_samples: number;
	samples_threshold: number;
	concurrency: number;
}

/** How long a slice takes, and how many runs of it are in flight at a time. */
export interface SliceOptions {
	readonly sliceMs: number;
	readonly concurrency?: number | undefined;
	/** Whether waiting counts, as for the response of another process. */
	readonly isWaitCounted?: boolean | undefined;
}

/** Runs something for one slice of time and returns the average of one run in nanoseconds. */
export function measureSlice(
	run: () => unknown,
	{ sliceMs, concurrency = 1, isWaitCounted = false }: SliceOptions,
): Promise<number> {
	return isWaitCounted
		? measureElapsedTime(run, sliceMs, concurrency)
		: measureProcessorTime(run, sliceMs, concurrency);
}

/** It includes garbage collection, and other load of the machine has little effect on it. */
async function measureProcessorTime(
	run: () => unknown,
	sliceMs: number,
	concurrency: number,
): Promise<number> {
	const { measure } = (await importPeer("mitata")) as Mitata;
	const { avg } = await measure(run, {
		// Collecting garbage between slices would favour the contender that leaves most of it.
		gc: false,
		now: readCpuTime,
		min_cpu_time: sliceMs * 1e6,
		min_samples: 1,
		batch_samples: 256,
		// The slowest samples stay: they are those in which garbage was collected.
		samples_threshold: Number.POSITIVE_INFINITY,
		concurrency,
	});
	return avg / concurrency;
}

/** Each of the loops starts its next run as soon as its last one has ended, as callers do that wait for a response. */
async function measureElapsedTime(run: () => unknown, sliceMs: number, loops: number): Promise<number> {
	const start = performance.now();
	let runs = 0;
	async function repeat(): Promise<void> {
		do {
			await run();
			runs++;
		} while (performance.now() - start < sliceMs);
	}
	await Promise.all(Array.from({ length: loops }, repeat));
	return ((performance.now() - start) * 1e6) / runs;
}

function readCpuTime(): number {
	const { user, system } = process.cpuUsage();
	return (user + system) * 1000;
}
