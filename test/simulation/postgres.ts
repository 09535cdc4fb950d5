import type { PostgresPool, PostgresPoolClient } from "messaging-gateway/stores/postgres";
import { postgresSendTable, postgresTable } from "messaging-gateway/stores/postgres";
import pg from "pg";
import { Process, type World } from "./world.ts";

/** A statement that waits for another one waits for a process that cannot go on: it fails, and so does the history. */
const LOCK_TIMEOUT_MS = 1_000;

/** How long the server does not notice that a client has gone. */
const UNNOTICED_MS = [0, 300, 20_000];

type Values = (string | number)[];

type Result = pg.QueryResult<Record<string, unknown>>;

/** A PostgreSQL at the time of a world: a function of ours is found before its `now()`. */
export class PlayedPostgres implements AsyncDisposable {
	readonly #pool: pg.Pool;
	#taken: ServerConnection[] = [];
	#world: World | undefined;
	#now = 0;

	private constructor(url: string) {
		this.#pool = new pg.Pool({
			connectionString: url,
			max: 60,
			options: `-c search_path=simulation,pg_catalog -c lock_timeout=${LOCK_TIMEOUT_MS} -c synchronous_commit=off`,
		});
	}

	static async open(url: string): Promise<PlayedPostgres> {
		const postgres = new PlayedPostgres(url);
		await postgres.#pool.query(`
CREATE SCHEMA simulation;
CREATE TABLE moment (ms bigint NOT NULL);
INSERT INTO moment VALUES (0);
CREATE FUNCTION now() RETURNS timestamptz LANGUAGE sql STABLE AS 'SELECT to_timestamp(ms / 1000.0) FROM moment';
CREATE TABLE effects (message text NOT NULL, run integer NOT NULL);
${postgresTable()}
${postgresSendTable()}`);
		return postgres;
	}

	/** Forgets everything, and lives in another world. */
	async begin(world: World): Promise<void> {
		await Promise.all(this.#taken.map((connection) => connection.end()));
		this.#taken = [];
		this.#world = world;
		await this.#pool.query(
			"DELETE FROM effects; DELETE FROM messaging_gateway_records; DELETE FROM messaging_gateway_sends",
		);
	}

	/** Runs a statement, which commits at once. */
	query(text: string, values: Values): Promise<Result> {
		return this.runAt(this.#pool, text, values);
	}

	/** Runs a statement of a connection. */
	async runAt(connection: Pick<pg.ClientBase, "query">, text: string, values: Values): Promise<Result> {
		const now = this.#world?.storeNow ?? 0;
		if (now !== this.#now) await this.#pool.query("UPDATE moment SET ms = $1", [now]);
		this.#now = now;
		try {
			return await connection.query(text, values);
		} catch (error) {
			if (error instanceof pg.DatabaseError && error.code === LOCK_NOT_AVAILABLE)
				this.#world?.fail("a statement waits for another worker");
			throw error;
		}
	}

	/** Opens a connection. */
	async connect(): Promise<ServerConnection> {
		const connection = new ServerConnection(this, await this.#pool.connect());
		this.#taken.push(connection);
		return connection;
	}

	/** The pool of a process. */
	poolOf(world: World, process: Process): PlayedPool {
		return new PlayedPool(world, process, this);
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await Promise.all(this.#taken.map((connection) => connection.end()));
		await this.#pool.end();
	}
}

const LOCK_NOT_AVAILABLE = "55P03";

/** A connection as the server has it. */
class ServerConnection {
	readonly #postgres: PlayedPostgres;
	readonly #connection: pg.PoolClient;
	#isOver = false;

	constructor(postgres: PlayedPostgres, connection: pg.PoolClient) {
		this.#postgres = postgres;
		this.#connection = connection;
	}

	async query(text: string, values: Values): Promise<Result> {
		if (this.#isOver) throw new Error("the server has ended the connection");
		return this.#postgres.runAt(this.#connection, text, values);
	}

	/** How long it may stand idle in its transaction, in milliseconds; 0 for ever. */
	async idleLimitMs(): Promise<number> {
		const { rows } = await this.#connection.query(
			"SELECT extract(epoch FROM current_setting('idle_in_transaction_session_timeout')::interval) * 1000 AS ms",
		);
		return Number(rows[0]?.["ms"]);
	}

	/** A connection that ends takes its transaction with it, and the names of its statements. */
	async end(): Promise<void> {
		if (this.#isOver) return;
		this.#isOver = true;
		await this.#connection.query("ROLLBACK; DEALLOCATE ALL");
		this.#connection.release();
	}
}

/** A pool without a limit, whose connections can be lost. */
export class PlayedPool implements PostgresPool<PlayedClient> {
	readonly #world: World;
	readonly #process: Process;
	readonly #postgres: PlayedPostgres;
	readonly #idle: PlayedClient[] = [];

	constructor(world: World, process: Process, postgres: PlayedPostgres) {
		this.#world = world;
		this.#process = process;
		this.#postgres = postgres;
	}

	connect(): Promise<PlayedClient>;
	connect(callback: (...results: never[]) => void): void;
	async connect(): Promise<PlayedClient> {
		const idle = this.#idle.pop();
		if (idle !== undefined) return idle;
		const connection = await this.#process.call("connect", () => this.#postgres.connect());
		const client: PlayedClient = new PlayedClient(this.#world, this.#process, connection, () => {
			if (!client.isBroken) this.#idle.push(client);
		});
		return client;
	}

	async query(text: string, values: Values): Promise<Result> {
		const client = await this.connect();
		try {
			return await client.query(text, values);
		} finally {
			client.release();
		}
	}
}

/** A connection as a process has it: what a fault does to a statement, it does to its connection. */
export class PlayedClient implements PostgresPoolClient {
	readonly #world: World;
	readonly #process: Process;
	readonly #server: Process;
	readonly #connection: ServerConnection;
	readonly #giveBack: () => void;
	readonly #listeners: ((error: Error) => void)[] = [];
	/** When the statement before is over: a connection has one at a time. */
	#last: Promise<unknown> = Promise.resolve();
	#idleLimitMs = 0;
	#cancelIdle: () => void = () => undefined;
	isBroken = false;
	/** Whether the server has ended it, which its process may not know. */
	isOver = false;

	constructor(world: World, process: Process, connection: ServerConnection, giveBack: () => void) {
		this.#world = world;
		this.#process = process;
		this.#connection = connection;
		this.#giveBack = giveBack;
		this.#server = new Process(world, "server", true);
		process.onEnd(() => this.#isGone());
	}

	on(_: "error", listener: (error: Error) => void): void {
		this.#listeners.push(listener);
	}

	query(text: string, values: Values = []): Promise<Result> {
		const [verb = ""] = text.trim().split(/\s/, 1);
		const result = this.#last.then(async () => {
			if (this.isBroken) throw new Error("the connection is lost");
			try {
				return await this.#process.call(`${verb} ${values[0] ?? ""}`, () => this.#run(text, values));
			} catch (error) {
				if (!(error instanceof pg.DatabaseError)) this.#lose();
				throw error;
			}
		});
		this.#last = result.catch(() => undefined);
		return result;
	}

	release(isDestroyed = false): void {
		if (isDestroyed) this.#close();
		this.#giveBack();
	}

	async #run(text: string, values: Values): Promise<Result> {
		this.#cancelIdle();
		try {
			const result = await this.#connection.query(text, values);
			this.#idleLimitMs = await this.#connection.idleLimitMs();
			return result;
		} finally {
			// A transaction that has failed stands idle as well.
			if (this.#idleLimitMs > 0)
				this.#cancelIdle = this.#server.clock.setTimer(() => this.#endIdle(), this.#idleLimitMs);
		}
	}

	/** The server ends a transaction that stands idle for too long; its client hears of that, or does not. */
	#endIdle(): void {
		this.#end("ends an idle transaction");
		this.#process
			.call("end of the connection", () => undefined)
			.then(
				() => this.#lose(),
				() => undefined,
			);
	}

	/** The client notices that there is no connection any more. */
	#lose(): void {
		if (this.isBroken) return;
		this.#close();
		for (const listener of this.#listeners) listener(new Error("the connection is lost"));
	}

	/** The client gives up the connection. */
	#close(): void {
		if (this.isBroken) return;
		this.isBroken = true;
		this.#process.call("close", () => this.#isGone()).catch(() => undefined);
	}

	/** The server notices in time that there is no client any more. */
	#isGone(): void {
		this.#server.clock.setTimer(
			() => this.#end("ends a lost connection"),
			this.#world.random.pick(UNNOTICED_MS),
		);
	}

	#end(what: string): void {
		this.#cancelIdle();
		this.isOver = true;
		void this.#server.call(what, () => this.#connection.end());
	}
}
