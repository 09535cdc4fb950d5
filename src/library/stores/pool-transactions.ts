import { guardClient, type InboxClient } from "./guard-client.ts";
import { isOfName } from "./named-statements.ts";
import type { PostgresClient } from "./postgres-client.ts";
import { isSerializationFailure } from "./postgres-errors.ts";
import { executeTogether, queryTogether } from "./query-together.ts";
import { BrokenTransactionError, ROLLED_BACK, type Statement, type Transactions } from "./transactions.ts";

const BEGIN: Statement = { text: "BEGIN ISOLATION LEVEL READ COMMITTED", values: [] };
/** Begins the next transaction with the same isolation level. */
const COMMIT_AND_BEGIN: Statement = { text: "COMMIT AND CHAIN", values: [] };
const COMMIT: Statement = { text: "COMMIT", values: [] };

/** The part of a `pg` client that the package uses. */
export interface PostgresPoolClient {
	/** Runs a statement, or several in one text. Several give an array, which the types of `pg` don't say. */
	query(
		text: string,
		values?: (string | number)[],
	): Promise<{ rows: Record<string, unknown>[]; command: string }>;
	release(destroy?: boolean): void;
	on(event: "error", listener: () => void): unknown;
}

/** The part of a `Pool` of `pg` that the package uses. */
export interface PostgresPool<Client extends PostgresPoolClient> extends PostgresClient {
	connect(): Promise<Client>;
	// The client's type is inferred from overload to overload.
	// biome-ignore lint/suspicious/noConfusingVoidType: that of `pg` is void, and a pool of one's own may have promises only
	connect(callback: (...results: never[]) => void): Promise<Client> | void;
}

/** A client that is taken from its pool for one use. */
interface TakenClient<Client> {
	readonly client: Client;
	/** Fires when the connection is lost. */
	readonly lost: AbortSignal;
	/** Gives the client back, or destroys its connection. Only the first call counts. */
	release(isDestroyed: boolean): void;
	isReleased(): boolean;
}

/** What the loss of a client aborts, for all inboxes: each client is taken by one of them at a time, and has one listener. */
const losses = new WeakMap<PostgresPoolClient, AbortController>();

/** Transactions over a pool, whose commit is known by its command tag. */
export function poolTransactions<Client extends PostgresPoolClient>(
	pool: PostgresPool<Client>,
): Transactions<InboxClient<Client>> {
	/** Without a listener a lost connection ends the process; it may be lost after its release, too. */
	function listen(client: Client): void {
		if (losses.has(client)) return;
		client.on("error", () => losses.get(client)?.abort());
		losses.set(client, new AbortController());
	}

	/** Listens before anything else happens: an error may arrive with the greeting, before a promise is awaited. */
	function connect(): Promise<Client> {
		return new Promise((resolve, reject) => {
			const accept = (client: Client): void => {
				listen(client);
				resolve(client);
			};
			const connecting = pool.connect((error: unknown, client: Client) =>
				error ? reject(error) : accept(client),
			);
			Promise.resolve(connecting).then((client) => client && accept(client), reject);
		});
	}

	/** Takes a client; once it is given up, its connection is destroyed, or it would keep the next user waiting, too. */
	async function take(givenUp?: AbortSignal): Promise<TakenClient<Client>> {
		const client = await connect();
		const loss = new AbortController();
		losses.set(client, loss);
		let isReleased = false;
		const release = (isDestroyed: boolean): void => {
			if (isReleased) return;
			isReleased = true;
			client.release(isDestroyed);
		};
		if (givenUp?.aborted) {
			release(false);
			throw givenUp.reason;
		}
		givenUp?.addEventListener("abort", () => release(true));
		return { client, lost: loss.signal, release, isReleased: () => isReleased };
	}

	let isNaming = true;

	/** A statement without its name has ended its transaction: all of it is sent again, without names from then on. */
	async function open(client: Client, statements: readonly Statement[]): ReturnType<typeof queryTogether> {
		try {
			if (isNaming) return await executeTogether(client, statements);
		} catch (error) {
			if (!isOfName(error)) throw error;
			isNaming = false;
			await client.query("ROLLBACK");
		}
		return queryTogether(client, statements);
	}

	return {
		isCommitUnseen: false,
		async query(text, values, givenUp) {
			const { client, release } = await take(givenUp);
			try {
				const result = await client.query(text, values);
				release(false);
				return result;
			} catch (error) {
				// After a serialization failure the connection is as it was.
				release(!isSerializationFailure(error));
				throw error;
			}
		},
		async transaction(binding, opening, work, givenUp) {
			const { client, lost, release, isReleased } = await take(givenUp);
			const guarded = guardClient(client);
			const transaction = {
				query: (text: string, values: (string | number)[]) => client.query(text, values),
				handle: guarded.handle,
				close: guarded.close,
				lost,
				destroy: () => release(true),
			};
			try {
				const statements = [BEGIN, binding, COMMIT_AND_BEGIN, ...opening];
				const [, bound, , ...opened] = (await open(client, statements)).map(({ rows }) => rows);
				const closing = await work(transaction, [bound ?? [], ...opened]);
				const committed = (await queryTogether(client, [...closing, COMMIT])).at(-1);
				if (committed?.command !== "COMMIT") throw new BrokenTransactionError(ROLLED_BACK);
				release(false);
			} catch (error) {
				guarded.close();
				if (!isReleased()) await rollBack(client, release);
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
