import pg from "pg";
import { WAIT_MS } from "../../support/patience.ts";
import { retry } from "../until.ts";
import type { JournaledRun, Outcome } from "./verdict.ts";

/** A row for every run of a handler: runs that must not be are seen rather than made impossible. */
const TABLES = `
CREATE TABLE runs (
	id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
	event_id text NOT NULL,
	worker int NOT NULL,
	token bigint NOT NULL,
	began_at timestamptz NOT NULL DEFAULT clock_timestamp(),
	ended_at timestamptz,
	has_effect boolean NOT NULL DEFAULT false,
	was_held boolean NOT NULL DEFAULT false,
	acknowledged text CHECK (acknowledged IN ('noted', 'unnoted'))
);
CREATE SEQUENCE commits;
`;

/** A run with its effect, for the transaction of an inbox: what it commits is done and recorded. */
export const INSERT_DONE = `INSERT INTO runs (event_id, worker, token, ended_at, has_effect, acknowledged)
VALUES ($1, $2, nextval('commits'), clock_timestamp(), true, 'noted')`;

/** One run of a handler. */
export interface Run {
	readonly id: string;
	readonly eventId: string;
	readonly token: number;
	readonly worker: number;
}

/** The table of runs, as a handler sees it. All it notes is repeated until it is there. */
export class Journal {
	readonly #pool: pg.Pool;

	constructor(url: string) {
		this.#pool = createPool(url);
	}

	/** Notes that a run begins. */
	async begin({ id, eventId, token, worker }: Run): Promise<void> {
		await this.#note(
			"INSERT INTO runs (id, event_id, token, worker) VALUES ($1, $2, $3, $4) ON CONFLICT (id) DO NOTHING",
			[id, eventId, token, worker],
		);
	}

	/** Notes that a run ends, with its effect or without. */
	async end({ id }: Run, hasEffect: boolean): Promise<void> {
		await this.#note("UPDATE runs SET ended_at = clock_timestamp(), has_effect = $2 WHERE id = $1", [
			id,
			hasEffect,
		]);
	}

	/** Notes what became of a run, before the response is sent. */
	async conclude(
		{ id }: Run,
		{ wasHeld, acknowledged }: Pick<JournaledRun, "wasHeld" | "acknowledged">,
	): Promise<void> {
		await this.#note("UPDATE runs SET was_held = $2, acknowledged = $3 WHERE id = $1", [
			id,
			wasHeld,
			acknowledged,
		]);
	}

	async #note(statement: string, values: unknown[]): Promise<void> {
		await retry(() => this.#pool.query(statement, values));
	}
}

/** The same table, as the judge sees it. */
export class JournalReader implements AsyncDisposable {
	readonly #pool: pg.Pool;
	readonly #hasInbox: boolean;

	constructor(url: string, hasInbox: boolean) {
		this.#pool = createPool(url);
		this.#hasInbox = hasInbox;
	}

	async createTables(): Promise<void> {
		await this.#pool.query(TABLES);
	}

	/** Reads everything: the runs, and the records beside them. */
	async read(): Promise<Pick<Outcome, "runs" | "records">> {
		const runs = await this.#query(
			`SELECT event_id, worker, token::float, has_effect, was_held, acknowledged,
				extract(epoch FROM began_at)::float AS began_at, extract(epoch FROM ended_at)::float AS ended_at FROM runs`,
		);
		const records = await this.#readRecords();
		return {
			runs: runs.map((row) => ({
				eventId: String(row["event_id"]),
				worker: Number(row["worker"]),
				token: Number(row["token"]),
				beganAt: Number(row["began_at"]),
				endedAt: row["ended_at"] === null ? null : Number(row["ended_at"]),
				hasEffect: row["has_effect"] === true,
				wasHeld: row["was_held"] === true,
				acknowledged: row["acknowledged"] as JournaledRun["acknowledged"],
			})),
			...(records && { records }),
		};
	}

	async #readRecords(): Promise<string[] | undefined> {
		if (!this.#hasInbox) return undefined;
		const rows = await this.#query(
			"SELECT substr(key, length('event:default:') + 1) AS id FROM messaging_gateway_records WHERE key LIKE 'event:default:%'",
		);
		return rows.map(({ id }) => String(id));
	}

	async #query(statement: string): Promise<Record<string, unknown>[]> {
		return (await this.#pool.query(statement)).rows;
	}

	[Symbol.asyncDispose](): Promise<void> {
		return this.#pool.end();
	}
}

function createPool(connectionString: string): pg.Pool {
	const pool = new pg.Pool({ connectionString, max: 10, connectionTimeoutMillis: WAIT_MS });
	// A connection that is cut while nobody uses it is replaced; without a listener it would end the process.
	pool.on("error", () => undefined);
	return pool;
}
