import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { PROCESS_LIFE_MS } from "./patience.ts";

/** The built one: it is what users run, and it starts at once. */
const MAIN = fileURLToPath(new URL("../../dist/cli/messaging-gateway.js", import.meta.url));

/** What a run of the command wrote, and its exit code. */
export interface CliResult {
	readonly code: number | null;
	readonly stdout: string;
	readonly stderr: string;
}

/** What a run of the command gets in addition to its arguments. */
export interface CliOptions {
	readonly env?: Readonly<Record<string, string>>;
	/** What it finds on standard input. */
	readonly input?: string | Uint8Array;
	readonly cwd?: string;
}

/** The variables that make a folder the home of a new machine, on every platform. */
export function machineAt(home: string): Record<string, string> {
	return { HOME: home, USERPROFILE: home, XDG_STATE_HOME: join(home, "state"), LOCALAPPDATA: home };
}

/** The environment without a variable of ours. */
function environment(): NodeJS.ProcessEnv {
	const ours = Object.keys(process.env).filter((name) =>
		/^(MESSAGING_GATEWAY_|DUPLICATE_|NO_COLOR|FORCE_COLOR|NODE_USE_ENV_PROXY|(https?|no)_proxy$)/i.test(name),
	);
	return { ...process.env, ...Object.fromEntries(ours.map((name) => [name, undefined])) };
}

/** Runs a line as a person pastes it into a shell of a folder, which is the home of its machine. */
export async function runLine(line: string, home: string): Promise<CliResult> {
	installNpx(join(home, "bin"));
	const PATH = [join(home, "bin"), process.env["PATH"]].join(delimiter);
	const child = spawn("sh", ["-c", line], { cwd: home, env: { ...environment(), ...machineAt(home), PATH } });
	child.stdin.end();
	const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
	return { code: child.exitCode, stdout, stderr };
}

/** Puts an `npx` into a folder for the PATH, which runs the built command instead of asking a registry. */
export function installNpx(folder: string): void {
	mkdirSync(folder, { recursive: true });
	const script = `#!/bin/sh\nshift\nexec '${process.execPath}' '${MAIN}' "$@"\n`;
	writeFileSync(join(folder, "npx"), script, { mode: 0o755 });
}

/**
 * Starts the command, with no variable of ours but those given; without others, on a machine where it was never run
 * and that is gone afterwards.
 */
export function startCli(args: readonly string[], { env = {}, cwd }: CliOptions = {}) {
	const home = mkdtempSync(join(tmpdir(), "messaging-gateway-home-"));
	const child = spawn(process.execPath, [MAIN, ...args], {
		cwd,
		env: { ...environment(), ...machineAt(home), ...env },
		timeout: PROCESS_LIFE_MS,
		killSignal: "SIGKILL",
	});
	child.once("close", () => rmSync(home, { recursive: true, force: true }));
	return child;
}

/** Runs the command to its end. */
export async function runCli(args: readonly string[], options: CliOptions = {}): Promise<CliResult> {
	const child = startCli(args, options);
	child.stdin.end(options.input ?? "");
	const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
	return { code: child.exitCode, stdout, stderr };
}

/** Runs the command with `--json`, and parses what it wrote. */
export async function runCliForJson(args: readonly string[], options: CliOptions = {}) {
	const { code, stdout } = await runCli([...args, "--json"], options);
	return { code, value: JSON.parse(stdout) };
}
