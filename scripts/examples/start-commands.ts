import { existsSync, globSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { requireCommand } from "../needed-commands.ts";
import type { Example } from "./list-examples.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const FROM_SOURCES = "--conditions=@messaging-gateway/source";

/** The commands of an example, one for each of its processes. */
export function startCommands(example: Example, port: number): string[][] {
	const program = join(example.folder, "main.py");
	if (existsSync(program)) return [[requireCommand("python3"), program]];
	return argumentsOfNode(example, port).map((args) => [process.execPath, ...args]);
}

function argumentsOfNode({ folder }: Example, port: number): string[][] {
	const has = (file: string): boolean => existsSync(join(folder, file));
	if (has("vite.config.ts")) return [[FROM_SOURCES, script("serve-page.ts"), folder]];
	if (has("wrangler.jsonc")) return [[script("run-worker.ts"), folder]];
	if (has("handler.ts")) return [[FROM_SOURCES, script("run-lambda.ts"), folder]];
	if (has("app")) {
		// Next.js does not know our export condition.
		if (!existsSync(join(ROOT, "dist")))
			throw new Error("this example uses the build: run `npm run build` first");
		const options = ["--hostname", "127.0.0.1", "--port", String(port)];
		return [[installed("next/dist/bin/next"), "dev", folder, ...options]];
	}
	if (has("main.ts")) return [[FROM_SOURCES, join(folder, "main.ts")]];
	if (globSync("*.test.ts", { cwd: folder }).length > 0) {
		const options = ["--root", folder, "--config", script("vitest.config.ts")];
		return [[installed("vitest/vitest.mjs"), "run", ...options]];
	}
	return ["receiver.ts", "worker.ts"].map((file) => [FROM_SOURCES, join(folder, file)]);
}

function script(name: string): string {
	return join(ROOT, "scripts/examples", name);
}

function installed(path: string): string {
	return join(ROOT, "node_modules", path);
}
