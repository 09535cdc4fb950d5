import { assertKnownKeys, assertPositiveInteger } from "../check-options.ts";
import { type Clock, monotonicNow, systemClock } from "../runtime.ts";
import { markImmediate } from "../store-calls/call-store.ts";
import { StoreError } from "../store-calls/store-error.ts";

/**
 * Remembers the nonces of signed requests, to reject replays.
 * @see Specification, section 5.1
 */
export interface NonceStore {
	/**
	 * Remembers a key for `ttlMs` milliseconds.
	 * @returns `true` if the key is new, `false` if it was seen before; anything else, such as the result of a query, is an
	 * error. If the store fails or is full, this rejects: the request is then rejected rather than accepted unchecked.
	 */
	remember(key: string, ttlMs: number): Promise<boolean>;
	/**
	 * Checks whether a key is remembered, without remembering it. It is called before a body is hashed, which makes a
	 * replay cheap; `remember` decides. Leave it out if a call costs more than hashing, as over a network.
	 */
	has?(key: string): Promise<boolean>;
}

/** The options of {@link memoryNonceStore}. */
export interface MemoryNonceStoreOptions {
	/**
	 * The most nonces to hold. While it is full, further ones are rejected. `verifyRequest` remembers each for 900 s by
	 * default, so the default allows about 330 requests a second.
	 * @default 300_000
	 */
	maxEntries?: number | undefined;
	/** The clock to use. It measures with `monotonicNow`, if there is one. @default the system clock */
	clock?: Pick<Clock, "now" | "monotonicNow"> | undefined;
}

/** Nonces are kept by when they are forgotten: a request looks at so many buckets, never at all nonces. */
const BUCKET_MS = 30_000;

/** How many nonces a new one may forget: all of a bucket would make one request wait for a burst of old ones. */
const MAX_DROPPED = 2;

/**
 * Remembers nonces in this process. Use a shared store, such as `redisStore`, once you verify in several processes. Its
 * size is bounded.
 * @throws ConfigurationError if an option is unknown, or `maxEntries` is not an integer of at least 1: NaN would be no limit.
 */
export function memoryNonceStore(options: MemoryNonceStoreOptions = {}): NonceStore {
	assertKnownKeys("memoryNonceStore options", options, ["maxEntries", "clock"]);
	const { maxEntries = 300_000, clock = systemClock } = options;
	assertPositiveInteger("maxEntries", maxEntries);
	const expiries = new Map<string, number>();
	const buckets = new Map<number, string[]>();

	function dropExpired(now: number): void {
		let dropped = 0;
		for (const [bucket, keys] of buckets) {
			if ((bucket + 1) * BUCKET_MS > now) continue;
			for (let key = keys.pop(); key !== undefined; key = keys.pop()) {
				// It may have been remembered again since, in a later bucket.
				if ((expiries.get(key) ?? 0) <= now && expiries.delete(key)) dropped++;
				if (dropped === MAX_DROPPED) return;
			}
			buckets.delete(bucket);
		}
	}

	return markImmediate<NonceStore>({
		async remember(key, ttlMs) {
			const now = monotonicNow(clock);
			dropExpired(now);
			const known = expiries.get(key);
			if (known !== undefined && known > now) return false;
			if (known === undefined && expiries.size >= maxEntries) {
				throw new StoreError(`the nonce store is full: ${maxEntries} nonces are held`);
			}
			const expiresAt = now + ttlMs;
			const bucket = Math.floor(expiresAt / BUCKET_MS);
			expiries.set(key, expiresAt);
			const keys = buckets.get(bucket);
			if (keys === undefined) buckets.set(bucket, [key]);
			else keys.push(key);
			return true;
		},
		async has(key) {
			return (expiries.get(key) ?? 0) > monotonicNow(clock);
		},
	});
}
