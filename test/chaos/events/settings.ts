import type { ChildSettings } from "../children.ts";
import type { StoreAddress } from "../servers.ts";

/** The settings of a receiver. The number of its process also decides which Redis client it uses. */
export interface ReceiverSettings extends ChildSettings {
	readonly seed: number;
	readonly store: StoreAddress;
	/** Whether its handler works in the transactions of an inbox, where it also writes its runs. */
	readonly hasInbox: boolean;
	/** Where it writes its runs otherwise. */
	readonly journalUrl: string;
}

export const SECRET = "chaos-webhook-secret";
export const STORE_TIMEOUT_MS = 1_000;
export const LEASE_MS = 1_500;
