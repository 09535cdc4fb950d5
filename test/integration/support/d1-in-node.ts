import { DatabaseSync } from "node:sqlite";

/** What the example uses of D1, over a database in memory. */
export function createD1InNode() {
	const database = new DatabaseSync(":memory:");
	return {
		prepare: (sql: string) => ({
			bind: (...values: (string | number)[]) => ({
				all: async () => ({ results: database.prepare(sql).all(...values) }),
			}),
		}),
	};
}
