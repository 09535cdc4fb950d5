import process from "node:process";
import { setInterval } from "node:timers";
import { findRunningGateways } from "./credentials/running-gateways.ts";
import { type CommandFailure, systemCodeOf, usageError } from "./failure.ts";
import { hasLostNpm } from "./npm-parents.ts";

/** Returns a handler that turns the system's error of a server that cannot listen there into a usage error. */
export function explainListenError({ host, port }: { readonly host: string; readonly port: number }) {
	return async (error: unknown): Promise<never> => {
		const code = systemCodeOf(error);
		if (code === "EADDRINUSE") throw await portInUse(port);
		if (code === "EACCES")
			throw usageError(
				`port ${port} may not be used by this user`,
				"Give one from 1024 on with --port, or 0 for any free port.",
			);
		if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND")
			throw usageError(`${host} isn't an address of this machine`, "Give one of its addresses with --host.");
		throw error;
	};
}

async function portInUse(port: number): Promise<CommandFailure> {
	const running = await findRunningGateways();
	const gateway = running.find(({ baseUrl }) => new URL(baseUrl).port === String(port));
	const another = "another one with --port, or 0 for any free port.";
	if (gateway === undefined) return usageError(`port ${port} is already in use`, `Give ${another}`);
	const { pid } = gateway;
	const stop = process.platform === "win32" ? `taskkill /F /PID ${pid}` : `kill ${pid}`;
	return usageError(
		`port ${port} is already in use by a local gateway that runs, process ${pid}`,
		`\`${stop}\` stops it. To run both, give ${another}`,
	);
}

/** How often to look whether npm still runs, in milliseconds. */
const LOOK_MS = 1_000;

/**
 * Resolves on the first SIGINT or SIGTERM, or when nobody is left to send one: with its terminal, the reader of its
 * output or the npm that started it. A second SIGINT or SIGTERM ends the process at once.
 */
export function untilStopped(): Promise<void> {
	return new Promise((resolve) => {
		const watch = setInterval(() => {
			if (hasLostNpm()) stop();
		}, LOOK_MS).unref();
		const stop = (): void => {
			clearInterval(watch);
			process.off("SIGINT", stop).off("SIGTERM", stop);
			resolve();
		};
		// A terminal that is closed may send more than one SIGHUP.
		process.on("SIGINT", stop).on("SIGTERM", stop).on("SIGHUP", stop);
		// It ended the process at once, without what is still to be written and removed.
		process.stdout.removeAllListeners("error").on("error", stop);
	});
}
