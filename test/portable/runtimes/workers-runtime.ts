import { Miniflare } from "miniflare";
import type { CaseResult } from "../suite.ts";
import type { Runtime } from "./runtime.ts";

const COMPATIBILITY_DATE = "2026-07-01";

/** Workers, by workerd itself. Without `nodejs_compat`, so that nothing of Node is there to lean on. */
export const workersRuntime: Runtime = {
	name: "Workers",
	hasRequire: false,
	async run(project) {
		const script = await project.bundle("worker.js", ["workerd", "worker", "browser"]);
		const worker = new Miniflare({ modules: true, script, compatibilityDate: COMPATIBILITY_DATE });
		try {
			const response = await worker.dispatchFetch("http://worker.example/");
			const results = (await response.json()) as CaseResult[];
			return { version: `of ${COMPATIBILITY_DATE}`, results };
		} finally {
			await worker.dispose();
		}
	},
};
