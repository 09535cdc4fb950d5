import { guardClient, type InboxClient } from "./guard-client.ts";
import type { PostgresClient } from "./postgres-store.ts";
import { BrokenTransactionError, ROLLED_BACK, type Transactions } from "./transactions.ts";

/** The part of a `pg` client that is used. */
export interface PostgresPoolClient {
	// A method, so that the overloads of `pg` fit.
	query(
		text: string,
		values?: (string | number)[],
	): Promise<{ rows: Record<string, unknown>[]; command: string }>;
	release(destroy?: boolean): void;
	on(event: "error", listener: () => void): unknown;
}

/** The part of a `Pool` of `pg` that is used. */
export interface PostgresPool<Client extends PostgresPoolClient> extends PostgresClient {
	connect(): Promise<Client>;
	// The client's type is inferred from overload to overload.
	connect(callback: (...results: never[]) => void): void;
}

/** Transactions over a pool, whose commit is known by its command tag. */
export function poolTransactions<Client extends PostgresPoolClient>(
	pool: PostgresPool<Client>,
): Transactions<InboxClient<Client>> {
	/** What the loss of a client aborts. */
	const losses = new WeakMap<Client, AbortController>();

	return {
		isCommitUnseen: false,
		query: (text, values) => pool.query(text, values),
		async transaction(work) {
			const client = await pool.connect();
			// Without a listener a lost connection ends the process; it may be lost after its release, too.
			if (!losses.has(client)) client.on("error", () => losses.get(client)?.abort());
			const loss = new AbortController();
			losses.set(client, loss);
			const guarded = guardClient(client);
			let isReleased = false;
			const release = (isDestroyed: boolean): void => {
				if (isReleased) return;
				isReleased = true;
				client.release(isDestroyed);
			};
			try {
				await client.query("BEGIN ISOLATION LEVEL READ COMMITTED");
				await work({
					query: (text, values) => client.query(text, values),
					handle: guarded.handle,
					lost: loss.signal,
					destroy: () => release(true),
				});
				guarded.close();
				const { command } = await client.query("COMMIT");
				if (command !== "COMMIT") throw new BrokenTransactionError(ROLLED_BACK);
				release(false);
			} catch (error) {
				guarded.close();
				if (!isReleased) await rollBack(client, release);
				throw error;
			}
		},
	};
}

async function rollBack(client: PostgresPoolClient, release: (isDestroyed: boolean) => void): Promise<void> {
	try {
		await client.query("ROLLBACK");
		release(false);
	} catch {
		release(true);
	}
}
