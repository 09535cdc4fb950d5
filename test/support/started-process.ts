import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { onFreePort } from "./free-port.ts";
import { PROCESS_LIFE_MS } from "./patience.ts";
import { dyingWithParent } from "./servers/server-process.ts";

/** A server in another process. */
export interface StartedProcess extends AsyncDisposable {
	readonly url: string;
	/** What it has printed since it was ready. */
	readonly lines: readonly string[];
	/** What it has written to its standard error. */
	readonly errors: readonly string[];
	/** Sends it a signal to end. @returns its exit code, `null` if the signal killed it. */
	stop(): Promise<number | null>;
}

/** A line that belongs to the one before it: of a stack, or of an error's fields. */
const CONTINUED = /^(\s|[\]}])/;

/**
 * Starts Node, or another command, with these arguments, and waits until the process prints that it is ready. PORT names a
 * free port, and so does `$PORT` as an argument. Disposing kills the process, and throws if it wrote unexpected errors.
 */
export function startProcess(args: readonly string[], options: StartOptions): Promise<StartedProcess> {
	return onFreePort((port) => startOn(port, args, options));
}

interface StartOptions {
	cwd: string;
	environment: NodeJS.Dict<string>;
	ready: RegExp;
	command?: string;
	/** The lines on its standard error that belong to its test. */
	expectedErrors?: RegExp | undefined;
}

async function startOn(
	port: number,
	args: readonly string[],
	options: StartOptions,
): Promise<StartedProcess> {
	const { cwd, environment, ready, command = process.execPath, expectedErrors = /^$/ } = options;
	const [file = command, ...more] = dyingWithParent("SIGKILL", [
		command,
		...args.map((arg) => (arg === "$PORT" ? String(port) : arg)),
	]);
	const child = spawn(file, more, {
		cwd,
		env: { ...process.env, ...environment, PORT: String(port) },
		stdio: ["ignore", "pipe", "pipe"],
		timeout: PROCESS_LIFE_MS,
		killSignal: "SIGKILL",
	});
	// Unlike "exit", it comes after the last line.
	const ended = once(child, "close");
	const lines: string[] = [];
	const errors: string[] = [];
	createInterface(child.stderr).on("line", (line) => errors.push(line));
	const isReady = new Promise<void>((resolve) => {
		createInterface(child.stdout).on("line", (line) => {
			lines.push(line);
			if (!ready.test(line)) return;
			lines.length = 0;
			resolve();
		});
	});
	const hasEnded = ended.then(() => true);
	if (await Promise.race([isReady, hasEnded]))
		throw new Error(`it ended: ${[...lines, ...errors].join("\n")}`);
	return {
		url: `http://127.0.0.1:${port}`,
		lines,
		errors,
		async stop() {
			child.kill("SIGTERM");
			await ended;
			return child.exitCode;
		},
		async [Symbol.asyncDispose]() {
			child.kill("SIGKILL");
			await ended;
			const others = errors.filter((line) => !CONTINUED.test(line) && !expectedErrors.test(line));
			if (others.length > 0) throw new Error(`it wrote to its standard error: ${others.join("\n")}`);
		},
	};
}
