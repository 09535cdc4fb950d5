import { createHistogram } from "node:perf_hooks";
import {
	type AtEnd,
	type Case,
	type CaseRecord,
	type Contender,
	type Figures,
	median,
	type Settings,
	type Table,
	type TableRecord,
} from "./cases.ts";
import { WARM_UP_MS } from "./settings.ts";

/** Does something, and then what it has registered for the end. */
export async function withClosing<Result>(work: (atEnd: AtEnd) => Promise<Result>): Promise<Result> {
	const closings: (() => unknown)[] = [];
	try {
		return await work((close) => closings.unshift(close));
	} finally {
		for (const close of closings) await close();
	}
}

/** Measures the cases of a table. */
export function measureTable(
	name: string,
	{ open, ...about }: Table,
	settings: Settings,
): Promise<TableRecord> {
	return withClosing(async (atEnd) => {
		const cases: CaseRecord[] = [];
		for await (const next of (await open())(atEnd, settings)) {
			// Progress, where it does not mix with the result.
			process.stderr.write(`${name}: ${next.name}\n`);
			const warmUpMs = cases.length === 0 ? WARM_UP_MS.firstCase : WARM_UP_MS.otherCases;
			cases.push("unit" in next ? next : await measureCase({ ...settings, ...next }, warmUpMs));
		}
		return { name, ...about, cases };
	});
}

/**
 * Contenders take turns within each round, so that other load of the machine affects all of them. Each round
 * starts with another one, and the first round is not counted.
 */
async function measureCase(next: Case & Settings, warmUpMs: number): Promise<CaseRecord> {
	const { name, contenders, costUnit = "ns", rounds, sliceMs, concurrency = 1 } = next;
	const measureSlice = next.isWaitCounted ? measureElapsedTime : measureProcessorTime;
	const slices = contenders.map((): Figures[] => []);
	for (let round = 0; round <= rounds; round++) {
		for (let turn = 0; turn < contenders.length; turn++) {
			const at = (round + turn) % contenders.length;
			const contender = contenders[at];
			if (contender === undefined) continue;
			const ms = round === 0 ? Math.max(sliceMs, warmUpMs) : sliceMs;
			const slice =
				"measure" in contender
					? await contender.measure()
					: await measureSlice(contender.run, ms, concurrency);
			if (round > 0) slices[at]?.push(slice);
		}
	}
	return { name, unit: costUnit, contenders: contenders.map((one, at) => summarize(one, slices[at])) };
}

function summarize({ name, role }: Pick<Contender, "name" | "role">, slices: readonly Figures[] = []) {
	const costs = slices.map(({ cost }) => Number(cost.toPrecision(5)));
	const others = Object.keys(slices[0]?.more ?? {}).map((figure) => {
		const values = slices.flatMap(({ more }) => more?.[figure] ?? []);
		return [figure, Number(median(values).toFixed(4))] as const;
	});
	return { name, role, costs, ...(others.length > 0 && { more: Object.fromEntries(others) }) };
}

/** How many parts a slice has at least: reading the time costs more than many a run. */
const BATCHES = 10;

/**
 * It includes garbage collection, and other load of the machine has little effect on it. A library that measures would
 * leave garbage of its own, which is collected while the next contender runs.
 */
async function measureProcessorTime(
	run: () => unknown,
	sliceMs: number,
	concurrency: number,
): Promise<Figures> {
	const runAll = concurrency === 1 ? run : () => Promise.all(Array.from({ length: concurrency }, run));
	const [start, sliceNs] = [readCpuTime(), sliceMs * 1e6];
	let runs = 0;
	for (let batch = 1, spent = 0; ; ) {
		for (let at = 0; at < batch; at++) {
			const result = runAll();
			if (result instanceof Promise) await result;
		}
		runs += batch;
		const before = spent;
		spent = readCpuTime() - start;
		if (spent >= sliceNs) return { cost: spent / (runs * concurrency) };
		if (spent - before < sliceNs / BATCHES) batch *= 2;
	}
}

/** In nanoseconds. */
function readCpuTime(): number {
	const { user, system } = process.cpuUsage();
	return (user + system) * 1000;
}

/** Each of the loops starts its next run as soon as its last one has ended, as callers do that wait for a response. */
async function measureElapsedTime(run: () => unknown, sliceMs: number, loops: number): Promise<Figures> {
	const latencies = createHistogram();
	const start = performance.now();
	let runs = 0;
	async function repeat(): Promise<void> {
		for (let before = start; before - start < sliceMs; ) {
			await run();
			const after = performance.now();
			latencies.record(Math.max(1, Math.round((after - before) * 1e6)));
			runs++;
			before = after;
		}
	}
	await Promise.all(Array.from({ length: loops }, repeat));
	const cost = ((performance.now() - start) * 1e6) / runs;
	return { cost, more: { p50Ms: latencies.percentile(50) / 1e6, p99Ms: latencies.percentile(99) / 1e6 } };
}
