import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { PROCESS_LIFE_MS } from "./patience.ts";

/** The linters, generators, importers, mock server and viewer, which are a package of their own. */
const OPENAPI_TOOLS = new URL("../openapi-tools", import.meta.url).pathname;

/** The folder of one of their packages, or the file of a command of theirs. Throws if it is missing. */
export function requireOpenApiTool(path: string): string {
	const found = join(OPENAPI_TOOLS, "node_modules", path);
	if (!existsSync(found)) {
		throw new Error(
			`${path} is missing: run \`npm ci --prefix test/openapi-tools --ignore-scripts\`, as \`npm run test:release\` does.`,
		);
	}
	return found;
}

/** What a script beside these packages prints of its input. */
export function runOpenApiScript(name: string, input: string): string {
	requireOpenApiTool("typescript");
	const options = { input, encoding: "utf8", maxBuffer: 64 * 1024 * 1024, timeout: PROCESS_LIFE_MS } as const;
	return execFileSync(process.execPath, [join(OPENAPI_TOOLS, name)], options);
}
