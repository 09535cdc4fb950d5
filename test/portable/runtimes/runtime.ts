import type { Cells } from "../../hosts/actions.ts";
import type { PortableProject } from "../portable-project.ts";
import type { CaseResult } from "../suite.ts";

/** Where the suite is run. */
export interface Runtime {
	readonly name: string;
	/** Whether it has `require()`. */
	readonly hasRequire: boolean;
	/** Runs the suite there. Rejects where the runtime cannot be started, or is another one. */
	run(project: PortableProject): Promise<RuntimeRun>;
}

/** What a runtime reported. */
export interface RuntimeRun {
	readonly version: string;
	readonly results: readonly CaseResult[];
	/** What became of the actions of the matrix of hosts, where the runtime is one of its rows. */
	readonly actions?: Cells;
}
