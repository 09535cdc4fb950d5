import { MAX_TIMER_MS, monotonicNow, sleep } from "../runtime.ts";
import type { InboxEnding, InboxResult, InboxTimes } from "./inbox.ts";
import { findCode } from "./postgres-errors.ts";
import { POSTGRES } from "./postgres-store.ts";
import {
	BrokenTransactionError,
	InboxDatabaseError,
	type PostgresTransaction,
	ROLLED_BACK,
	type Transactions,
	toStoreError,
} from "./transactions.ts";
import { withTimeout } from "./with-timeout.ts";

/** What a run needs besides its transactions. */
export interface InboxRunOptions {
	readonly table: string;
	/** A name that no handler gives to a savepoint of its own: `ROLLBACK TO` finds the latest one. */
	readonly savepoint: string;
	readonly key: string;
	readonly times: InboxTimes;
	/** Called for each record that is committed. */
	readonly countWrite: () => void;
}

/** The work is over, and its transaction must not commit. */
class RollBack extends Error {}

function noResponse(timeoutMs: number): InboxDatabaseError {
	return new InboxDatabaseError(`no response within ${timeoutMs} ms`);
}

export class InboxRun<Handle> {
	readonly #transactions: Transactions<Handle>;
	readonly #options: InboxRunOptions;
	/** The transaction's connection, while it is open. */
	#opened: PostgresTransaction<Handle> | undefined;
	/** The server's process for the connection, and the transaction's id. */
	#backend: { pid: number; xid: string } | undefined;
	#result: InboxResult | undefined;
	/** Fires when the caller stops waiting for the database. */
	readonly #givenUp = new AbortController();
	#isCommitting = false;
	#cancelLimit: () => void = () => undefined;
	#limitEndsAt = 0;
	#giveUp: (error: Error) => void = () => undefined;

	constructor(transactions: Transactions<Handle>, options: InboxRunOptions) {
		this.#transactions = transactions;
		this.#options = options;
	}

