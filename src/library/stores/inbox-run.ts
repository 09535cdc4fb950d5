import { sleep } from "../runtime.ts";
import { type LeaseTime, startLease } from "../store-calls/lease-time.ts";
import { withTimeout } from "../store-calls/with-timeout.ts";
import type { InboxEnding, InboxResult } from "./inbox.ts";
import {
	closingStatements,
	findStatement,
	type InboxRecord,
	OTHER_TRANSACTION,
	openingStatements,
} from "./inbox-statements.ts";
import { findCode } from "./postgres-errors.ts";
import { toBoundKey, toKey } from "./sql-store.ts";
import {
	BrokenTransactionError,
	InboxDatabaseError,
	type PostgresTransaction,
	ROLLED_BACK,
	type Rows,
	type Statement,
	type Transactions,
	toStoreError,
} from "./transactions.ts";

/** What a run needs besides its transactions. */
export interface InboxRunOptions extends InboxRecord {
	/** Called for each record that is committed. */
	readonly onWrite: () => void;
}

/** The work is over, and its transaction must not commit. */
class RollBack extends Error {}

const OUTSIDE = "query runs outside the transaction: it must use the transaction's connection";

/** @returns what a statement's error says of the transaction, if it is broken. */
function describeBreak(code: string, isCommitting: boolean): string | undefined {
	// no_active_sql_transaction
	if (!isCommitting) return code === "25P01" ? OUTSIDE : undefined;
	if (code === OTHER_TRANSACTION) {
		return "the handler ended the inbox's transaction: it must not commit or roll back, and an ORM must not begin its own";
	}
	// in_failed_sql_transaction; no_active_sql_transaction; the savepoint is not there.
	if (["25P02", "25P01", "3B001"].includes(code)) return ROLLED_BACK;
	return /^(23|40)/.test(code) ? `COMMIT was rejected (${code})` : undefined;
}

function noResponse(timeoutMs: number): InboxDatabaseError {
	return new InboxDatabaseError(`no response within storeTimeoutMs, ${timeoutMs} ms`);
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
	/** How long the server certainly keeps the transaction that it was last asked for. */
	#kept: LeaseTime;
	#giveUp: (error: Error) => void = () => undefined;

	constructor(transactions: Transactions<Handle>, options: InboxRunOptions) {
		this.#transactions = transactions;
		this.#options = options;
		this.#kept = startLease(options.times.clock, options.times.storeTimeoutMs);
	}

	async run(work: (transaction: Handle, lost?: AbortSignal) => Promise<InboxEnding>): Promise<InboxResult> {
		const givenUp = new Promise<never>((_, reject) => {
			this.#giveUp = reject;
		});
		this.#limit();
		try {
			const { signal } = this.#givenUp;
			const running = this.#transactions.transaction(
				this.#options.binding,
				openingStatements(this.#options),
				(opened, rows) => this.#process(opened, rows, work),
				signal,
			);
			await Promise.race([running, givenUp]);
			await this.#assertCommitted();
			this.#options.onWrite();
		} catch (error) {
			if (error instanceof BrokenTransactionError) return { status: "broken", error };
			// A library may wrap what its work rejects with.
			if (this.#result !== undefined && !this.#isCommitting) return this.#result;
			const broken = describeBreak(findCode(error) ?? "", this.#isCommitting);
			if (broken === undefined) throw toStoreError(error, this.#options.table);
			return { status: "broken", error: new BrokenTransactionError(broken) };
		} finally {
			this.#cancelLimit();
		}
		return this.#result ?? { status: "ended" };
	}

	/** Destroys the connection if the database does not respond in time. */
	#limit(): void {
		const { clock, storeTimeoutMs } = this.#options.times;
		this.#cancelLimit();
		this.#cancelLimit = clock.setTimer(() => {
			this.#giveUp(noResponse(storeTimeoutMs));
			void this.#destroy();
		}, storeTimeoutMs);
		this.#kept = startLease(clock, storeTimeoutMs);
	}

	async #process(
		opened: PostgresTransaction<Handle>,
		rows: readonly Rows[],
		work: (transaction: Handle, lost?: AbortSignal) => Promise<InboxEnding>,
	): Promise<Statement[]> {
		// A library repeats the work.
		if (this.#opened !== undefined) throw new RollBack();
		this.#opened = opened;
		const found = await this.#readRecord(opened, rows);
		if (found !== undefined) return this.#rollBack(found);
		// After a standstill a response may come before the timers that were due, and after a sleep they are late: the server,
		// which may have ended the transaction, is asked.
		if (!this.#kept().isCertain) {
			this.#limit();
			await opened.query("SELECT 1", []);
		}
		this.#cancelLimit();
		if (this.#givenUp.signal.aborted) throw new RollBack();
		if (!this.#kept().isCertain) throw noResponse(this.#options.times.storeTimeoutMs);
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
		this.#isCommitting = true;
		this.#result = { status: "ended" };
		return closingStatements(this.#options, ending, this.#backend?.xid ?? "");
	}

	#rollBack(result: InboxResult): never {
		this.#result = result;
		throw new RollBack();
	}

	/** @returns why there is nothing to do; `undefined` if the event is recorded, and ours. */
	async #readRecord(
		{ query }: PostgresTransaction<Handle>,
		rows: readonly Rows[],
	): Promise<InboxResult | undefined> {
		const boundKey = toKey(toBoundKey(rows[0] ?? []));
		if (boundKey !== this.#options.key) return { status: "bound_elsewhere", boundKey };
		const [, begun, inserted] = rows.map(([row]) => row);
		if (begun?.["isolation"] !== "read committed") {
			throw new BrokenTransactionError(
				"the inbox's transaction must be READ COMMITTED: set its isolation level",
			);
		}
		if (begun["locked"] !== true) return { status: "in_flight" };
		if (inserted !== undefined) {
			this.#backend = { pid: Number(begun["pid"]), xid: String(inserted["xid"]) };
			return undefined;
		}
		const { text, values } = findStatement(this.#options);
		const [found] = (await query(text, values)).rows;
		if (found?.["is_ours"] !== true) throw new BrokenTransactionError(OUTSIDE);
		return { status: found["state"] === "done" ? "repeated" : "in_flight" };
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
		if (status !== "committed") throw new InboxDatabaseError("the commit isn't confirmed");
	}

	/** Destroys the connection, or has the server end it. */
	async #destroy(): Promise<void> {
		this.#givenUp.abort();
		if (this.#opened?.destroy !== undefined) return;
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
