import { BINDING_MS } from "./times.ts";

/** What comes in, each event once; a repeat adds a bound delivery, but no event. */
export interface Load {
	readonly eventsPerSecond: number;
	readonly retentionDays: number;
}

/** What a store keeps of each event, in bytes. */
export interface StoredPieces {
	readonly doneEvent: number;
	/** It is kept as long as its delivery could be repeated by a stranger, whatever the retention is. */
	readonly boundDelivery: number;
}

/** What one server holds, and how much it does. */
export interface ServerLimits {
	readonly bytes: number;
	readonly deliveriesPerSecond: number;
}

/** What a load needs once it has lasted for its retention. */
export interface Capacity {
	/** Events and bound deliverys. */
	readonly records: number;
	readonly bytes: number;
	/** How many servers hold the records. */
	readonly serversForBytes: number;
	/** How many servers keep up with the deliveries. */
	readonly serversForDeliveries: number;
}

const SECONDS_PER_DAY = 24 * 60 * 60;

/** Calculates what a load needs of one kind of store. */
export function calculateCapacity(load: Load, pieces: StoredPieces, limits: ServerLimits): Capacity {
	const { eventsPerSecond, retentionDays } = load;
	const events = eventsPerSecond * retentionDays * SECONDS_PER_DAY;
	const deliveries = Math.ceil((eventsPerSecond * BINDING_MS) / 1000);
	const bytes = events * pieces.doneEvent + deliveries * pieces.boundDelivery;
	return {
		records: events + deliveries,
		bytes,
		serversForBytes: Math.ceil(bytes / limits.bytes),
		serversForDeliveries: Math.ceil(eventsPerSecond / limits.deliveriesPerSecond),
	};
}
