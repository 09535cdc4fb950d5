import type { Cells } from "../hosts/actions.ts";
import type { PortableProject } from "./portable-project.ts";
import { CANARY_ROW, rowsOf } from "./rows.ts";
import type { Runtime } from "./runtimes/runtime.ts";
import { CANARY, type CaseResult } from "./suite.ts";

/** What became of a runtime: one column of the table. */
export interface Column {
	readonly name: string;
	/** Empty where the runtime could not be run. */
	readonly version: string;
	/** Why the runtime could not be run. */
	readonly problem?: string;
	/** Why each row failed, `undefined` where it passed. A row that does not apply is absent. */
	readonly cells: ReadonlyMap<string, string | undefined>;
	/** What became of the actions of the matrix of hosts, where the runtime is one of its rows. */
	readonly actions?: Cells | undefined;
}

/** Runs the suite in a runtime. Never rejects: what goes wrong is in the column. */
export async function runColumn(runtime: Runtime, project: PortableProject): Promise<Column> {
	const { name } = runtime;
	const rows = rowsOf(runtime);
	try {
		const { version, results, actions } = await runtime.run(project);
		const found = new Map(results.map((result) => [result.name, result]));
		return { name, version, cells: new Map(rows.map((row) => [row, judge(row, found)])), actions };
	} catch (error) {
		const problem = error instanceof Error ? error.message : String(error);
		return { name, version: "", problem, cells: new Map(rows.map((row) => [row, "it was not run"])) };
	}
}

/** Why a row failed. What nobody reported has failed, too. */
function judge(row: string, found: ReadonlyMap<string, CaseResult>): string | undefined {
	if (row === CANARY_ROW) {
		const failure = found.get(CANARY.name)?.failure ?? "none";
		return failure.includes('expected "HMAC') ? undefined : `the wrong vector's failure is: ${failure}`;
	}
	const result = found.get(row);
	return result === undefined ? "it was not run" : result.failure;
}
