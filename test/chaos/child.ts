import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface, type Interface } from "node:readline";
import { fileURLToPath } from "node:url";
import { dyingWithParent } from "../support/servers/server-process.ts";

/** A script in a process of its own, which dies with its parent even while it is paused. */
export interface Child {
	readonly process: ChildProcess;
	/** What it prints after its first line. */
	readonly lines: Interface;
	/** Its first line, which it prints when it is ready. */
	readonly firstLine: string;
}

/**
 * Starts a script with settings as JSON in a variable, and waits until it is ready.
 * @throws Error if it ends before.
 */
export async function startChild(script: URL, variable: string, settings: object): Promise<Child> {
	const path = fileURLToPath(script);
	const command = [process.execPath, "--conditions=@messaging-gateway/source", path];
	const [file = process.execPath, ...args] = dyingWithParent("SIGKILL", command);
	const child = spawn(file, args, {
		env: { ...process.env, [variable]: JSON.stringify(settings) },
		stdio: ["pipe", "pipe", "inherit"],
	});
	const ended = once(child, "exit").then(() => {
		throw new Error(`${path} ended before it was ready`);
	});
	const lines = createInterface(child.stdout);
	const [firstLine] = await Promise.race([once(lines, "line"), ended]);
	ended.catch(() => undefined);
	return { process: child, lines, firstLine: String(firstLine) };
}
