import { createCapacityTable, RECOMMENDED } from "./capacity-table.ts";
import { formatCount } from "./format.ts";
import { findBytes, findRates, findSubject, type StoredBytes, type StoresRecord } from "./record.ts";

/** A table of a document. */
export interface DocumentTable {
	readonly head: readonly string[];
	readonly rows: readonly (readonly string[])[];
}

/** Where and how a run was recorded, in a sentence. */
export function describeRun({ recordedAt, machine, settings }: StoresRecord): string {
	return (
		`Recorded on ${recordedAt.slice(0, 10)} with Node ${machine.node.slice(1)} on ${machine.cores} cores (${machine.cpu}), ` +
		`which clients and servers shared; load ${machine.loadBefore} before the run, ${machine.loadAfter} at its end. ` +
		`Medians of ${settings.rounds} rounds of ${settings.roundMs} ms.\n`
	);
}

/** The tables of docs/scaling.md. */
export function createStoreTables(record: StoresRecord): Readonly<Record<string, DocumentTable>> {
	return {
		"store-calls": callsTable(record),
		"store-bytes": bytesTable(record),
		"store-speeds": speedsTable(record),
		"store-rates": ratesTable(record),
		"store-capacity": createCapacityTable(record),
	};
}

/** Stores that differ in their settings or clients alone make the same calls. */
function callsTable(record: StoresRecord): DocumentTable {
	return {
		head: [
			"store",
			"first delivery",
			"with `bindDelivery: false`",
			"repeat of a done event",
			"repeat in flight",
		],
		rows: ["redis", "postgres", "sqlite", "memory"].map((name) => {
			const { roundTrips } = findSubject(record, name);
			const { first, firstWithoutBinding, repeatOfDone, repeatInFlight } = roundTrips;
			return [
				name,
				...[first, firstWithoutBinding, repeatOfDone, repeatInFlight].map((calls) => formatCount(calls)),
			];
		}),
	};
}

function bytesTable(record: StoresRecord): DocumentTable {
	const row = (label: string, { doneEvent, boundDelivery }: StoredBytes, part = "total") => [
		label,
		formatCount(doneEvent[part] ?? Number.NaN),
		formatCount(boundDelivery[part] ?? Number.NaN),
	];
	const postgres = findBytes(record, RECOMMENDED.postgres);
	return {
		head: ["store", "a done event", "a bound delivery"],
		rows: [
			row("redis: memory", findBytes(record, RECOMMENDED.redis)),
			row("postgres: disk", postgres),
			row("– of it the indexes", postgres, "indexes"),
			row("– after `VACUUM FULL`", postgres, "after VACUUM FULL"),
			row("sqlite: disk", findBytes(record, "sqlite")),
			row("memory: heap", findBytes(record, "memory")),
		],
	};
}

function speedsTable({ subjects }: StoresRecord): DocumentTable {
	return {
		head: [
			"store",
			"server",
			"1 worker",
			"8 workers",
			"64 workers",
			"p50 / p99 with 8",
			"share of raw statements",
		],
		rows: subjects.map(({ name, server, speeds }) => {
			const cycles = speeds.filter(({ operation }) => operation === "full cycle");
			const eight = cycles.find(({ workers }) => workers === 8)?.store;
			const ratios = cycles.map(({ ratio }) => ratio?.toFixed(2) ?? "–");
			return [
				name,
				server === "none" ? "–" : server,
				...cycles.map(({ store }) => formatCount(store.perSecond, 2)),
				`${formatCount(eight?.p50Ms ?? Number.NaN, 2)} / ${formatCount(eight?.p99Ms ?? Number.NaN, 2)} ms`,
				ratios.every((ratio) => ratio === "–") ? "–" : ratios.join(" / "),
			];
		}),
	};
}

function ratesTable(record: StoresRecord): DocumentTable {
	return {
		head: ["store", "receivers", "events a second", "p50 / p99"],
		rows: findRates(record).map(({ store, receivers, perSecond, p50Ms, p99Ms }) => [
			store,
			String(receivers),
			formatCount(perSecond, 2),
			`${p50Ms} / ${p99Ms} ms`,
		]),
	};
}
