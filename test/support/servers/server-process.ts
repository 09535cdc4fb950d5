import { spawn } from "node:child_process";
import { once } from "node:events";
import { rm } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { WAIT_MS } from "../patience.ts";

/** A server that can be stopped and started again, on the same port and with the same data. */
export interface RestartableServer extends AsyncDisposable {
	/** Resolves when it responds; does nothing if it was not stopped. */
	start(): Promise<void>;
	/** Resolves when the process and all of its children are gone; does nothing if it is stopped. */
	stop(signal: NodeJS.Signals): Promise<void>;
}

/** How a server is run. */
export interface ServerCommand {
	readonly command: string;
	readonly args: readonly string[];
	/** Variables beside those of the tests. */
	readonly environment?: Readonly<Record<string, string>>;
	/** Everything it writes goes here; removed when the server is disposed of. */
	readonly folder: string;
	/** Ends it at once: when it is disposed of, and when the process of the tests dies. */
	readonly endSignal: "SIGKILL" | "SIGQUIT";
	/** The user that runs it; that of the tests by default. */
	readonly user?: { readonly uid: number; readonly gid: number } | undefined;
	/** Resolves if the server responds. */
	probe(): Promise<unknown>;
}

/** Starts a server, and waits until it responds. */
export async function startServer(server: ServerCommand): Promise<RestartableServer> {
	let running: Awaited<ReturnType<typeof launch>> | undefined;
	const restartable: RestartableServer = {
		async start() {
			running ??= await launch(server);
		},
		async stop(signal) {
			await running?.end(signal);
			running = undefined;
		},
		async [Symbol.asyncDispose]() {
			await restartable.stop(server.endSignal);
			await rm(server.folder, { recursive: true });
		},
	};
	try {
		await restartable.start();
	} catch (error) {
		await restartable[Symbol.asyncDispose]();
		throw error;
	}
	return restartable;
}

async function launch({ command, args, environment, folder, endSignal, user, probe }: ServerCommand) {
	const [file = command, ...more] = dyingWithParent(endSignal, [command, ...args]);
	// In its own process group: Ctrl+C reaches only its parent, whose other processes still use it.
	const detached = process.platform === "linux";
	const child = spawn(file, more, {
		...user,
		cwd: folder,
		env: { ...process.env, ...environment },
		detached,
		stdio: ["ignore", "pipe", "pipe"],
	});
	let log = "";
	for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (log += text));
	// Unlike "exit", it waits for the children too: those of a killed postgres linger for a moment, and hold its memory.
	const closed = once(child, "close");
	async function end(signal: NodeJS.Signals): Promise<void> {
		child.kill(signal);
		await closed;
	}
	const deadline = Date.now() + WAIT_MS;
	while (!(await succeeds(probe))) {
		await Promise.race([closed, sleep(10)]);
		const hasEnded = child.exitCode !== null || child.signalCode !== null;
		if (!hasEnded && Date.now() < deadline) continue;
		await end("SIGKILL");
		throw new Error(`${command} ${hasEnded ? "ended" : "does not respond"}: ${log}`);
	}
	return { end };
}

async function succeeds(run: () => Promise<unknown>): Promise<boolean> {
	try {
		await run();
		return true;
	} catch {
		return false;
	}
}

/** On Linux the kernel ends a process with the process or worker that started it, however that one dies. */
export function dyingWithParent(signal: string, command: readonly string[]): readonly string[] {
	return process.platform === "linux" ? ["setpriv", `--pdeathsig=${signal.slice(3)}`, ...command] : command;
}
