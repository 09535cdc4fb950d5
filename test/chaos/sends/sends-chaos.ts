import { Random } from "../random.ts";
import type { ChaosReport } from "../report.ts";
import { until } from "../until.ts";
import { Driver } from "./driver.ts";
import { JobBook } from "./job-book.ts";
import { findOpen, readOutcomes } from "./outcomes.ts";
import { Plan, type PlannedSend } from "./plan.ts";
import { makeSendsReport } from "./report.ts";
import type { SendStoreAddress } from "./settings.ts";
import { judgeSends } from "./verdict.ts";
import { type SendsWorld, startSendsWorld } from "./world.ts";

/** What kind of run it is. */
export interface SendsChaosOptions {
	readonly store: SendStoreAddress["kind"];
	readonly seed: number;
	readonly sends: number;
	readonly workers: number;
	/** The longest time for all sends. */
	readonly limitMs: number;
	/** Called every second. */
	readonly onProgress?: ((done: number, counts: Readonly<Record<string, number>>) => void) | undefined;
}

/** How many sends are under way at once, for each worker: a strike hits all that a worker is at. */
const CONCURRENCY = 3;

/**
 * Makes keyed sends by several processes over one store, while their workers are killed and stopped before each step, and
 * requests and responses are lost, cut and held back. A second of the machine is a minute for all of them.
 */
export async function runSendsChaos(options: SendsChaosOptions): Promise<ChaosReport> {
	const { seed, limitMs, store, onProgress } = options;
	const startedAt = performance.now();
	const book = new JobBook();
	await using world = await startSendsWorld(options, book);
	const { workers, proxy } = world;
	const random = new Random(seed);
	const plan = new Plan(options.sends, random);
	const over = AbortSignal.timeout(limitMs);
	const driver = new Driver({ ...world, random, over, run: (send) => workers.run(book.begin(send)) });
	const ticker = setInterval(() => onProgress?.(driver.done, { jobs: book.size }), 1_000);
	const problems: string[] = [];
	try {
		await driveAll(plan, driver, { ...options, world, book, over });
		await until(() => proxy.held === 0);
	} catch (error) {
		problems.push(`the run broke off: ${String(error)}`);
	} finally {
		clearInterval(ticker);
	}
	if (over.aborted) problems.push(`not all sends were done after ${limitMs} ms`);
	const outcomes = await readOutcomes(plan.sends, world);
	const seconds = Math.round((performance.now() - startedAt) / 1_000);
	return makeSendsReport({
		title: { store, seed, seconds },
		planned: plan.sends,
		outcomes,
		verdict: judgeSends(outcomes),
		book,
		driven: driver.counts,
		crashes: workers.crashes,
		problems,
	});
}

/** Drives all sends, until none is open and each strike and fault has happened. */
async function driveAll(
	plan: Plan,
	driver: Driver,
	{ workers, world, book, over }: { workers: number; world: SendsWorld; book: JobBook; over: AbortSignal },
): Promise<void> {
	for (let due: readonly PlannedSend[] = [...plan.sends]; due.length > 0 && !over.aborted; ) {
		const left = due.values();
		const driveOthers = async (): Promise<void> => {
			for (const send of left) await driver.drive(send);
		};
		await Promise.all(Array.from({ length: CONCURRENCY * workers }, driveOthers));
		await world.workers.idle();
		// A worker that was stopped may have sent nothing after all: the application goes on with what is open.
		due = [...(await findOpen(plan.sends, world)), ...plan.addMissing(book.strikes)];
	}
}
