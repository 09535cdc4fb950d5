import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { HOOK_TIMEOUT_MS, TEST_TIMEOUT_MS } from "../../support/patience.ts";

/** What vitest reports as JSON. */
interface Report {
	readonly testResults: readonly {
		readonly name: string;
		readonly message: string;
		readonly assertionResults: readonly { readonly failureMessages: readonly string[] }[];
	}[];
}

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL("../../..", import.meta.url));

const CONFIG = `export default {
	resolve: { conditions: ["@messaging-gateway/source"] },
	ssr: { resolve: { conditions: ["@messaging-gateway/source"] } },
	test: {
		testTimeout: ${TEST_TIMEOUT_MS},
		hookTimeout: ${HOOK_TIMEOUT_MS},
	},
};`;

/** A user's folder in which tests that the console wrote are run, and their types checked. */
export class CopiedTests implements Disposable {
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

	/** Runs all tests, with these variables. @returns why each file failed; empty for those that passed. */
	async run(variables: Readonly<Record<string, string>> = {}): Promise<Record<string, string>> {
		const { testResults } = await this.#report(variables);
		return Object.fromEntries(
			testResults.map(({ name, message, assertionResults }) => {
				const messages = assertionResults.flatMap(({ failureMessages }) => failureMessages);
				return [basename(name), [message, ...messages].join("")];
			}),
		);
	}

	async #report(variables: Readonly<Record<string, string>>): Promise<Report> {
		const vitest = join(ROOT, "node_modules/vitest/vitest.mjs");
		const report = join(this.folder, "report.json");
		const args = [vitest, "run", "--root", this.folder, "--reporter", "json", "--outputFile", report];
		const env = { ...process.env, ...variables, NO_COLOR: "1", VITEST: undefined };
		await run(process.execPath, [...args, "--no-isolate"], { cwd: this.folder, env }).catch(() => undefined);
		return JSON.parse(readFileSync(report, "utf8"));
	}

	/** Checks the types of all tests. @returns the errors of the compiler. */
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
