/**
 * Remembers events in PostgreSQL, in a store or an inbox, for any number of processes.
 *
 * See [Stores](../../../../docs/stores.md#postgresql).
 * @module messaging-gateway/stores/postgres
 */
export { ConfigurationError } from "../../errors.ts";
export type { Clock } from "../../runtime.ts";
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
export type { InboxClient } from "../../stores/guard-client.ts";
export type { Inbox, InboxEnding, InboxResult, InboxTimes } from "../../stores/inbox.ts";
export type { PostgresPool, PostgresPoolClient } from "../../stores/pool-transactions.ts";
export type { PostgresClient } from "../../stores/postgres-client.ts";
export {
	type PostgresInbox,
	type PostgresTransactions,
	postgresInbox,
} from "../../stores/postgres-inbox.ts";
export {
	type PostgresSendStore,
	postgresSendStore,
	postgresSendTable,
} from "../../stores/postgres-send-store.ts";
export {
	type PostgresOptions,
	type PostgresStore,
	postgresStore,
	postgresTable,
} from "../../stores/postgres-store.ts";
export type {
	ListSendRows,
	SendRow,
	SendStore,
	StoredSend,
	StoredSendState,
	SweepableSendStore,
} from "../../stores/send-store.ts";
export type { SqlStore } from "../../stores/sql-store.ts";
export type { PostgresTransaction, TransactionDone, TransactionFunction } from "../../stores/transactions.ts";
