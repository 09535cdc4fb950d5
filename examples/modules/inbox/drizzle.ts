/** An inbox in the transactions of Drizzle: handlers get its transaction, and `query` makes the template that it takes as SQL. */
import { sql } from "drizzle-orm";
import type { NodePgDatabase } from "drizzle-orm/node-postgres";
import { postgresInbox } from "messaging-gateway/stores/postgres";

export const drizzleInbox = (db: NodePgDatabase) =>
	postgresInbox({
		transaction: (work) =>
			db.transaction(
				(tx) =>
					work({
						handle: tx,
						query: async (text, values) => {
							const parts = text.split(/\$(\d+)/); // text and the numbers of values in turn
							const chunks = parts.map((part, at) =>
								at % 2 ? sql`${values[Number(part) - 1]}` : sql.raw(part),
							);
							return await tx.execute(sql.join(chunks));
						},
					}),
				{ isolationLevel: "read committed" },
			),
	});
