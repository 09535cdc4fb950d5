/** What a contender is: this package, another that does the same work, or the least that the work can cost. */
export type Role = "ours" | "peer" | "floor";

/** Something that does the work of a case. Its result is checked before it is measured. */
export interface Contender {
	/** The same in every case of its table. */
	readonly name: string;
	readonly role: Role;
	/** Does the work once, and uses the result. */
	readonly run: () => unknown;
}

/** What something cost, in the unit of its case, and other figures of the same run by their names. */
export interface Figures {
	readonly cost: number;
	readonly more?: Readonly<Record<string, number>>;
}

/** A contender that measures itself once in a round, such as a process. */
export interface MeasuredContender extends Pick<Contender, "name" | "role"> {
	readonly measure: () => Promise<Figures>;
}

/** Contenders that do the same work. A floor stands after those that are compared with it. */
export interface Case extends Partial<Pick<Settings, "rounds" | "sliceMs">> {
	/** Short, and the same from run to run. */
	readonly name: string;
	readonly contenders: readonly (Contender | MeasuredContender)[];
	/** Of the costs. @default nanoseconds */
	readonly costUnit?: CaseRecord["unit"];
	/** How many runs are in flight at a time. @default 1 */
	readonly concurrency?: number;
	/** Whether waiting counts, as for the response of another process; otherwise only processor time counts. */
	readonly isWaitCounted?: boolean;
}

/** Registers a function that runs at the end, to clean up; the last one runs first. */
export type AtEnd = (close: () => unknown) => void;

/** How a run measures. */
export interface Settings {
	/** Rounds that count. */
	readonly rounds: number;
	/** How long one contender runs in a round. */
	readonly sliceMs: number;
	/** How many events a store gets to measure their bytes, or the largest size that costs grow with. */
	readonly size: number;
}

/**
 * Creates cases one after the other, each when the previous one has been measured. A case whose figures do not vary,
 * or that measures its contenders in an order of its own, is a record already.
 */
export type OpenCases = (atEnd: AtEnd, settings: Settings) => AsyncIterable<Case | CaseRecord>;

/** A table before it is measured, which is in a process of its own. */
export interface Table extends Pick<TableRecord, "shows" | "maxExponent"> {
	readonly open: () => Promise<OpenCases>;
}

/** What was measured for a table. */
export interface TableRecord {
	readonly name: string;
	/** What a document shows: the speed against the floor, the cost, or how often the work is done in a second. */
	readonly shows: "speed" | "cost" | "rate";
	/** The largest exponent with which the cost may grow from case to case. */
	readonly maxExponent?: number;
	readonly cases: readonly CaseRecord[];
}

/** What was measured for a case. */
export interface CaseRecord {
	readonly name: string;
	readonly unit: "ns" | "bytes" | "percent" | "calls";
	readonly contenders: readonly ContenderRecord[];
}

/** What one run of a contender cost in each round; the same place is the same round for all of a case. */
export interface ContenderRecord extends Pick<Contender, "name" | "role"> {
	readonly costs: readonly number[];
	/** Medians of other figures of the rounds: `p50Ms` and `p99Ms` of single runs, where waiting counts. */
	readonly more?: Readonly<Record<string, number>>;
}

/** The record of figures that one measurement gives. */
export function record(
	name: string,
	unit: CaseRecord["unit"],
	figures: Readonly<Record<string, number | readonly number[]>>,
	roles: Readonly<Record<string, Role>> = {},
): CaseRecord {
	const contenders = Object.entries(figures).map(([contender, costs]) => ({
		name: contender,
		role: roles[contender] ?? "ours",
		costs: [costs].flat(),
	}));
	return { name, unit, contenders };
}

/** A part of a record by its name; throws if the run left it out. */
export function findNamed<Part extends { readonly name: string }>(
	parts: readonly Part[],
	name: string,
): Part {
	const part = parts.find((other) => other.name === name);
	if (part === undefined) throw new Error(`the record lacks ${name}`);
	return part;
}

/** The contenders up to each floor: what is compared with it. */
export function groupByFloor({ contenders }: CaseRecord): ContenderRecord[][] {
	const groups: ContenderRecord[][] = [[]];
	for (const [at, contender] of contenders.entries()) {
		groups.at(-1)?.push(contender);
		if (contender.role === "floor" && at < contenders.length - 1) groups.push([]);
	}
	return groups;
}

/** The middle one; of an even number of values the upper of the two in the middle. */
export function median(values: readonly number[]): number {
	return quantile(values, 0.5);
}

/** The quarter of the values that is smallest ends here, and the largest begins. */
export function quartiles(values: readonly number[]): [lower: number, upper: number] {
	return [quantile(values, 0.25), quantile(values, 0.75)];
}

function quantile(values: readonly number[], share: number): number {
	const sorted = values.toSorted((a, b) => a - b);
	return sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
}

/** What one run costs, by the fastest quarter of the rounds: whatever disturbs a round only adds to its cost. */
export function costOf({ costs }: Pick<ContenderRecord, "costs">): number {
	return quantile(costs, 0.25);
}

/** How often the work is done in a second. */
export function rateOf(contender: ContenderRecord): number {
	return 1e9 / costOf(contender);
}

/** Throws if a contender does not do its work correctly. */
export function prove(isRight: boolean, claim: string): void {
	if (!isRight) throw new Error(`not measured, since it is wrong: ${claim}`);
}

/** Whether a verifier rejects its input: by throwing, rejecting or returning false. */
export async function rejects(run: () => unknown): Promise<boolean> {
	try {
		return (await run()) === false;
	} catch {
		return true;
	}
}
