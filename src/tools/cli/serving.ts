import process from "node:process";
import { systemCodeOf, usageError } from "./failure.ts";

/** Returns a handler that turns the system's error of a server that cannot listen there into a usage error. */
export function explainListenError({ host, port }: { readonly host: string; readonly port: number }) {
	return (error: unknown): never => {
		const code = systemCodeOf(error);
		if (code === "EADDRINUSE")
			throw usageError(
				`port ${port} is already in use`,
				"Give another one with --port, or 0 for any free port.",
			);
		if (code === "EACCES")
			throw usageError(
				`port ${port} may not be used by this user`,
				"Give one from 1024 on with --port, or 0 for any free port.",
			);
		if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND")
			throw usageError(`${host} is not an address of this machine`, "Give one of its addresses with --host.");
		throw error;
	};
}

const SIGNALS = ["SIGINT", "SIGTERM"] as const;

/** Resolves on the first SIGINT or SIGTERM. A second one ends the process at once. */
export function untilStopped(): Promise<void> {
	return new Promise((resolve) => {
		const stop = (): void => {
			for (const signal of SIGNALS) process.off(signal, stop);
			resolve();
		};
		for (const signal of SIGNALS) process.on(signal, stop);
	});
}
