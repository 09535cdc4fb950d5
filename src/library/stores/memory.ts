import { assertKnownKeys, assertPositiveInteger } from "../check-options.ts";
import { type Clock, monotonicNow, systemClock } from "../runtime.ts";
import { markImmediate } from "../store-calls/call-store.ts";
import { StoreError } from "../store-calls/store-error.ts";
import { AgedMap } from "./aged-map.ts";
import { DeadlineMap } from "./deadline-map.ts";
import type { ClaimState, ClaimTimes, DeliveryBinding, EventStore } from "./event-store.ts";

/** The options of {@link memoryStore}. */
export interface MemoryStoreOptions {
	/**
	 * The most events to remember. The store first forgets runs with an ended lease, then the events that were finished
	 * longest ago; never an event that is being processed. If only those are left, it rejects further events. It also
	 * remembers as many deliveries, to recognize a captured one under another id: each for 901 s with the default
	 * tolerance, or for the retention if it has a `receivedAt`. The default allows about 160 a second without one.
	 * @default 150_000
	 */
	maxEntries?: number | undefined;
	/** The clock to use. @default the system clock */
	clock?: Pick<Clock, "now" | "monotonicNow"> | undefined;
}

interface EventRecord {
	readonly token: number;
	attempt: number;
	state: "held" | "free" | "done";
	/** When the lease is over, if the event is held. */
	leaseEndsAt: number;
	expiresAt: number;
}

/** How many bindings that are over each new one replaces: more would make one delivery wait for a burst of old ones. */
const MAX_DROPPED = 2;

/**
 * Remembers events in this process, for development and tests. Use a shared store, such as `redisStore`, once your
 * application runs in several processes, or on a platform that starts one for each request. Its size is bounded.
 * @throws ConfigurationError if an option is unknown, or `maxEntries` is not an integer of at least 1.
 */
export function memoryStore(options: MemoryStoreOptions = {}): EventStore {
	assertKnownKeys("memoryStore options", options, ["maxEntries", "clock"]);
	const { maxEntries = 150_000, clock = systemClock } = options;
	assertPositiveInteger("maxEntries", maxEntries);
	const held = new DeadlineMap<EventRecord>();
	// In the order in which they were released or finished: the first one is the one to forget.
	const settled = new AgedMap<EventRecord>();
	const bindings = new DeadlineMap<string>();
	/** The largest token that was forgotten: the next claim of a forgotten event gets a larger one. */
	let forgottenToken = 0;

	function read(key: string): EventRecord | undefined {
		return held.get(key)?.value ?? settled.get(key);
	}

	/** The record of an event; one that has outlived its retention is forgotten. */
	function find(key: string, now: number): EventRecord | undefined {
		const record = read(key);
		if (record === undefined || record.expiresAt > now) return record;
		forget(key);
		return undefined;
	}

	function findHeld(key: string, token: number, now: number): EventRecord | undefined {
		const record = find(key, now);
		return record?.state === "held" && record.token === token ? record : undefined;
	}

	function settle(key: string, record: EventRecord, state: "free" | "done"): void {
		remove(key);
		record.state = state;
		settled.set(key, record);
	}

	function remove(key: string): void {
		if (!held.delete(key)) settled.delete(key);
	}

	function forget(key: string): void {
		forgottenToken = Math.max(forgottenToken, read(key)?.token ?? 0);
		remove(key);
	}

	function fullError(what: "events" | "deliveries"): StoreError {
		return new StoreError(
			`the memory store is full: it holds maxEntries, ${maxEntries} ${what}. Raise maxEntries, or use redisStore, postgresStore, …`,
		);
	}

	/** Forgets one record: of the held ones only one whose lease is over. */
	function makeRoom(now: number): void {
		if (held.size + settled.size < maxEntries) return;
		const key = held.firstOver(now) ?? settled.oldest()?.key;
		if (key === undefined) throw fullError("events");
		forget(key);
	}

	function claim(key: string, { leaseMs, retentionMs }: ClaimTimes, now: number): ClaimState {
		const known = find(key, now);
		if (known?.state === "done") return { status: "done" };
		if (known?.state === "held" && known.leaseEndsAt > now) {
			return { status: "in_flight", retryAfterMs: known.leaseEndsAt - now };
		}
		if (known !== undefined) remove(key);
		makeRoom(now);
		// The first token is the time: tokens grow over restarts as well.
		const token = Math.max((known?.token ?? forgottenToken) + 1, Math.floor(clock.now()));
		const attempt = (known?.attempt ?? 0) + 1;
		const leaseEndsAt = now + leaseMs;
		const expiresAt = now + Math.max(leaseMs, retentionMs);
		held.set(key, { token, attempt, state: "held", leaseEndsAt, expiresAt }, leaseEndsAt);
		return { status: "acquired", token, attempt };
	}

	/** The key that the delivery is bound to. */
	function bind(key: string, { digest, ttlMs }: DeliveryBinding, now: number): string {
		const known = bindings.get(digest);
		if (known !== undefined && known.endsAt > now) return known.value;
		for (let dropped = 0; dropped < MAX_DROPPED; dropped++) {
			const over = bindings.firstOver(now);
			if (over !== undefined) bindings.delete(over);
		}
		if (bindings.size >= maxEntries) throw fullError("deliveries");
		bindings.set(digest, key, now + ttlMs);
		return key;
	}

	return markImmediate<EventStore>({
		async claim(key, times, binding) {
			const now = monotonicNow(clock);
			const boundKey = binding === undefined ? key : bind(key, binding, now);
			const claimed = claim(boundKey, times, now);
			return boundKey === key ? claimed : { ...claimed, boundKey };
		},

		async extend(key, token, leaseMs) {
			const now = monotonicNow(clock);
			const record = findHeld(key, token, now);
			if (record === undefined) return false;
			record.leaseEndsAt = now + leaseMs;
			record.expiresAt = Math.max(record.expiresAt, record.leaseEndsAt);
			held.set(key, record, record.leaseEndsAt);
			return true;
		},

		async complete(key, token, retentionMs) {
			const now = monotonicNow(clock);
			const record = find(key, now);
			if (record === undefined || record.token !== token || record.state === "free") return false;
			record.expiresAt = now + retentionMs;
			settle(key, record, "done");
			return true;
		},

		async release(key, token, { unused = false } = {}) {
			const record = findHeld(key, token, monotonicNow(clock));
			if (record === undefined) return false;
			if (unused) record.attempt--;
			settle(key, record, "free");
			return true;
		},
	});
}
