import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Column, runColumn } from "../portable/column.ts";
import { createPortableProject, type PortableProject } from "../portable/portable-project.ts";
import { rowsOf } from "../portable/rows.ts";
import { RUNTIMES } from "../portable/runtimes/runtimes.ts";
import { formatTable } from "../portable/table.ts";

/** The packed package in every runtime, as `npm run test:runtimes` shows it. */
let project: PortableProject;
const columns: Column[] = [];

beforeAll(async () => {
	project = await createPortableProject();
});

afterAll(async () => {
	console.log(formatTable(columns));
	await project?.[Symbol.asyncDispose]();
});

describe.each(RUNTIMES)("$name", (runtime) => {
	let column: Column;

	beforeAll(async () => {
		column = await runColumn(runtime, project);
		columns.push(column);
	});

	test("can be run", () => {
		expect(column.problem).toBeUndefined();
	});

	test.each(rowsOf(runtime))("%s", (row) => {
		expect(column.cells.has(row)).toBe(true);
		expect(column.cells.get(row)).toBeUndefined();
	});
});
