import { existsSync } from "node:fs";
import { build } from "tsup";
import { PAGE_FILES } from "../../src/tools/cli/dev/page-routes.ts";
import { pages } from "../../tsup.config.ts";

/** Builds the local gateway's pages, unless a build has them already. */
export async function buildPages(say: (line: string) => void): Promise<void> {
	if (existsSync(PAGE_FILES)) return;
	say("the gateway's page is built, which takes some seconds");
	await build({ ...pages, config: false, silent: true });
}
