import { sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/node-postgres";
import { CompiledQuery, Kysely, PostgresDialect, type Transaction } from "kysely";
import type pg from "pg";
import { DataSource } from "typeorm";
import { type PostgresInbox, postgresInbox } from "../../src/stores/postgres-inbox.ts";

/** A library's inbox, and how a handler runs a statement in its transaction. */
export interface OrmInbox {
	readonly name: string;
	/** Opens the inbox over a pool, and calls back with what hides the library's own handle. */
	open(pool: pg.Pool, url: string): Promise<OpenInbox>;
}

/** An inbox whose handle is a function that runs a statement. */
export interface OpenInbox extends AsyncDisposable {
	readonly inbox: PostgresInbox<(statement: string) => Promise<unknown>>;
}

const drizzleInbox: OrmInbox = {
	name: "Drizzle",
	async open(pool) {
		const db = drizzle(pool);
		const inbox = postgresInbox({
			transaction: (work) =>
				db.transaction(
					(tx) =>
						work({
							query: async (text, values) => {
								const parts = text.split(/\$(\d+)/);
								const chunks = parts.map((part, at) =>
									at % 2 === 0 ? sql.raw(part) : sql`${values[Number(part) - 1]}`,
								);
								return await tx.execute(sql.join(chunks));
							},
							handle: (statement: string): Promise<unknown> => tx.execute(sql.raw(statement)),
						}),
					{ isolationLevel: "read committed" },
				),
		});
		return { inbox, [Symbol.asyncDispose]: async () => undefined };
	},
};

const kyselyInbox: OrmInbox = {
	name: "Kysely",
	async open(pool) {
		const db = new Kysely<object>({ dialect: new PostgresDialect({ pool }) });
		const run = (trx: Transaction<object>, text: string, values: readonly unknown[] = []) =>
			trx.executeQuery<Record<string, unknown>>(CompiledQuery.raw(text, [...values]));
		const inbox = postgresInbox({
			transaction: (work) =>
				db
					.transaction()
					.setIsolationLevel("read committed")
					.execute((trx) =>
						work({
							query: (text, values) => run(trx, text, values),
							handle: (statement: string): Promise<unknown> => run(trx, statement),
						}),
					),
		});
		return { inbox, [Symbol.asyncDispose]: async () => undefined };
	},
};

const typeormInbox: OrmInbox = {
	name: "TypeORM",
	async open(_pool, url) {
		const dataSource = await new DataSource({ type: "postgres", url, extra: { max: 4 } }).initialize();
		const inbox = postgresInbox({
			transaction: (work) =>
				dataSource.transaction("READ COMMITTED", (manager) =>
					work({
						query: async (text, values) => ({ rows: await manager.query(text, values) }),
						handle: (statement: string): Promise<unknown> => manager.query(statement),
					}),
				),
		});
		return { inbox, [Symbol.asyncDispose]: () => dataSource.destroy() };
	},
};

/** The libraries that the inbox is tested with. */
export const ORM_INBOXES: readonly OrmInbox[] = [drizzleInbox, kyselyInbox, typeormInbox];
