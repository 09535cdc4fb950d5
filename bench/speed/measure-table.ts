import type { CaseRecord, RunSettings, TableRecord } from "./record.ts";
import { measureSlice } from "./slice.ts";
import type { Case, SpeedTable } from "./table.ts";

/**
 * Measures the cases of a table.
 * @param onCase - called with the next case.
 */
export async function measureTable(
	name: string,
	table: SpeedTable,
	settings: RunSettings,
	onCase: (name: string) => void,
): Promise<TableRecord> {
	const closings: (() => unknown)[] = [];
	const cases: CaseRecord[] = [];
	try {
		for await (const next of table.openCases((close) => closings.unshift(close))) {
			onCase(next.name);
			cases.push(isMeasured(next) ? next : await measureCase(next, settings));
		}
	} finally {
		for (const close of closings) await close();
	}
	return { name, title: table.title, unit: table.unit ?? "ns", shows: table.shows ?? "speed", cases };
}

function isMeasured(next: Case | CaseRecord): next is CaseRecord {
	return next.contenders.every((contender) => "costs" in contender);
}

/** The first round is this many times as long, so that the engine has optimised the code before a round counts. */
const WARM_UP = 10;

/**
 * Contenders take turns within each round, so that other load of the machine affects all of them. Each round
 * starts with another one, and the first round is not counted.
 */
async function measureCase(next: Case, settings: RunSettings): Promise<CaseRecord> {
	const { contenders, concurrency, isWaitCounted, measure, rounds = settings.rounds } = next;
	const costs = contenders.map((): number[] => []);
	for (let round = 0; round <= rounds; round++) {
		for (let turn = 0; turn < contenders.length; turn++) {
			const at = (round + turn) % contenders.length;
			const contender = contenders[at];
			if (contender === undefined) continue;
			const sliceMs = round === 0 ? WARM_UP * settings.sliceMs : settings.sliceMs;
			const cost =
				(await measure?.(contender)) ??
				(await measureSlice(contender.run, { sliceMs, concurrency, isWaitCounted }));
			if (round > 0) costs[at]?.push(Number(cost.toPrecision(5)));
		}
	}
	return {
		name: next.name,
		contenders: contenders.map(({ name, role }, at) => ({ name, role, costs: costs[at] ?? [] })),
	};
}
