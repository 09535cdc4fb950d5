import pg from "pg";
import { WAIT_MS } from "../support/patience.ts";
import { retry, until } from "./until.ts";
import type { JournaledRun, Outcome } from "./verdict.ts";

/** The prefix of the receivers' connection names, so that their connections can be cut without the orchestrator's. */
const RECEIVER_PREFIX = "chaos-receiver-";

/**
 * The effects and the runs of handlers. Only `effects` is unique by event id: `runs` has a row for every run of a
 * handler, so that forbidden runs are seen rather than made impossible.
 */
const TABLES = `
CREATE TABLE IF NOT EXISTS effects (
	event_id text PRIMARY KEY,
	token bigint NOT NULL
);
CREATE TABLE IF NOT EXISTS runs (
	id uuid PRIMARY KEY,
	event_id text NOT NULL,
	token bigint NOT NULL,
	worker text NOT NULL,
	began_at timestamptz NOT NULL DEFAULT clock_timestamp(),
	ended text CHECK (ended IN ('written', 'rejected', 'failed')),
	ended_at timestamptz,
	was_held boolean,
	was_rejected boolean,
	acknowledged text CHECK (acknowledged IN ('noted', 'unnoted'))
);
CREATE INDEX IF NOT EXISTS runs_event_id ON runs (event_id);
CREATE INDEX IF NOT EXISTS runs_open ON runs (worker) WHERE ended IS NULL;
`;

/** One statement, so that an effect and its record are written together or not at all. It rejects a smaller token. */
const WRITE = `
WITH effect AS (
	INSERT INTO effects AS effect (event_id, token) VALUES ($2, $3)
	ON CONFLICT (event_id) DO UPDATE SET token = excluded.token WHERE effect.token < excluded.token
	RETURNING token
)
UPDATE runs SET ended_at = clock_timestamp(),
	ended = CASE WHEN EXISTS (SELECT FROM effect) THEN 'written' ELSE 'rejected' END
WHERE id = $1 RETURNING ended`;

/** One run of a handler. */
export interface Run {
	readonly id: string;
	readonly eventId: string;
	readonly token: number;
	readonly worker: string;
}

/** What became of a run. */
export interface RunEnd {
	/** Whether the lease still held when the run ended. */
	readonly wasHeld: boolean;
	/** Whether the store was called too late: the event was another worker's by then. */
	readonly wasRejected: boolean;
	/** Whether the run was acknowledged, and whether the store could record it. */
	readonly acknowledged: "noted" | "unnoted" | null;
}

/** The table of effects, as a handler sees it. */
export class Journal {
	readonly #pool: pg.Pool;

	constructor(url: string, worker: string) {
		this.#pool = createPool(url, RECEIVER_PREFIX + worker, 10);
	}

	/** Notes that a run begins. */
	async begin({ id, eventId, token, worker }: Run): Promise<void> {
		await this.#note(
			"INSERT INTO runs (id, event_id, token, worker) VALUES ($1, $2, $3, $4) ON CONFLICT (id) DO NOTHING",
			[id, eventId, token, worker],
		);
	}

	/**
	 * Writes the run's effect.
	 * @returns `false` if it was rejected: a run with a greater token has written.
	 */
	async write({ id, eventId, token }: Run): Promise<boolean> {
		// Not retried: a second result could not distinguish a stale write from one whose response was lost.
		const { rows } = await this.#pool.query(WRITE, [id, eventId, token]);
		return rows[0]?.ended === "written";
	}

	/** Notes that a run ended without an effect. */
	async fail({ id }: Run): Promise<void> {
		await this.#note(
			"UPDATE runs SET ended = 'failed', ended_at = clock_timestamp() WHERE id = $1 AND ended IS NULL",
			[id],
		);
	}

	/** Notes what became of a run, before the response is sent. */
	async conclude({ id }: Run, { wasHeld, wasRejected, acknowledged }: RunEnd): Promise<void> {
		await this.#note("UPDATE runs SET was_held = $2, was_rejected = $3, acknowledged = $4 WHERE id = $1", [
			id,
			wasHeld,
			wasRejected,
			acknowledged,
		]);
	}

	async #note(statement: string, values: unknown[]): Promise<void> {
		await retry(() => this.#pool.query(statement, values));
	}
}

/** The same tables, as the orchestrator sees them. */
export class JournalReader implements AsyncDisposable {
	readonly #pool: pg.Pool;

	constructor(url: string) {
		this.#pool = createPool(url, "chaos-orchestrator", 3);
	}

	/** Runs one statement. */
	async query(statement: string, values: unknown[] = []): Promise<Record<string, unknown>[]> {
		return (await this.#pool.query(statement, values)).rows;
	}

	async createTables(): Promise<void> {
		await this.#pool.query(TABLES);
	}

	/** How many runs fit a condition on `runs`. */
	async count(condition: string, values: unknown[] = []): Promise<number> {
		const [row] = await this.query(`SELECT count(*) FROM runs WHERE ${condition}`, values);
		return Number(row?.["count"]);
	}

	/** Reads everything. */
	async read(): Promise<Pick<Outcome, "effects" | "runs">> {
		const effects = await this.query("SELECT event_id, token FROM effects");
		const runs = await this.query(
			"SELECT *, extract(epoch FROM began_at) AS began_s, extract(epoch FROM ended_at) AS ended_s FROM runs",
		);
		return {
			effects: new Map(effects.map((row) => [String(row["event_id"]), Number(row["token"])])),
			runs: runs.map((row) => ({
				eventId: String(row["event_id"]),
				worker: String(row["worker"]),
				token: Number(row["token"]),
				beganAt: Number(row["began_s"]),
				endedAt: row["ended_s"] === null ? null : Number(row["ended_s"]),
				wasHeld: row["was_held"] === true,
				wasRejected: row["was_rejected"] === true,
				ended: row["ended"] as JournaledRun["ended"],
				acknowledged: row["acknowledged"] as JournaledRun["acknowledged"],
			})),
		};
	}

	/** Cuts the connections of all receivers. @returns how many there were. */
	async cutReceivers(): Promise<number> {
		const rows = await this.query(
			"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE starts_with(application_name, $1)",
			[RECEIVER_PREFIX],
		);
		return rows.length;
	}

	/** Waits until the statements of a killed receiver have taken effect. */
	async untilArrived(worker: string): Promise<void> {
		const isQuiet = async (): Promise<boolean> => {
			const statement = "SELECT FROM pg_stat_activity WHERE application_name = $1 AND state <> 'idle'";
			return (await this.query(statement, [RECEIVER_PREFIX + worker])).length === 0;
		};
		await until(isQuiet);
	}

	[Symbol.asyncDispose](): Promise<void> {
		return this.#pool.end();
	}
}

function createPool(connectionString: string, name: string, max: number): pg.Pool {
	const pool = new pg.Pool({
		connectionString,
		application_name: name,
		max,
		connectionTimeoutMillis: WAIT_MS,
	});
	// A connection that is cut while nobody uses it is replaced; without a listener it would end the process.
	pool.on("error", () => undefined);
	return pool;
}
