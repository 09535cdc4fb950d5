/**
 * Remembers events in SQLite through your client: Cloudflare D1, Durable Objects, libsql, Bun.
 *
 * See [Stores](../../../../docs/stores.md#d1-durable-objects-libsql-and-bun).
 * @module messaging-gateway/stores/sqlite-client
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
export type { SqliteClient, SqliteClientOptions } from "../../stores/sqlite-client.ts";
export {
	type SqliteClientSendStore,
	sqliteClientSendStore,
	sqliteSendTable,
} from "../../stores/sqlite-client-send-store.ts";
export { type SqliteClientStore, sqliteClientStore, sqliteTable } from "../../stores/sqlite-client-store.ts";
