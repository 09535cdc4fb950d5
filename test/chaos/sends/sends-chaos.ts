import type { ChaosCommand } from "../options.ts";
import { Random } from "../random.ts";
import { type ChaosReport, TRIES } from "../report.ts";
import { until } from "../until.ts";
import { type Progress, Watch } from "../watch.ts";
import { Driver } from "./driver.ts";
import { JobBook } from "./job-book.ts";
import { findOpen, readOutcomes } from "./outcomes.ts";
import { Plan, type PlannedSend } from "./plan.ts";
import type { SendStoreAddress } from "./settings.ts";
import { judgeSends } from "./verdict.ts";
import { type SendsWorld, startSendsWorld } from "./world.ts";

/** How many sends are under way at once, for each worker: a strike hits all that a worker is at. */
const CONCURRENCY = 3;

/**
 * Makes keyed sends by several processes over one store, while their workers are killed and stopped before each step, and
 * requests and responses are lost, cut and held back. A second of the machine is a minute for all of them.
 */
export async function runSendsChaos(
	store: SendStoreAddress["kind"],
	command: ChaosCommand,
): Promise<ChaosReport> {
	const { seed } = command;
	const startedAt = performance.now();
	const book = new JobBook();
	await using world = await startSendsWorld({ ...command, store }, book);
	const { workers, proxy } = world;
	const random = new Random(seed);
	const plan = new Plan(command.sends, random);
	const readProgress: Progress = () => ({ "sends done": driver.done, "faults struck": book.struckCount });
	using watch = new Watch(readProgress);
	const { over } = watch;
	const driver = new Driver({ ...world, random, over, run: (send) => workers.run(book.begin(send)) });
	const problems: string[] = [];
	try {
		await driveAll(plan, driver, { ...command, world, book, over });
		await until(() => proxy.held === 0);
	} catch (error) {
		problems.push(`the run broke off: ${String(error)}`);
	}
	if (watch.hasStalled) problems.push(watch.describeStall(`${[...driver.pending].join(", ")} not at an end`));
	const { outcomes, undelivered } = await readOutcomes(plan.sends, world, over);
	const counts = {
		seed: String(seed),
		seconds: Math.round((performance.now() - startedAt) / 1_000),
		jobs: book.size,
		...driver.counts,
		"late arrivals accepted": book.lateArrivals.accepted,
		"late arrivals refused": book.lateArrivals.refused,
	};
	const { strikes, sentAfterLease, acceptedTooLate } = book;
	const seen = { planned: plan.sends, outcomes, strikes, sentAfterLease, acceptedTooLate, undelivered };
	return { ...judgeSends({ counts, ...seen, crashes: workers.crashes, problems }), journal: seen };
}

/** Drives all sends, until none is open and each strike and fault has happened, or was tried often enough. */
async function driveAll(
	plan: Plan,
	driver: Driver,
	{ workers, world, book, over }: { workers: number; world: SendsWorld; book: JobBook; over: AbortSignal },
): Promise<void> {
	let due: readonly PlannedSend[] = [...plan.sends];
	for (let tries = 0; due.length > 0 && !over.aborted; tries++) {
		const left = due.values();
		const driveOthers = async (): Promise<void> => {
			for (const send of left) await driver.drive(send);
		};
		await Promise.all(Array.from({ length: CONCURRENCY * workers }, driveOthers));
		await world.workers.idle();
		// A worker that was stopped may have sent nothing after all: the application goes on with what is open.
		const missing = tries < TRIES ? plan.addMissing(book.strikes) : [];
		due = [...(await findOpen(plan.sends, world)), ...missing];
	}
}
