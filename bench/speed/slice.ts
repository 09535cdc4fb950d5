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

const { measure } = (await importPeer("mitata")) as Mitata;

/**
 * Runs something for one slice of time and returns the average of one run in nanoseconds. It is processor time, garbage
 * collection included, so that other load of the machine has little effect.
 */
export async function measureSlice(
	run: () => unknown,
	{ sliceMs, concurrency = 1, isWaitCounted = false }: SliceOptions,
): Promise<number> {
	const { avg } = await measure(run, {
		// Collecting garbage between slices would favour the contender that leaves most of it.
		gc: false,
		now: isWaitCounted ? () => performance.now() * 1e6 : readCpuTime,
		min_cpu_time: sliceMs * 1e6,
		min_samples: 1,
		batch_samples: 256,
		// The slowest samples stay: they are those in which garbage was collected.
		samples_threshold: Number.POSITIVE_INFINITY,
		concurrency,
	});
	return avg / concurrency;
}

function readCpuTime(): number {
	const { user, system } = process.cpuUsage();
	return (user + system) * 1000;
}
