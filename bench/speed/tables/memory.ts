import { measureCallsInFlight } from "../../memory/calls-in-flight.ts";
import { compareSamples } from "../../memory/compare-samples.ts";
import { measureLargeBody } from "../../memory/large-body.ts";
import { readLiveHeap } from "../../memory/live-heap.ts";
import { createClaims, createVerifications, type LongRun } from "../../memory/long-runs.ts";
import type { CaseRecord } from "../record.ts";
import type { SpeedTable } from "../table.ts";

const RUNS = 1_000_000;
const SAMPLES = 50;

/** What is held in memory, which must not grow. */
export const table: SpeedTable = {
	title: "Memory",
	unit: "bytes",
	shows: "cost",
	async *openCases(): AsyncIterable<CaseRecord> {
		yield await measureLargeBody();
		yield await measureCallsInFlight();
		yield await measureLongRun(await createVerifications());
		yield await measureLongRun(await createClaims());
	},
};

async function measureLongRun({ name, runOnce }: LongRun): Promise<CaseRecord> {
	const heaps: number[] = [];
	for (let sample = 0; sample < SAMPLES; sample++) {
		for (let at = 0; at < RUNS / SAMPLES; at++) await runOnce();
		heaps.push(await readLiveHeap());
	}
	return compareSamples(`${RUNS.toLocaleString("en")} ${name}`, heaps);
}
