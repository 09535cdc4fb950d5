import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { measureTable } from "../../../bench/speed/measure-table.ts";
import type { CaseRecord } from "../../../bench/speed/record.ts";
import type { Case, SpeedTable } from "../../../bench/speed/table.ts";

beforeEach(() => {
	vi.useFakeTimers({ toFake: ["performance", "setTimeout"] });
});

afterEach(() => {
	vi.useRealTimers();
});

/** Measures one case, with time passing until it is measured. */
async function measure(next: Case | CaseRecord, table: Partial<SpeedTable> = {}) {
	const settings = { rounds: 3, sliceMs: 100 };
	const openCases = () => [next];
	const measuring = measureTable("name", { title: "Title", ...table, openCases }, settings, () => undefined);
	measuring.catch(() => undefined);
	await vi.runAllTimersAsync();
	return measuring;
}

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

test("a case that is a record already is kept as it is", async () => {
	const record: CaseRecord = { name: "bytes", contenders: [{ name: "a", role: "ours", costs: [7, 8] }] };
	expect(await measure(record, { unit: "bytes", shows: "cost" })).toEqual({
		name: "name",
		title: "Title",
		unit: "bytes",
		shows: "cost",
		cases: [record],
	});
});

test("where waiting counts, a run costs the time between two of them, however many are in flight", async () => {
	let running = 0;
	let most = 0;
	const takes = (ms: number) => async () => {
		most = Math.max(most, ++running);
		await wait(ms);
		running--;
	};
	const { cases } = await measure({
		name: "waits",
		concurrency: 4,
		isWaitCounted: true,
		contenders: [
			{ name: "ours", role: "ours", run: takes(10) },
			{ name: "floor", role: "floor", run: takes(5) },
		],
	});
	expect(most).toBe(4);
	const [ours, floor] = cases[0]?.contenders.map(({ costs }) => costs) ?? [];
	expect(ours).toEqual([2.5e6, 2.5e6, 2.5e6]);
	expect(floor).toEqual([1.25e6, 1.25e6, 1.25e6]);
});

test("a measure of its own is called once for each round that counts, and once to warm up", async () => {
	const costs = [1, 2, 3, 4];
	const { cases } = await measure({
		name: "own",
		measure: ({ run }) => Number(run()),
		contenders: [{ name: "ours", role: "ours", run: () => costs.shift() }],
	});
	expect(cases[0]?.contenders[0]?.costs).toEqual([2, 3, 4]);
});

test("what a table opened is closed once, the last one first, even if a case fails", async () => {
	const closed: string[] = [];
	const openCases: SpeedTable["openCases"] = (atEnd) => {
		atEnd(() => closed.push("first"));
		atEnd(() => closed.push("last"));
		throw new Error("a contender is wrong");
	};
	const settings = { rounds: 1, sliceMs: 1 };
	await expect(measureTable("name", { title: "T", openCases }, settings, () => undefined)).rejects.toThrow(
		"a contender is wrong",
	);
	expect(closed).toEqual(["last", "first"]);
});
