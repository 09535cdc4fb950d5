import type { BusyReceivers } from "./busy-receivers.ts";
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
	readonly busy: BusyReceivers;
	readonly server: StoreServer;
	readonly random: Random;
	readonly leaseMs: number;
	readonly secret: string;
	/** Fires when the run is over, in time or not. */
	readonly over: AbortController;
}
