import { existsSync } from "node:fs";
import { join } from "node:path";

/** The linters, the generators and the viewer, which are a package of their own. */
export const OPENAPI_TOOLS = new URL("../openapi-tools", import.meta.url).pathname;

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
