/**
 * Remembers events in Redis, for any number of processes.
 *
 * See [Stores](../../../../docs/stores.md#redis).
 * @module messaging-gateway/stores/redis
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
export {
	fromIoredis,
	fromNodeRedis,
	type IoredisClient,
	type NodeRedisClient,
	type RedisScripting,
	type RedisStoreOptions,
	redisStore,
} from "../../stores/redis-store.ts";
