import { BINDING_MS } from "./times.ts";

/** What comes in, each event once; a repeat adds a bound delivery, but no event. */
export interface Load {
	readonly eventsPerSecond: number;
	readonly retentionHours: number;
}

/** What a store keeps of each event, in bytes. */
export interface StoredPieces {
	readonly doneEvent: number;
	/** It is kept as long as its delivery could be repeated by a stranger, whatever the retention is. */
	readonly boundDelivery: number;
}

const SECONDS_PER_HOUR = 60 * 60;

/** How many events and bound deliveries are kept once a load has lasted for its retention. */
export function countRecords({ eventsPerSecond, retentionHours }: Load): {
	events: number;
	deliveries: number;
} {
	return {
		events: eventsPerSecond * retentionHours * SECONDS_PER_HOUR,
		deliveries: Math.ceil((eventsPerSecond * BINDING_MS) / 1000),
	};
}

/** How many bytes of a store that takes. */
export function calculateBytes(load: Load, { doneEvent, boundDelivery }: StoredPieces): number {
	const { events, deliveries } = countRecords(load);
	return events * doneEvent + deliveries * boundDelivery;
}
