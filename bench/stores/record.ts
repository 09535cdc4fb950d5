import type { Operation } from "./contenders.ts";
import type { Figures } from "./measure.ts";
import type { Sizes } from "./subject.ts";

/** One run of the benchmark, as it is kept in a file. */
export interface StoresRecord {
	/** In ISO 8601. */
	readonly recordedAt: string;
	readonly machine: Machine;
	readonly settings: RunSettings;
	readonly subjects: readonly SubjectRecord[];
	/** Missing from a run of some stores alone. */
	readonly rates?: readonly SustainedRate[];
}

/** Where it ran: client, servers and benchmark share this machine. */
export interface Machine {
	readonly node: string;
	readonly platform: string;
	readonly cpu: string;
	readonly cores: number;
	/** How many processes wanted a core in the minute before the run. */
	readonly loadBefore: number;
	/** The same at its end, when the benchmark and a server of its own are two of them. */
	readonly loadAfter: number;
}

/** How it was measured. */
export interface RunSettings {
	readonly rounds: number;
	readonly roundMs: number;
	/** How many events, and as many bound deliveries, were stored to measure their bytes. */
	readonly events: number;
}

/** What was measured of one store on one server. */
export interface SubjectRecord {
	readonly name: string;
	readonly server: string;
	readonly client: string;
	readonly speeds: readonly Speed[];
	/** A store in memory is measured only with `--expose-gc`. */
	readonly bytes?: StoredBytes;
	/** The updates of PostgreSQL that wrote to no index (HOT), of 100. */
	readonly heapOnlyPercent?: number;
	readonly roundTrips: RoundTrips;
}

/** The speed of an operation, and that of the raw statements; a store in memory has no such peer. */
export interface Speed {
	readonly operation: Operation;
	readonly workers: number;
	readonly store: Figures;
	readonly raw?: Figures;
	/** The median over the rounds of the store's runs per second, divided by those of its peer in the same round. */
	readonly ratio?: number;
}

/** The size of one of each in the store, in bytes, by part. */
export interface StoredBytes {
	readonly doneEvent: Sizes;
	readonly boundDelivery: Sizes;
}

/** The highest rate at which receivers kept up with a producer that did not wait for them. */
export interface SustainedRate {
	/** The store and its server. */
	readonly store: string;
	/** How many processes of Express received. */
	readonly receivers: number;
	/** New events a second. */
	readonly perSecond: number;
	/** From when a delivery was due until its response. */
	readonly p50Ms: number;
	readonly p99Ms: number;
	/** New events that were delivered over all rates, each of them processed once. */
	readonly events: number;
	/** Deliveries that repeated one of them. */
	readonly repeats: number;
}

/** Calls of the store's client for one delivery, on average; a sweep now and then among them. */
export interface RoundTrips {
	readonly first: number;
	readonly firstWithoutBinding: number;
	readonly repeatOfDone: number;
	readonly repeatInFlight: number;
}

/** The measurements of a store; throws if the run left it out. */
export function findSubject({ subjects }: StoresRecord, name: string): SubjectRecord {
	const subject = subjects.find((other) => other.name === name);
	if (subject === undefined) throw new Error(`the record lacks ${name}: record a run of all stores`);
	return subject;
}

/** The rates of receivers; throws if the run left them out. */
export function findRates({ rates }: StoresRecord): readonly SustainedRate[] {
	if (rates === undefined) throw new Error("the record lacks the rates: record a run of all stores");
	return rates;
}

/** The bytes of a store; throws if they were not measured. */
export function findBytes(record: StoresRecord, name: string): StoredBytes {
	const { bytes } = findSubject(record, name);
	if (bytes === undefined) throw new Error(`the record lacks the bytes of ${name}: run it with --expose-gc`);
	return bytes;
}
