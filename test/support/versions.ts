import { existsSync } from "node:fs";
import { join } from "node:path";

const MODULES = new URL("../versions/node_modules", import.meta.url).pathname;

/** A release of Node or TypeScript that users have and the project itself does not run on. */
export type OtherVersion = "node-22.13" | "node-22" | "node-26" | "typescript-5.5" | "typescript-5.9";

/** Where the release's own file is: the executable of Node, the compiler of TypeScript. Throws if it is missing. */
export function requireVersion(version: OtherVersion): string {
	const path = version.startsWith("node")
		? join(MODULES, `${version}-${process.platform}-${process.arch}`, "bin/node")
		: join(MODULES, version, "bin/tsc");
	if (!existsSync(path)) {
		throw new Error(`${version} is missing: run \`npm ci --prefix test/versions\`, as \`npm test\` does.`);
	}
	return path;
}
