import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Cells } from "../hosts/actions.ts";
import { testHosts } from "../hosts/test-hosts.ts";
import { type Column, runColumn } from "../portable/column.ts";
import { createPortableProject, type PortableProject } from "../portable/portable-project.ts";
import { rowsOf } from "../portable/rows.ts";
import type { Runtime } from "../portable/runtimes/runtime.ts";
import { RUNTIMES } from "../portable/runtimes/runtimes.ts";
import { formatTable } from "../portable/table.ts";

/** The packed package in every runtime, as `npm run test:runtimes` shows it. */
let project: PortableProject;
const columns = new Map<string, Promise<Column>>();

beforeAll(async () => {
	project = await createPortableProject();
});

afterAll(async () => {
	console.log(formatTable(await Promise.all(columns.values())));
	await project?.[Symbol.asyncDispose]();
});

/** Runs a runtime when it is first asked for. */
function columnOf(runtime: Runtime): Promise<Column> {
	const column = columns.get(runtime.name) ?? runColumn(runtime, project);
	columns.set(runtime.name, column);
	return column;
}

describe.each(RUNTIMES)("$name", (runtime) => {
	let column: Column;

	beforeAll(async () => {
		column = await columnOf(runtime);
	});

	test("can be run", () => {
		expect(column.problem).toBeUndefined();
	});

	test.each(rowsOf(runtime))("%s", (row) => {
		expect(column.cells.has(row)).toBe(true);
		expect(column.cells.get(row)).toBeUndefined();
	});
});

testHosts("runtimes.release", {
	Node: (version) => actionsOf(`Node ${version}`),
	Bun: () => actionsOf("Bun"),
	Deno: () => actionsOf("Deno"),
	"Deno without `--allow-env`": () => actionsOf("Deno without --allow-env"),
});

async function actionsOf(name: string): Promise<Cells> {
	const runtime = RUNTIMES.find((known) => known.name === name);
	if (runtime === undefined) throw new Error(`there is no runtime ${name}`);
	const { actions, problem } = await columnOf(runtime);
	if (actions === undefined) throw new Error(problem ?? `${name} reported no actions`);
	return actions;
}
