import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { PROCESS_LIFE_MS } from "../../support/patience.ts";

/** The linters, generators, importers, mock server and viewer, which are a package of their own. */
const OPENAPI_TOOLS = new URL("../../openapi-tools", import.meta.url).pathname;

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
export async function runOpenApiScript(name: string, input: string): Promise<string> {
	requireOpenApiTool("typescript");
	const child = spawn(process.execPath, ["--no-deprecation", join(OPENAPI_TOOLS, name)], {
		stdio: ["pipe", "pipe", "inherit"],
		timeout: PROCESS_LIFE_MS,
	});
	child.stdin.end(input);
	const ended = once(child, "close");
	const output = await text(child.stdout);
	const [code] = await ended;
	if (code !== 0) throw new Error(`${name} ended with ${code}`);
	return output;
}
