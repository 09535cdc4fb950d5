import { calculateBytes, countRecords } from "./capacity.ts";
import { formatBytes, formatCount } from "./format.ts";
import { findBytes, type StoredBytes, type StoresRecord } from "./record.ts";
import type { DocumentTable } from "./tables.ts";

/** The settings that the capacity is calculated for: those that the guide recommends. */
export const RECOMMENDED = { redis: "redis, everysec", postgres: "postgres" } as const;

const EVENTS_PER_SECOND = [10, 1_000, 10_000];
const RETENTIONS = [
	{ label: "1 hour", retentionHours: 1 },
	{ label: "1 day", retentionHours: 24 },
	{ label: "7 days", retentionHours: 7 * 24 },
];

/** What a load keeps in each kind of store, calculated from the bytes of a run. */
export function createCapacityTable(record: StoresRecord): DocumentTable {
	const redis = toPieces(findBytes(record, RECOMMENDED.redis));
	const postgres = toPieces(findBytes(record, RECOMMENDED.postgres));
	return {
		head: ["events a second", "kept for", "records", "Redis, memory", "PostgreSQL, disk"],
		rows: EVENTS_PER_SECOND.flatMap((eventsPerSecond) =>
			RETENTIONS.map(({ label, retentionHours }) => {
				const load = { eventsPerSecond, retentionHours };
				const { events, deliveries } = countRecords(load);
				return [
					formatCount(eventsPerSecond),
					label,
					formatRecords(events + deliveries),
					formatBytes(calculateBytes(load, redis)),
					formatBytes(calculateBytes(load, postgres)),
				];
			}),
		),
	};
}

function toPieces({ doneEvent, boundDelivery }: StoredBytes) {
	return { doneEvent: doneEvent.total, boundDelivery: boundDelivery.total };
}

/** Records in thousands, millions or billions. */
function formatRecords(records: number): string {
	if (records < 1e6) return formatCount(records, 2);
	return records >= 1e9
		? `${formatCount(records / 1e9, 2)} billion`
		: `${formatCount(records / 1e6, 2)} million`;
}
