/** `npm run test:runtimes`: the packed package in every runtime, as a table. */
import { serveResources } from "../support/shared/serve-resources.ts";
import { type Column, runColumn } from "./column.ts";
import { createPortableProject } from "./portable-project.ts";
import { RUNTIMES } from "./runtimes/runtimes.ts";
import { formatTable, listFailures } from "./table.ts";

console.log("packing the package and installing it into an empty project");
await using _resources = await serveResources();
await using project = await createPortableProject();
const columns: Column[] = [];
for (const runtime of RUNTIMES) {
	const startedAt = performance.now();
	const column = await runColumn(runtime, project);
	columns.push(column);
	console.log(describe(column, performance.now() - startedAt));
}
console.log(`\n${formatTable(columns)}`);
const failures = listFailures(columns);
for (const failure of failures) console.log(`\nFAILED: ${failure}`);
if (failures.length > 0) process.exitCode = 1;

function describe({ name, version, problem, cells }: Column, durationMs: number): string {
	if (problem !== undefined) return `${name}: could not be run`;
	const passed = [...cells.values()].filter((failure) => failure === undefined).length;
	return `${name} (${version}): ${passed} of ${cells.size} in ${(durationMs / 1_000).toFixed(1)} s`;
}
