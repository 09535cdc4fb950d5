import { setTimeout as sleep } from "node:timers/promises";
import type { Courier } from "./courier.ts";
import type { JournalReader } from "./journal.ts";
import type { Random } from "./random.ts";
import type { Receivers } from "./receivers.ts";
import type { StoreServer } from "./stores.ts";

/** Everything that a run consists of. */
export interface Scene {
	readonly receivers: Receivers;
	readonly courier: Courier;
	readonly journal: JournalReader;
	readonly server: StoreServer;
	readonly random: Random;
	/** Fires when the run is over, in time or not. */
	readonly over: AbortSignal;
}

/** How many events a fault waits for something to strike, at most. */
const PATIENCE_EVENTS = 1_600;

/** Looks until something is found. @returns `undefined` if it has not come within many events. */
export async function search<Found>(
	{ courier, over }: Scene,
	look: () => Found | undefined | Promise<Found | undefined>,
): Promise<Found | undefined> {
	const last = courier.acknowledged.size + PATIENCE_EVENTS;
	while (courier.acknowledged.size <= last) {
		const found = await look();
		if (found !== undefined) return found;
		await sleep(5, undefined, { signal: over });
	}
	return undefined;
}
