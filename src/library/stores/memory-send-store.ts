import { assertKnownKeys, assertPositiveInteger } from "../check-options.ts";
import { type Clock, systemClock } from "../runtime.ts";
import type { StoredSend, SweepableSendStore } from "./send-store.ts";

/** The options of {@link memorySendStore}. */
export interface MemorySendStoreOptions {
	/** The most sends to remember. Further ones are rejected. @default 100_000 */
	maxEntries?: number | undefined;
	/** The clock to use. @default the system clock */
	clock?: Pick<Clock, "now"> | undefined;
}

/**
 * Remembers sends in this process, for development and tests. A restart forgets every send, so a repeat sends again.
 * Its size is bounded, and only `sweep` makes room.
 * @throws ConfigurationError if an option is invalid.
 */
export function memorySendStore(options: MemorySendStoreOptions = {}): SweepableSendStore {
	assertKnownKeys("memorySendStore options", options, ["maxEntries", "clock"]);
	const { maxEntries = 100_000, clock = systemClock } = options;
	assertPositiveInteger("maxEntries", maxEntries);
	const rows = new Map<string, StoredSend & { readonly changedAt: number }>();
	const keys = new Map<string, string>();

	return {
		async read(key) {
			return { now: clock.now(), row: rows.get(key) };
		},

		async insert(key, { id, state, data }) {
			if (rows.has(key)) return false;
			if (rows.size >= maxEntries)
				throw new Error(
					`the memory store is full: it holds maxEntries, ${maxEntries} sends. Raise maxEntries, or use sqliteSendStore, postgresSendStore, …`,
				);
			rows.set(key, { key, version: 1, id, state, data, changedAt: clock.now() });
			keys.set(id, key);
			return true;
		},

		async replace(key, version, { state, data }) {
			const row = rows.get(key);
			if (row?.version !== version) return false;
			rows.set(key, { ...row, version: version + 1, state, data, changedAt: clock.now() });
			return true;
		},

		async find(id) {
			return keys.get(id);
		},

		async list({ state, after = "", limit }) {
			const found = [...rows.values()].filter((row) => row.state === state && row.key > after);
			found.sort((left, right) => (left.key < right.key ? -1 : 1));
			return { now: clock.now(), rows: found.slice(0, limit) };
		},

		async sweep(olderThanMs) {
			const before = clock.now() - olderThanMs;
			const old = [...rows.values()].filter(
				({ state, changedAt }) => (state === "accepted" || state === "given_up") && changedAt <= before,
			);
			for (const { key, id } of old) {
				rows.delete(key);
				keys.delete(id);
			}
			return old.length;
		},
	};
}
