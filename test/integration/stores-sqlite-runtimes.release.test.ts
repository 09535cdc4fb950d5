import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";
import { expect, test } from "vitest";
import { PROCESS_LIFE_MS } from "../support/patience.ts";
import { requireVersion } from "../support/versions.ts";

const run = promisify(execFile);

/** Each runtime with its client of SQLite. */
const RUNTIMES = [
	["bun", ["run"], 'import { Database } from "bun:sqlite";', "db.query(sql).all(...values)"],
	[
		"deno",
		["run", "-A", "--no-check"],
		'import { DatabaseSync as Database } from "node:sqlite";',
		"db.prepare(sql).all(...values)",
	],
] as const;

test.each(RUNTIMES)("the rules of every store hold in %s", async (name, args, imports, rows) => {
	const folder = mkdtempSync(join(tmpdir(), "messaging-gateway-sqlite-runtimes-"));
	const outfile = join(folder, "cases.js");
	await build({
		stdin: {
			contents: `${imports}
				import { CLIENT_CASES } from "./test/integration/support/sqlite-cases.ts";
				const db = new Database(":memory:");
				const query = (sql, values) => ${rows};
				for (const { name, run } of CLIENT_CASES) {
					await run({ query }).then(() => console.log("passed"), (error) => console.log(name, String(error)));
				}`,
			resolveDir: process.cwd(),
		},
		bundle: true,
		format: "esm",
		conditions: ["@messaging-gateway/source"],
		external: ["bun:*", "node:*"],
		outfile,
		logLevel: "error",
	});
	const { stdout } = await run(requireVersion(name), [...args, outfile], { timeout: PROCESS_LIFE_MS });
	expect(new Set(stdout.trim().split("\n"))).toEqual(new Set(["passed"]));
	rmSync(folder, { recursive: true });
});
