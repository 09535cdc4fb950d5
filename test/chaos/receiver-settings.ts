/** Which store a receiver opens, and where. */
export interface StoreAddress {
	readonly kind: "redis" | "postgres" | "sqlite";
	/** Of the server, or the file's path. */
	readonly address: string;
}

/** The settings of a receiver, in its environment. */
export interface ReceiverSettings {
	/** Its name in the journal; also decides which Redis client it uses. */
	readonly worker: number;
	readonly seed: number;
	readonly store: StoreAddress;
	readonly journalUrl: string;
}

export const SECRET = "chaos-webhook-secret";
export const LEASE_MS = 1_500;
export const STORE_TIMEOUT_MS = 1_000;

/** The variable that holds the settings as JSON. */
export const SETTINGS_VARIABLE = "CHAOS_RECEIVER";

/** The header with the token of the run that a request caused, if it caused one. */
export const RUN_HEADER = "x-chaos-run";

/** How the event ids of the orchestrator's own probes begin: they leave no effect. */
export const PROBE_PREFIX = "evt_probe_";
