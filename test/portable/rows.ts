import type { Runtime } from "./runtimes/runtime.ts";
import { CASE_NAMES } from "./suite.ts";

/** The row of what the process runtimes do beside the suite. */
export const REQUIRE_ROW = "loading: require(), without a warning";

/** The row of the canary: it passes where the canary fails. */
export const CANARY_ROW = "self-test: a wrong vector turns red";

/** The names of everything that a runtime has to show, in the order of the table. */
export function rowsOf({ hasRequire }: Pick<Runtime, "hasRequire">): string[] {
	return [...CASE_NAMES, ...(hasRequire ? [REQUIRE_ROW] : []), CANARY_ROW];
}