	async run(work: (transaction: Handle, lost?: AbortSignal) => Promise<InboxEnding>): Promise<InboxResult> {
		const givenUp = new Promise<never>((_, reject) => {
			this.#giveUp = reject;
		});
		this.#limit();
		try {
			const { signal } = this.#givenUp;
			const running = this.#transactions.transaction((opened) => this.#process(opened, work), signal);
			await Promise.race([running, givenUp]);
			await this.#assertCommitted();
			this.#options.countWrite();
		} catch (error) {
			if (error instanceof BrokenTransactionError) return { status: "broken", error };
			const code = findCode(error);
			if (this.#isCommitting && code !== undefined && /^(23|40)/.test(code)) {
				return { status: "broken", error: new BrokenTransactionError(`COMMIT was rejected (${code})`) };
			}
			// A library may wrap what its work rejects with.
			if (this.#result === undefined || this.#isCommitting) throw toStoreError(error, this.#options.table);
		} finally {
			this.#cancelLimit();
		}
		return this.#result ?? { status: "ended" };
	}

	/** Destroys the connection if the database does not respond in time. */
	#limit(): void {
		const { clock, storeTimeoutMs } = this.#options.times;
		this.#limitEndsAt = monotonicNow(clock) + storeTimeoutMs;
		this.#cancelLimit = clock.setTimer(() => {
			this.#giveUp(noResponse(storeTimeoutMs));
			this.#givenUp.abort();
			void this.#destroy();
		}, storeTimeoutMs);
	}

	async #process(
		opened: PostgresTransaction<Handle>,
		work: (transaction: Handle, lost?: AbortSignal) => Promise<InboxEnding>,
	): Promise<void> {
		// The connection came late, or a library repeats the work.
		if (this.#givenUp.signal.aborted || this.#opened !== undefined) throw new RollBack();
		this.#opened = opened;
		const found = await this.#record(opened);
		if (found !== undefined) return this.#rollBack(found);
		await opened.query(`SAVEPOINT ${this.#options.savepoint}`, []);
		this.#cancelLimit();
		if (this.#givenUp.signal.aborted) throw new RollBack();
		// After a standstill a response may come before the timers that were due: the server may have ended the transaction.
		const { clock, storeTimeoutMs } = this.#options.times;
		if (monotonicNow(clock) >= this.#limitEndsAt) throw noResponse(storeTimeoutMs);
		const ending = await work(opened.handle, opened.lost);
		// A statement that the handler did not await would come after what is undone, and commit.
		opened.close?.();
		if (opened.lost?.aborted) throw new InboxDatabaseError("the connection was lost while the handler ran");
		if (ending === "abandon") {
			// The sender does not wait for it.
			this.#result = { status: "ended" };
			this.#giveUp(new RollBack());
		}
		if (ending === "abandon" || ending === "roll_back") {
			// What the handler still runs must neither commit by itself nor reach the connection's next user.
			if (ending === "abandon") await this.#destroy();
			else opened.destroy?.();
			return this.#rollBack({ status: "ended" });
		}
		this.#limit();
		await this.#prepareCommit(opened, ending);
		this.#isCommitting = true;
		this.#result = { status: "ended" };
	}

	#rollBack(result: InboxResult): never {
		this.#result = result;
		throw new RollBack();
	}

	/**
	 * Records the event. Nothing waits for another worker: a statement that waits would keep its connection from others.
	 * @returns why there is nothing to do; `undefined` if the event is ours.
	 */
	async #record({ query }: PostgresTransaction<Handle>): Promise<InboxResult | undefined> {
		const { table, key, times } = this.#options;
		const { maxHandlerMs, storeTimeoutMs, retentionMs } = times;
		// PostgreSQL has 32 bits for a limit, as timers have.
		const idleMs = Math.min(Math.ceil(maxHandlerMs + storeTimeoutMs), MAX_TIMER_MS);
		const record = `event:${key}`;
		// The time limit stands for a lease: the server ends the transaction of a machine that is gone.
		const [begun] = (
			await query(
				`SELECT pg_try_advisory_xact_lock(hashtextextended($1, 0)) AS locked,
	set_config('idle_in_transaction_session_timeout', $2, true),
	set_config('messaging_gateway.event', $3, true),
	current_setting('transaction_isolation') AS isolation,
	pg_backend_pid() AS pid`,
				[`${table} ${record}`, String(idleMs), record],
			)
		).rows;
		if (begun?.["isolation"] !== "read committed") {
			throw new BrokenTransactionError(
				"the inbox's transaction must be READ COMMITTED: set its isolation level",
			);
		}
		if (begun["locked"] !== true) return { status: "in_flight" };
		const { now } = POSTGRES;
		// The local setting is gone if the statement runs outside the transaction, where it would commit at once.
		const [inserted] = (
			await query(
				`INSERT INTO ${table} AS record (key, state, expires_at)
SELECT $1::text, 'done', ${now} + $2::bigint WHERE current_setting('messaging_gateway.event', true) = $1::text
ON CONFLICT (key) DO UPDATE SET state = 'done', token = record.token + 1, expires_at = excluded.expires_at
WHERE record.expires_at <= ${now} OR (record.state <> 'done' AND record.lease_ends_at <= ${now})
RETURNING pg_current_xact_id()::text AS xid`,
				[record, Math.ceil(retentionMs)],
			)
		).rows;
		if (inserted !== undefined) {
			this.#backend = { pid: Number(begun["pid"]), xid: String(inserted["xid"]) };
			return undefined;
		}
		const [found] = (
			await query(
				`SELECT current_setting('messaging_gateway.event', true) = $1::text AS is_ours,
	(SELECT state FROM ${table} WHERE key = $1::text) AS state`,
				[record],
			)
		).rows;
		if (found?.["is_ours"] !== true) {
			throw new BrokenTransactionError(
				"query runs outside the transaction: it must use the transaction's connection",
			);
		}
		return { status: found["state"] === "done" ? "repeated" : "in_flight" };
	}

	/** The last statement before COMMIT finds out whether the transaction is still the one of the record. */
	async #prepareCommit(
		{ query, destroy }: PostgresTransaction<Handle>,
		ending: "commit" | "undo",
	): Promise<void> {
		let xid: unknown;
		try {
			if (ending === "undo") await query(`ROLLBACK TO SAVEPOINT ${this.#options.savepoint}`, []);
			xid = (await query("SELECT pg_current_xact_id_if_assigned()::text AS xid", [])).rows[0]?.["xid"];
		} catch (error) {
			// in_failed_sql_transaction; no_active_sql_transaction; the savepoint is not there.
			if (!["25P02", "25P01", "3B001"].includes(findCode(error) ?? "")) throw error;
			destroy?.();
			throw new BrokenTransactionError(ROLLED_BACK);
		}
		if (xid === this.#backend?.xid) return;
		destroy?.();
		throw new BrokenTransactionError(
			"the handler ended the inbox's transaction: it must not commit or roll back, and an ORM must not begin its own",
		);
	}

	/** A library does not show the command tag of COMMIT, so another connection is asked what became of it. */
	async #assertCommitted(): Promise<void> {
		if (!this.#transactions.isCommitUnseen || !this.#isCommitting) return;
		this.#cancelLimit();
		const { clock, storeTimeoutMs } = this.#options.times;
		const asking = this.#transactions.query("SELECT pg_xact_status($1::text::xid8) AS status", [
			String(this.#backend?.xid),
		]);
		const { rows } = await withTimeout(asking, storeTimeoutMs, clock);
		const status = rows[0]?.["status"];
		if (status === "aborted") throw new BrokenTransactionError(ROLLED_BACK);
		if (status !== "committed") throw new InboxDatabaseError("the commit is not confirmed");
	}

	/** Destroys the connection, or has the server end it. */
	async #destroy(): Promise<void> {
		const opened = this.#opened;
		if (opened?.destroy !== undefined) return opened.destroy();
		const { clock, storeTimeoutMs } = this.#options.times;
		// A connection that is given back while its handler runs would serve two: it is kept until the server has ended it.
		while (this.#backend !== undefined) {
			try {
				await this.#transactions.query(
					`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
WHERE pid = $1 AND backend_xid = ($2::text::xid8)::xid`,
					[this.#backend.pid, this.#backend.xid],
				);
				return;
			} catch {
				await sleep(storeTimeoutMs, clock);
			}
		}
	}
}
