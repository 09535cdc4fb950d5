import type { PostgresPool, PostgresPoolClient } from "messaging-gateway/stores/postgres";

/** How a server responds to a statement. */
export type Respond = (statement: string) => { rows: Record<string, unknown>[]; command: string };

export interface DyingPool extends PostgresPool<PostgresPoolClient> {
	/** How many connections it has opened. */
	readonly opened: number;
}

/**
 * A pool for one connection. The first one dies at a statement, and nobody notices: from then on nothing that is sent
 * over it settles, until it is destroyed.
 */
export function createDyingPool(silentAt: RegExp, respond: Respond): DyingPool {
	let opened = 0;
	/** Resolves to an idle connection, or to nothing if the next user has to open one. */
	let free = Promise.resolve<Connection | undefined>(undefined);

	async function connect(): Promise<PostgresPoolClient> {
		const previous = free;
		const { promise, resolve } = Promise.withResolvers<Connection | undefined>();
		free = promise;
		const connection = (await previous) ?? new Connection(opened++ === 0 ? silentAt : undefined, respond);
		return {
			query: (statement) => connection.query(statement),
			on: () => undefined,
			release(isDestroyed) {
				if (isDestroyed) connection.destroy();
				resolve(isDestroyed ? undefined : connection);
			},
		};
	}

	return {
		get opened() {
			return opened;
		},
		connect,
		async query(statement) {
			const client = await connect();
			const result = await client.query(statement);
			client.release();
			return result;
		},
	};
}

class Connection {
	readonly #silentAt: RegExp | undefined;
	readonly #respond: Respond;
	readonly #destroyed = Promise.withResolvers<never>();
	#isSilent = false;

	constructor(silentAt: RegExp | undefined, respond: Respond) {
		this.#silentAt = silentAt;
		this.#respond = respond;
		this.#destroyed.promise.catch(() => undefined);
	}

	async query(statement: string): Promise<ReturnType<Respond>> {
		this.#isSilent ||= this.#silentAt?.test(statement) ?? false;
		return this.#isSilent ? this.#destroyed.promise : this.#respond(statement);
	}

	destroy(): void {
		this.#destroyed.reject(new Error("the connection was destroyed"));
	}
}
