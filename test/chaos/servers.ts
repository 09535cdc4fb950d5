import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { postgresSendStore, postgresStore } from "messaging-gateway/stores/postgres";
import { sqliteStore } from "messaging-gateway/stores/sqlite";
import pg from "pg";
import { WAIT_MS } from "../support/patience.ts";
import { startPgBouncer } from "../support/servers/pgbouncer-server.ts";
import { startPostgres } from "../support/servers/postgres-server.ts";
import { callRedis, startRedis } from "../support/servers/redis-server.ts";

/** Which store a process opens, and where. */
export interface StoreAddress {
	readonly kind: "redis" | "postgres" | "sqlite";
	/** Of the server, or the file's path. */
	readonly address: string;
}

/** Makes a store unreachable; the returned function makes it reachable again. */
export type Outage = () => Promise<() => Promise<void>>;

/** A store for all processes, and its faults. */
export interface StoreServer extends AsyncDisposable {
	readonly store: StoreAddress;
	/** Of a PostgreSQL, past any PgBouncer. */
	readonly directUrl?: string;
	/** Ways in which its server is stopped and started. */
	readonly restarts: readonly Outage[];
	/** Ways in which it does not respond for a while. */
	readonly hangs: readonly Outage[];
	/** Cuts all connections; absent if it has none. @returns how many there were. */
	readonly cut?: () => Promise<number>;
}

export async function startRedisStore(): Promise<StoreServer> {
	const server = await startRedis({ durable: true });
	const hang: Outage = async () => {
		await callRedis(server.port, "CLIENT PAUSE 60000 WRITE");
		return async () => {
			await callRedis(server.port, "CLIENT UNPAUSE");
		};
	};
	return {
		store: { kind: "redis", address: server.url },
		restarts: restartsOf(server, ["SIGTERM", "SIGKILL"]),
		hangs: [hang],
		cut: async () => Number((await callRedis(server.port, "CLIENT KILL TYPE normal")).match(/^:(\d+)/)?.[1]),
		[Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
	};
}

/** PostgreSQL with the tables of everything that it can store. */
export async function startPostgresStore(): Promise<StoreServer> {
	const server = await startPostgres();
	await using setup = new AsyncDisposableStack();
	setup.use(server);
	await withClient(server.url, async (client) => {
		await postgresStore(client).createTable();
		await postgresSendStore(client).createTable();
	});
	const hang: Outage = async () => {
		const client = await connect(server.url);
		await client.query("BEGIN; LOCK TABLE messaging_gateway_records, messaging_gateway_sends");
		return () => client.end();
	};
	const cut = (): Promise<number> =>
		withClient(server.url, async (client) => {
			const { rowCount } = await client.query(
				`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
				WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()`,
			);
			return rowCount ?? 0;
		});
	setup.move();
	return {
		store: { kind: "postgres", address: server.url },
		directUrl: server.url,
		restarts: restartsOf(server, ["SIGINT", "SIGKILL"]),
		hangs: [hang],
		cut,
		[Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
	};
}

/** PostgreSQL, and a PgBouncer before it, which is killed as well. */
export async function startPooledStore(): Promise<StoreServer> {
	await using setup = new AsyncDisposableStack();
	const postgres = setup.use(await startPostgresStore());
	const bouncer = setup.use(await startPgBouncer(postgres.store.address, "transaction", 8));
	const stack = setup.move();
	return {
		...postgres,
		store: { kind: "postgres", address: bouncer.url },
		restarts: [...postgres.restarts, ...restartsOf(bouncer, ["SIGKILL"])],
		[Symbol.asyncDispose]: () => stack.disposeAsync(),
	};
}

/** A file has no server and no connections; it hangs while another process holds its lock. */
export async function startSqliteStore(): Promise<StoreServer> {
	const folder = await mkdtemp(join(tmpdir(), "chaos-"));
	const path = join(folder, "store.db");
	sqliteStore({ path }).close();
	const lock: Outage = async () => {
		const database = new DatabaseSync(path, { timeout: WAIT_MS });
		database.exec("BEGIN EXCLUSIVE");
		return async () => database.close();
	};
	return {
		store: { kind: "sqlite", address: path },
		restarts: [],
		hangs: [lock],
		[Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
	};
}

function restartsOf<Signal>(
	server: { stop(signal: Signal): Promise<void>; start(): Promise<void> },
	signals: readonly Signal[],
): Outage[] {
	return signals.map((signal) => async () => {
		await server.stop(signal);
		return () => server.start();
	});
}

async function connect(connectionString: string): Promise<pg.Client> {
	const client = new pg.Client({ connectionString });
	client.on("error", () => undefined);
	await client.connect();
	return client;
}

async function withClient<Result>(url: string, use: (client: pg.Client) => Promise<Result>): Promise<Result> {
	const client = await connect(url);
	try {
		return await use(client);
	} finally {
		await client.end();
	}
}
