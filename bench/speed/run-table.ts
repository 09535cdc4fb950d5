/** The process of one table: measures it, and hands the record to the process that started it. */
import { measureTable } from "./measure-table.ts";
import { TABLES } from "./table.ts";

const [name = "", rounds, sliceMs] = process.argv.slice(2);
const open = TABLES[name];
if (open === undefined || process.send === undefined) throw new Error("bench/speed/main.ts starts this");

const { table } = await open();
const settings = { rounds: Number(rounds), sliceMs: Number(sliceMs) };
const record = await measureTable(name, table, settings, (step) =>
	process.stderr.write(`${name}: ${step}\n`),
);
// Keep-alive connections would keep the process alive, too.
process.send(record, () => process.exit());
