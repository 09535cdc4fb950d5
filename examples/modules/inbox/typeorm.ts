/** An inbox in the transactions of TypeORM: handlers get its entity manager. */
import { postgresInbox } from "messaging-gateway/stores/postgres";
import type { DataSource } from "typeorm";

export const typeormInbox = (dataSource: DataSource) =>
	postgresInbox({
		transaction: (work) =>
			dataSource.transaction("READ COMMITTED", (manager) =>
				work({
					handle: manager,
					query: async (text, values) => ({ rows: await manager.query(text, values) }),
				}),
			),
	});
