export { ConfigurationError } from "../errors.ts";
export type { NonceStore } from "../signing/nonce-store.ts";
export type { ClaimResult, EventStore, SharedStore } from "./event-store.ts";
export {
	fromIoredis,
	fromNodeRedis,
	type IoredisClient,
	type NodeRedisClient,
	type RedisScripting,
	type RedisStoreOptions,
	redisStore,
} from "./redis-store.ts";
