import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { JudgedChange } from "./judge-changes.ts";

const FILE = join(import.meta.dirname, "../generated.json");

/** What came of the changes of one place. */
export interface PlaceRecord {
	/** How many of them a test noticed. */
	readonly killed: number;
	/** The others, by their names. */
	readonly living: readonly string[];
}

/** By the file, and by the place in it. */
export type MutantRecord = Readonly<Record<string, FileRecord>>;

type FileRecord = Readonly<Record<string, PlaceRecord>>;

/** A file before and after. */
export interface FileComparison {
	readonly file: string;
	readonly now: FileRecord;
	readonly killed: number;
	readonly all: number;
	/** How many were killed before; `undefined` if the file has no record. */
	readonly killedBefore: number | undefined;
	/** What lives and did not live in the record, as `place: name`. */
	readonly lost: readonly string[];
}

/** Compares changes with the record, a file at a time. */
export function compareWithRecord(changes: readonly JudgedChange[], record: MutantRecord): FileComparison[] {
	return Array.from(
		Map.groupBy(changes, ({ file }) => file),
		([file, own]) => {
			const before = record[file];
			const now = summarize(own);
			const lost = Object.entries(now).flatMap(([place, { living }]) =>
				before === undefined
					? []
					: living
							.filter((name) => before[place]?.living.includes(name) !== true)
							.map((name) => `${place}: ${name}`),
			);
			return {
				file,
				now,
				killed: countKilled(now),
				all: own.length,
				killedBefore: before && countKilled(before),
				lost,
			};
		},
	);
}

/** The record with the files that lost nothing. */
export function improveRecord(record: MutantRecord, comparisons: readonly FileComparison[]): MutantRecord {
	const improved = comparisons.flatMap(({ file, now, lost }) =>
		lost.length > 0 ? [] : [[file, now] as const],
	);
	const files = Object.entries({ ...record, ...Object.fromEntries(improved) });
	return Object.fromEntries(files.sort(([one], [other]) => (one < other ? -1 : 1)));
}

export function readRecord(): MutantRecord {
	return JSON.parse(readFileSync(FILE, "utf8"));
}

export function writeRecord(record: MutantRecord): void {
	writeFileSync(FILE, `${JSON.stringify(record, null, "\t")}\n`);
}

function summarize(changes: readonly JudgedChange[]): FileRecord {
	const places = Array.from(
		Map.groupBy(changes, ({ place }) => place),
		([place, own]) => {
			const living = own.filter(({ isKilled }) => !isKilled).map(({ name }) => name);
			return [place, { killed: own.length - living.length, living }] as const;
		},
	);
	return Object.fromEntries(places);
}

function countKilled(record: FileRecord): number {
	return Object.values(record).reduce((sum, { killed }) => sum + killed, 0);
}
