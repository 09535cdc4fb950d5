import { join } from "node:path";
import type { Plugin } from "vitest/config";

const SOURCES = join(import.meta.dirname, "../../src");

/** Resolves zod in the sources as the build does; a test that declares schemas as a user does gets zod itself. */
export const zodSubset: Plugin = {
	name: "zod-subset",
	enforce: "pre",
	resolveId(id, importer) {
		const isOurs = id === "zod/mini" && importer?.startsWith(`${SOURCES}/`);
		return isOurs ? join(SOURCES, "library/catalogue/zod-subset/index.ts") : null;
	},
};
