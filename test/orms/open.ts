import { sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/node-postgres";
import { CompiledQuery, Kysely, PostgresDialect } from "kysely";
import type { PostgresInbox } from "messaging-gateway/stores/postgres";
import type pg from "pg";
import { DataSource } from "typeorm";
import { drizzleInbox } from "../../examples/modules/inbox/drizzle.ts";
import { kyselyInbox } from "../../examples/modules/inbox/kysely.ts";
import { typeormInbox } from "../../examples/modules/inbox/typeorm.ts";

/** A library's inbox, and how a handler runs a statement in its transaction. */
export interface OrmInbox<Handle> {
	readonly inbox: PostgresInbox<Handle>;
	run(transaction: Handle, statement: string): Promise<unknown>;
	close?(): Promise<void>;
}

function describeInbox<Handle>(inbox: OrmInbox<Handle>): OrmInbox<Handle> {
	return inbox;
}

export const openDrizzle = async (pool: pg.Pool) =>
	describeInbox({
		inbox: drizzleInbox(drizzle(pool)),
		run: (tx, statement) => tx.execute(sql.raw(statement)),
	});

export const openKysely = async (pool: pg.Pool) =>
	describeInbox({
		inbox: kyselyInbox(new Kysely<object>({ dialect: new PostgresDialect({ pool }) })),
		run: (trx, statement) => trx.executeQuery(CompiledQuery.raw(statement)),
	});

export async function openTypeorm(_pool: pg.Pool, url: string) {
	const dataSource = await new DataSource({ type: "postgres", url, extra: { max: 4 } }).initialize();
	return describeInbox({
		inbox: typeormInbox(dataSource),
		run: (manager, statement) => manager.query(statement),
		close: () => dataSource.destroy(),
	});
}
