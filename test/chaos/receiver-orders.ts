import { writeSync } from "node:fs";
import type { Interface } from "node:readline";

/** How a run ends once the process goes on. */
export type Ending = "finish" | "fail";

/**
 * Orders of the orchestrator: the process stops itself when the next run of a handler has done its work, before it calls
 * the store. That moment cannot be hit from outside.
 */
export class Orders {
	readonly #endings: Ending[] = [];

	constructor(lines: Interface) {
		lines.on("line", (line) => this.#endings.push(line === "fail" ? "fail" : "finish"));
	}

	/** Called at the end of each run. @throws Error if the run is to fail. */
	obey(eventId: string): void {
		const ending = this.#endings.shift();
		if (ending === undefined) return;
		writeSync(process.stdout.fd, `${eventId}\n`);
		process.kill(process.pid, "SIGSTOP");
		if (ending === "fail") throw new Error("it fails after a pause, as it should");
	}
}
