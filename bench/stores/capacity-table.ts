import { calculateCapacity, type Load } from "./capacity.ts";
import { formatBytes, formatCount } from "./format.ts";
import { findBytes, findSubject, type StoresRecord } from "./record.ts";
import type { DocumentTable } from "./tables.ts";

/** The settings that the capacity is calculated for: those that the guide recommends. */
export const RECOMMENDED = { redis: "redis, everysec", postgres: "postgres" } as const;

/** Of a server with 64 GB of memory, or a disk of 1 TB, half: the rest is for what rewrites the data now and then. */
const RECORD_BYTES = { redis: 32e9, postgres: 500e9 } as const;

/** How many workers keep a server busy in the speed that is calculated with. */
const BUSY_WORKERS = 64;

const EVENTS_PER_SECOND = [10, 1_000, 100_000];
const RETENTION_DAYS = [1, 7];

/** What one server of each kind holds, calculated from the bytes and the speeds of a run. */
export function createCapacityTable(record: StoresRecord): DocumentTable {
	const calculate = {
		redis: calculatorOf(record, "redis"),
		postgres: calculatorOf(record, "postgres"),
	};
	const loads = EVENTS_PER_SECOND.flatMap((eventsPerSecond) =>
		RETENTION_DAYS.map((retentionDays) => ({ eventsPerSecond, retentionDays })),
	);
	return {
		head: ["events a second", "kept for", "records", "Redis", "servers", "PostgreSQL", "servers"],
		rows: loads.map((load) => {
			const redis = calculate.redis(load);
			const postgres = calculate.postgres(load);
			return [
				formatCount(load.eventsPerSecond),
				load.retentionDays === 1 ? "1 day" : `${load.retentionDays} days`,
				formatRecords(redis.records),
				formatBytes(redis.bytes),
				redis.servers,
				formatBytes(postgres.bytes),
				postgres.servers,
			];
		}),
	};
}

/** The full cycles that one server did in a second. */
export function findBusySpeed(record: StoresRecord, name: string): number {
	const speed = findSubject(record, name).speeds.find(
		({ operation, workers }) => operation === "full cycle" && workers === BUSY_WORKERS,
	);
	if (speed === undefined) throw new Error(`the record lacks the speed of ${name}`);
	return speed.store.perSecond;
}

function calculatorOf(record: StoresRecord, kind: keyof typeof RECOMMENDED) {
	const name = RECOMMENDED[kind];
	const { doneEvent, boundDelivery } = findBytes(record, name);
	const pieces = { doneEvent: doneEvent.total, boundDelivery: boundDelivery.total };
	const limits = { bytes: RECORD_BYTES[kind], deliveriesPerSecond: findBusySpeed(record, name) };
	return (load: Load) => {
		const { records, bytes, serversForBytes, serversForDeliveries } = calculateCapacity(load, pieces, limits);
		return { records, bytes, servers: describeServers(serversForBytes, serversForDeliveries) };
	};
}

/** How many servers, and the resource that limits one alone. */
function describeServers(forBytes: number, forDeliveries: number): string {
	const count = Math.max(forBytes, forDeliveries);
	if (count === 1) return "1";
	return `${formatCount(count)} (${forBytes >= forDeliveries ? "bytes" : "speed"})`;
}

/** Records in millions or billions. */
function formatRecords(records: number): string {
	return records >= 1e9
		? `${formatCount(records / 1e9, 2)} billion`
		: `${formatCount(records / 1e6, 2)} million`;
}
