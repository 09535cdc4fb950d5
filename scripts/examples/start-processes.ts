import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { dyingWithParent } from "../../test/support/servers/server-process.ts";

/** The processes of an example. They end together; disposing of them ends them. */
export interface RunningProcesses extends Disposable {
	/** Aborts as soon as one of them has ended, or all are stopped. */
	readonly whenEnding: AbortSignal;
	/** The largest of their exit codes, once all have ended; 0 if the user ended them. */
	readonly exitCode: Promise<number>;
}

/** Starts each of the commands. */
export function startProcesses(
	commands: readonly (readonly string[])[],
	environment: NodeJS.Dict<string>,
): RunningProcesses {
	const processes = commands.map((command) => start(command, environment));
	const exits = processes.map((child) => once(child, "exit"));
	const ending = new AbortController();
	let wasStopped = false;
	const end = (): void => {
		ending.abort();
		for (const child of processes) child.kill();
	};
	const stop = (): void => {
		wasStopped = true;
		end();
	};
	process.once("SIGINT", stop).once("SIGTERM", stop);

	async function waitForAll(): Promise<number> {
		await Promise.race(exits);
		end();
		await Promise.all(exits);
		const codes = processes.map(({ exitCode, killed }) => exitCode ?? (killed ? 0 : 1));
		return wasStopped ? 0 : Math.max(...codes);
	}
	return { whenEnding: ending.signal, exitCode: waitForAll(), [Symbol.dispose]: end };
}

function start(command: readonly string[], environment: NodeJS.Dict<string>): ChildProcess {
	const [file = "", ...args] = dyingWithParent("SIGTERM", command);
	return spawn(file, args, {
		env: environment as NodeJS.ProcessEnv,
		stdio: ["ignore", "inherit", "inherit"],
		// In its own process group: Ctrl+C reaches only us, and an example ends the processes that it started.
		detached: true,
	});
}
