import { existsSync } from "node:fs";
import { join } from "node:path";

const MODULES = new URL("../versions/node_modules", import.meta.url).pathname;

/** A runtime, or a release of TypeScript or Chat SDK, that users have and the project itself does not run on. */
export type OtherVersion =
	| "node-22.13"
	| "node-22"
	| "node-26"
	| "bun"
	| "deno"
	| "chat-4.41.0"
	| "typescript-5.5"
	| "typescript-5.9"
	| "typescript-7";

/** Where the release's own file is: the executable of a runtime, the compiler of TypeScript, the module of Chat SDK. Throws if it is missing. */
export function requireVersion(version: OtherVersion): string {
	const path = join(MODULES, fileOf(version));
	if (!existsSync(path)) {
		throw new Error(
			`${version} is missing: run \`npm ci --prefix test/versions\`, as \`npm run test:release\` does.`,
		);
	}
	return path;
}

function fileOf(version: OtherVersion): string {
	if (version.startsWith("typescript")) return join(version, "bin/tsc");
	if (version.startsWith("chat")) return join(version, "dist/index.js");
	if (version.startsWith("node")) return join(`${version}-${process.platform}-${process.arch}`, "bin/node");
	return join(".bin", version);
}
