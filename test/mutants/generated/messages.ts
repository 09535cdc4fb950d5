import type { NumberedChange, Survey } from "./session.ts";

/** What a process that runs tests is asked. */
export type Question =
	| { readonly type: "survey" }
	| { readonly type: "judge"; readonly reach: Survey["reach"]; readonly isLoaded: boolean };

/** What it reports. */
export type Report =
	| { readonly type: "ready" }
	/** A test file has ended; which change was in force. */
	| { readonly type: "file"; readonly number: number }
	| { readonly type: "survey"; readonly changes: readonly NumberedChange[]; readonly survey: Survey }
	| { readonly type: "judged"; readonly killed: readonly number[]; readonly isClean: boolean }
	| { readonly type: "error"; readonly message: string };
