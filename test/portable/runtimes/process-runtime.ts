import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Cells } from "../../hosts/actions.ts";
import { TEST_TIMEOUT_MS } from "../../support/patience.ts";
import { assertPacked, type PortableProject } from "../portable-project.ts";
import { REQUIRE_ROW } from "../rows.ts";
import type { CaseResult } from "../suite.ts";
import type { Runtime } from "./runtime.ts";

/** What `process.js` prints. */
export interface ProcessReport {
	/** `process.versions`, which Bun and Deno have as well. */
	readonly versions: Readonly<Record<string, string | undefined>>;
	/** The file that the package's name leads to. */
	readonly loadedFrom: string;
	readonly results: readonly CaseResult[];
	readonly actions: Cells;
}

/** A runtime that is a command. */
export interface ProcessRuntimeOptions {
	readonly name: string;
	/** Throws where it is missing. */
	findCommand(): string;
	/** The arguments before the file. */
	readonly args?: readonly string[];
	/** Whether it may read a file that another one requires. @default true */
	readonly hasRequire?: boolean;
	/** Which member of `process.versions` is the runtime's own, and how it begins. */
	readonly version: readonly [name: string, begin: string];
}

/** Requires every entry of the suite, and compares it with what an import gets. */
const REQUIRE_FILE = `
const entries = ["", "/doctor", "/signing", "/testing", "/webhooks"].map((entry) => "messaging-gateway" + entry);
const required = entries.map((entry) => require(entry));
Promise.all(entries.map((entry) => import(entry))).then((imported) => {
	const isSame = (module, at) => Object.keys(module).every((name) => module[name] === required[at][name]);
	console.log(typeof required[0].MessagingGateway, imported.every(isSame) ? "same" : "different");
});`;

const run = promisify(execFile);

export function createProcessRuntime(options: ProcessRuntimeOptions): Runtime {
	const { name, findCommand, args = [], hasRequire = true, version } = options;
	return {
		name,
		hasRequire,
		async run({ folder }) {
			const start = (file: string) => startProcess(findCommand(), [...args, file], folder);
			const { stdout } = await start("process.js");
			const report = parseReport(stdout);
			assertPacked(report.loadedFrom);
			const found = report.versions[version[0]] ?? "none";
			if (!found.startsWith(version[1])) throw new Error(`its version is ${found}, not ${version[1]}`);
			const required = hasRequire ? [await tryRequire(folder, start)] : [];
			return { version: found, results: [...report.results, ...required], actions: report.actions };
		},
	};
}

function parseReport(printed: string): ProcessReport {
	try {
		return JSON.parse(printed);
	} catch {
		throw new Error(`it printed no report, but: ${printed}`);
	}
}

async function tryRequire(
	folder: PortableProject["folder"],
	start: (file: string) => Promise<{ stdout: string; stderr: string }>,
): Promise<CaseResult> {
	await writeFile(join(folder, "require.cjs"), REQUIRE_FILE);
	try {
		const { stdout, stderr } = await start("require.cjs");
		const printed = stdout + stderr;
		return printed === "function same\n" ? { name: REQUIRE_ROW } : { name: REQUIRE_ROW, failure: printed };
	} catch (error) {
		return { name: REQUIRE_ROW, failure: String(error) };
	}
}

async function startProcess(
	command: string,
	args: readonly string[],
	cwd: string,
): Promise<{ stdout: string; stderr: string }> {
	const ours = Object.keys(process.env).filter((name) => /^(MESSAGING_GATEWAY_|NODE_OPTIONS$)/.test(name));
	const hidden = Object.fromEntries(ours.map((name) => [name, undefined]));
	const env = { ...process.env, ...hidden, NO_COLOR: "1" };
	try {
		return await run(command, args, { cwd, env, timeout: TEST_TIMEOUT_MS, killSignal: "SIGKILL" });
	} catch (error) {
		throw new Error(describeEnd(command, error as { code?: unknown; killed?: boolean; stderr?: string }));
	}
}

function describeEnd(command: string, error: { code?: unknown; killed?: boolean; stderr?: string }): string {
	if (error.code === "ENOENT") return `${command} is missing: run \`npm ci\``;
	if (error.killed === true) return `it did not end within ${TEST_TIMEOUT_MS / 1_000} s`;
	return `it ended with code ${error.code}: ${error.stderr?.trim()}`;
}
