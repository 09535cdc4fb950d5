import { writeSync } from "node:fs";
import type { Interface } from "node:readline";
import type { Statements } from "./statements.ts";

/** Where a receiver stops itself: in the middle of a handler, or between its end and the store. */
export interface Halt {
	readonly place: "handler" | "end";
	/** How the run ends once the process goes on. */
	readonly ending: "finish" | "fail";
}

/** The orders of the orchestrator to stop: the moments cannot be hit from outside. */
export class Halts {
	readonly #due: Halt[] = [];
	readonly #statements: Statements;

	constructor(lines: Interface, statements: Statements) {
		this.#statements = statements;
		lines.on("line", (line) => this.#due.push(JSON.parse(line) as Halt));
	}

	/** Called where a run can be stopped, which it announces. @throws Error if the run is to fail. */
	async reach(place: Halt["place"], runId: string): Promise<void> {
		const at = this.#due.findIndex((halt) => halt.place === place);
		const [halt] = at < 0 ? [] : this.#due.splice(at, 1);
		if (halt === undefined) return;
		await this.#statements.stop(() => writeSync(process.stdout.fd, `${runId}\n`));
		if (halt.ending === "fail") throw new Error("it fails after a pause, as it should");
	}
}
