/** The process of one table: measures it, and hands the record to the process that started it. */
import { measureTable } from "./measure.ts";
import { loadTables } from "./tables.ts";

process.once("message", async ({ set, name, settings }) => {
	const tables = await loadTables(set);
	const table = tables[name];
	if (table === undefined) throw new Error(`there is no table ${name}`);
	// Keep-alive connections would keep the process alive, too.
	process.send?.(await measureTable(name, table, settings), () => process.exit());
});
