/** The process of one table: measures it, and hands the record to the process that started it. */
import { measureTable } from "./measure.ts";
import { SETS } from "./tables.ts";

const [set = "", name = "", settings = ""] = process.argv.slice(2);
const open = (await SETS[set]?.load())?.[name];
if (open === undefined || process.send === undefined) throw new Error("bench/main.ts starts this");

const record = await measureTable(name, open, JSON.parse(settings));
// Keep-alive connections would keep the process alive, too.
process.send(record, () => process.exit());
