import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { HOOK_TIMEOUT_MS, TEST_TIMEOUT_MS, WAIT_MS } from "./patience.ts";

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL("../..", import.meta.url));

const CONFIG = `export default {
	resolve: { conditions: ["@messaging-gateway/source"] },
	ssr: { resolve: { conditions: ["@messaging-gateway/source"] } },
	test: {
		testTimeout: ${TEST_TIMEOUT_MS},
		hookTimeout: ${HOOK_TIMEOUT_MS},
		expect: { poll: { timeout: ${WAIT_MS} } },
	},
};`;

/** A folder of a user's in which test files are run, and their types checked. */
export class GeneratedTests implements Disposable {
	readonly folder = mkdtempSync(join(tmpdir(), "messaging-gateway-tests-"));

	constructor() {
		const modules = join(this.folder, "node_modules");
		mkdirSync(modules);
		symlinkSync(ROOT, join(modules, "messaging-gateway"));
		for (const name of ["vitest", "@types"])
			symlinkSync(join(ROOT, "node_modules", name), join(modules, name));
		this.write("vitest.config.mjs", CONFIG);
		this.write("package.json", JSON.stringify({ private: true, type: "module" }));
	}

	write(name: string, source: string): void {
		writeFileSync(join(this.folder, name), source);
	}

	/** Runs all tests. @returns how many passed, and what vitest says of those that did not. */
	async run(): Promise<{ passed: number; failures: string }> {
		const vitest = join(ROOT, "node_modules/vitest/vitest.mjs");
		const args = [
			vitest,
			"run",
			"--root",
			this.folder,
			"--reporter",
			"json",
			"--outputFile",
			"report.json",
			"--no-isolate",
		];
		const env = { ...process.env, NO_COLOR: "1", VITEST: undefined };
		await run(process.execPath, args, { cwd: this.folder, env }).catch(() => undefined);
		const report = JSON.parse(readFileSync(join(this.folder, "report.json"), "utf8"));
		const failed = report.testResults.filter(({ status }: { status: string }) => status !== "passed");
		return { passed: report.numPassedTests, failures: JSON.stringify(failed, null, 1) };
	}

	/** Checks the types of all tests. @returns what the compiler has to say against them. */
	async check(): Promise<string> {
		const compilerOptions = {
			strict: true,
			exactOptionalPropertyTypes: true,
			noUncheckedIndexedAccess: true,
			noEmit: true,
			allowImportingTsExtensions: true,
			target: "es2022",
			lib: ["es2024", "esnext.disposable", "dom", "dom.iterable", "dom.asynciterable"],
			module: "nodenext",
			types: ["node"],
			skipLibCheck: true,
			customConditions: ["@messaging-gateway/source"],
		};
		this.write("tsconfig.json", JSON.stringify({ compilerOptions, include: ["*.ts"] }));
		const tsc = join(ROOT, "node_modules/typescript/bin/tsc");
		const result = await run(process.execPath, [tsc, "-p", this.folder]).catch(
			(error: { stdout: string }) => error,
		);
		return result.stdout;
	}

	[Symbol.dispose](): void {
		rmSync(this.folder, { recursive: true, force: true });
	}
}
