/**
 * Remembers events in DynamoDB, for any number of processes.
 *
 * See [Stores](../../../../docs/stores.md#dynamodb).
 * @module messaging-gateway/stores/dynamodb
 */
export { ConfigurationError } from "../../errors.ts";
export type { Clock } from "../../runtime.ts";
export type { NonceStore } from "../../signing/nonce-store.ts";
export type {
	DynamodbCondition,
	DynamodbGetInput,
	DynamodbItem,
	DynamodbPutInput,
	DynamodbValue,
} from "../../stores/dynamodb-records.ts";
export {
	type DynamodbClient,
	type DynamodbStore,
	type DynamodbStoreOptions,
	dynamodbStore,
} from "../../stores/dynamodb-store.ts";
export type {
	ClaimResult,
	ClaimState,
	ClaimTimes,
	DeliveryBinding,
	EventStore,
	ReleaseOptions,
} from "../../stores/event-store.ts";
