/**
 * A store in PostgreSQL, for any number of processes.
 *
 * See [Stores](../../../docs/stores.md#postgresql).
 * @module messaging-gateway/stores/postgres
 */
export { ConfigurationError } from "../../errors.ts";
export type { NonceStore } from "../../signing/nonce-store.ts";
export type { ClaimResult, EventStore, ReleaseOptions, SharedStore } from "../../stores/event-store.ts";
export {
	type PostgresClient,
	type PostgresStore,
	type PostgresStoreOptions,
	postgresStore,
	postgresTable,
} from "../../stores/postgres-store.ts";
export type { SqlStore } from "../../stores/sql-store.ts";
