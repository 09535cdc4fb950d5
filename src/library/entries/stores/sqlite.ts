/**
 * Remembers events in a file of SQLite, for the processes of one machine.
 *
 * See [Stores](../../../../docs/stores.md#sqlite).
 * @module messaging-gateway/stores/sqlite
 */
export { ConfigurationError } from "../../errors.ts";
export type { NonceStore } from "../../signing/nonce-store.ts";
export type {
	ClaimResult,
	ClaimState,
	ClaimTimes,
	DeliveryBinding,
	EventStore,
	ReleaseOptions,
	SharedStore,
} from "../../stores/event-store.ts";
export type {
	ListSendRows,
	SendRow,
	SendStore,
	StoredSend,
	StoredSendState,
	SweepableSendStore,
} from "../../stores/send-store.ts";
export type { SqlStore } from "../../stores/sql-store.ts";
export { type SqliteSendStore, sqliteSendStore } from "../../stores/sqlite-send-store.ts";
export { type SqliteStore, type SqliteStoreOptions, sqliteStore } from "../../stores/sqlite-store.ts";
