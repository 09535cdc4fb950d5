import { median } from "../stores/measure.ts";
import type { Machine } from "../stores/record.ts";
import type { Role, Shown, Unit } from "./table.ts";

/** One run of the benchmark, as it is kept in a file. */
export interface SpeedRecord {
	/** In ISO 8601. */
	readonly recordedAt: string;
	readonly machine: Machine;
	readonly settings: RunSettings;
	readonly tables: readonly TableRecord[];
}

/** How it was measured. */
export interface RunSettings {
	/** Rounds that count. */
	readonly rounds: number;
	/** How long one contender runs in a round. */
	readonly sliceMs: number;
}

/** What was measured for a table. */
export interface TableRecord {
	readonly name: string;
	readonly title: string;
	readonly unit: Unit;
	readonly shows: Shown;
	readonly cases: readonly CaseRecord[];
}

/** What was measured for a case. */
export interface CaseRecord {
	readonly name: string;
	readonly contenders: readonly ContenderRecord[];
}

/** What one run of a contender cost in each round; the same place is the same round for all of a case. */
export interface ContenderRecord {
	readonly name: string;
	readonly role: Role;
	readonly costs: readonly number[];
}

/** A table of the record; throws if the run left it out. */
export function findTable({ tables }: SpeedRecord, name: string): TableRecord {
	return found(
		tables.find((table) => table.name === name),
		`the table ${name}`,
	);
}

/** A case of a table; throws if it has none of this name. */
export function findCase({ cases, name: table }: TableRecord, name: string): CaseRecord {
	return found(
		cases.find((other) => other.name === name),
		`the case ${name} of ${table}`,
	);
}

/** A contender of a case; throws if it has none of this name. */
export function findContender({ contenders, name: place }: CaseRecord, name: string): ContenderRecord {
	return found(
		contenders.find((contender) => contender.name === name),
		`the contender ${name} of ${place}`,
	);
}

/** What one run costs. */
export function costOf({ costs }: ContenderRecord): number {
	return median(costs);
}

/** How many times as fast one is as another, or as small: the median of the ratios of each round. */
export function speedAgainst(one: ContenderRecord, other: ContenderRecord): number {
	return median(overRounds(one, other, (cost, otherCost) => otherCost / cost));
}

/** What one costs beyond another. */
export function excessOver(one: ContenderRecord, other: ContenderRecord): number {
	return median(overRounds(one, other, (cost, otherCost) => cost - otherCost));
}

function overRounds(
	one: ContenderRecord,
	other: ContenderRecord,
	compare: (cost: number, otherCost: number) => number,
): number[] {
	return one.costs.map((cost, round) => compare(cost, other.costs[round] ?? Number.NaN));
}

function found<Part>(part: Part | undefined, what: string): Part {
	if (part === undefined) throw new Error(`the record lacks ${what}`);
	return part;
}
