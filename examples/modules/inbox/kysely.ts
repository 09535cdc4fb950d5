/** An inbox in the transactions of Kysely: handlers get its transaction. */
import { CompiledQuery, type Kysely } from "kysely";
import { postgresInbox } from "messaging-gateway/stores/postgres";

export const kyselyInbox = <Database>(db: Kysely<Database>) =>
	postgresInbox({
		transaction: (work) =>
			db
				.transaction()
				.setIsolationLevel("read committed")
				.execute((trx) =>
					work({
						handle: trx,
						query: (text, values) => trx.executeQuery(CompiledQuery.raw(text, values)),
					}),
				),
	});
