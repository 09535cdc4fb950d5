/** Sends every request of the collection on standard input, and prints the name and the status of each. */
import { text } from "node:stream/consumers";
import { promisify } from "node:util";
import newman from "newman";

const { collection, variables } = JSON.parse(await text(process.stdin));
const envVar = Object.entries(variables).map(([key, value]) => ({ key, value }));
const { run } = await promisify(newman.run)({ collection, envVar, reporters: [] });
for (const { error } of run.failures) console.error(error.message);
console.log(JSON.stringify(run.executions.map(({ item, response }) => [item.name, response?.code])));
