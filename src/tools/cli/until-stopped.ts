import process from "node:process";

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
