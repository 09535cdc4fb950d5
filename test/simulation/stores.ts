import { DatabaseSync } from "node:sqlite";
import type { EventStore } from "messaging-gateway/webhooks";
import type { PlayedPostgres } from "./postgres.ts";
import type { PlayedRedis } from "./redis.ts";
import type { Subject } from "./subject.ts";
import { Process, type World } from "./world.ts";

/** Sees what a store does with events, when it does it. */
export interface StoreWatcher {
	/** It has given a lease, or prolonged one. */
	claimed(key: string, token: number): void;
	/** It has marked an event as done. */
	completed(key: string, token: number): void;
}

/**
 * An empty store, as each process reaches it. One that binds and claims `isApart` does so in two steps, as a Redis cluster
 * and stores of somebody's own do; one that has a single way ignores it.
 */
export type OpenStore = (
	subject: Subject,
	world: World,
	watcher: StoreWatcher,
) => Promise<(process: Process, isApart: boolean) => EventStore>;

export const openMemoryStore: OpenStore = async (subject, world, watcher) => {
	const { clock } = new Process(world, "store", true);
	const store = subject.memoryStore({ clock: { ...clock, now: () => world.storeNow } });
	const watched: EventStore = {
		...store,
		async claim(key, times, binding) {
			const claim = await store.claim(key, times, binding);
			if (claim.status === "acquired") watcher.claimed(claim.boundKey ?? key, claim.token);
			return claim;
		},
		async extend(key, token, leaseMs) {
			const isHeld = await store.extend(key, token, leaseMs);
			if (isHeld) watcher.claimed(key, token);
			return isHeld;
		},
		async complete(key, token, retentionMs) {
			const isDone = await store.complete(key, token, retentionMs);
			if (isDone) watcher.completed(key, token);
			return isDone;
		},
	};

	/** Binds a delivery, and leaves the event as it was. */
	async function bind(...given: Parameters<EventStore["claim"]>): Promise<string> {
		const { boundKey = given[0], ...found } = await store.claim(...given);
		if (found.status === "acquired") await store.release(boundKey, found.token, { unused: true });
		return boundKey;
	}

	return (process, isApart) => {
		const reached = process.through("store", watched);
		if (!isApart) return reached;
		const { claim, extend, complete, release } = reached;
		return {
			async claim(key, times, binding) {
				const boundKey =
					binding === undefined ? key : await process.call("store.bind", () => bind(key, times, binding));
				const found = await claim(boundKey, times);
				return boundKey === key ? found : { ...found, boundKey };
			},
			extend,
			complete,
			release,
		};
	};
};

/** SQLite itself, with the world's time: a function of ours stands in for its `unixepoch`. */
export const openSqliteStore: OpenStore = async ({ sqliteClientStore, sqliteTable }, world, watcher) => {
	const database = openSqlite(world, sqliteTable());
	const seen = new SeenRecords(watcher);
	return (process) => {
		const query = seamOf(process, async (text, values) => {
			const rows = database(text, values);
			seen.update(database(RECORDS, []));
			return rows;
		});
		return sqliteClientStore({ query: sendingAgain(world, query) });
	};
};

/** PostgreSQL itself, with the world's time. */
export function openPostgresStore(postgres: PlayedPostgres): OpenStore {
	return async ({ postgresStore }, world, watcher) => {
		await postgres.begin(world);
		const seen = new SeenRecords(watcher);
		return (process) => {
			const query = seamOf(process, async (text, values) => {
				const result = await postgres.query(text, values);
				seen.update((await postgres.query(RECORDS, [])).rows);
				return result;
			});
			return postgresStore({ query: sendingAgain(world, query) });
		};
	};
}

/** The scripts in Redis itself, over keys that expire by the world's time. */
export function openRedisStore(redis: PlayedRedis): OpenStore {
	return async ({ redisStore }, world, watcher) => {
		await redis.begin(world);
		const seen = new SeenRecords(watcher);
		return (process, isApart) =>
			redisStore({
				oneServer: !isApart,
				eval: sendingAgain(world, (script: string, keys: string[], args: string[]) =>
					process.call(`script on ${keys.join(" and ")}`, async () => {
						const reply = await redis.run(script, keys, args);
						seen.update(await redis.records());
						return reply;
					}),
				),
			});
	};
}

type Row = Readonly<Record<string, unknown>>;
type Values = (string | number)[];

const RECORDS =
	"SELECT key, state, token, lease_ends_at FROM messaging_gateway_records WHERE state IN ('held', 'done')";

/** Sends a request once more whose response was lost, as some clients and proxies do. */
function sendingAgain<Given extends unknown[], Result>(
	{ random }: World,
	send: (...given: Given) => Promise<Result>,
): (...given: Given) => Promise<Result> {
	return (...given) =>
		send(...given).catch((error: unknown) => {
			if (random.chance(0.5)) return send(...given);
			throw error;
		});
}

/** Statements, each of which is a call through a seam. */
export function seamOf<Result>(
	process: Process,
	run: (text: string, values: Values) => Promise<Result>,
): (text: string, values: Values) => Promise<Result> {
	return (text, values) => {
		const [verb = ""] = text.trim().split(/\s/, 1);
		return process.call(`${verb} ${values[0] ?? ""}`, () => run(text, values));
	};
}

/** A database in memory. @returns what runs a statement in it. */
export function openSqlite(
	world: World,
	table: string,
): (text: string, values: Values) => Record<string, unknown>[] {
	const database = new DatabaseSync(":memory:");
	// The database holds its functions for ever, and with them whatever they see.
	const clock = new WeakRef(world);
	database.function("unixepoch", { varargs: true }, () => (clock.deref()?.storeNow ?? 0) / 1_000);
	database.exec(table);
	return (text, values) => database.prepare(text).all(...values);
}

/** Finds out from what stands in a store what it has done. */
export class SeenRecords {
	readonly #watcher: StoreWatcher;
	readonly #known = new Map<unknown, string>();

	constructor(watcher: StoreWatcher) {
		this.#watcher = watcher;
	}

	update(records: readonly Row[]): void {
		for (const { key, state, token, lease_ends_at } of records) {
			const now = state === "held" ? `held ${token} until ${lease_ends_at}` : `${state} ${token}`;
			if (this.#known.get(key) === now) continue;
			this.#known.set(key, now);
			if (state === "held") this.#watcher.claimed(String(key), Number(token));
			if (state === "done") this.#watcher.completed(String(key), Number(token));
		}
	}
}
