import { type ChildProcess, fork } from "node:child_process";
import { join } from "node:path";
import process from "node:process";
import { endGroup } from "../run-tests.ts";
import type { Question, Report } from "./messages.ts";

/** A test file that has not ended after this long never will: each of its tests has far less time. */
const LIMIT_MS = 45_000;

/** What came of a question: a report, or after how many test files the process hung. */
export type Response =
	| Exclude<Report, { type: "ready" | "file" | "error" }>
	| { readonly type: "hung"; readonly files: number };

/** A process with vitest in it, which can be ended when it hangs. */
export class TestProcess {
	readonly #files: readonly string[];
	readonly #tests: readonly string[];
	#child: Promise<ChildProcess> | undefined;

	/** @param files - sources, from the root. @param tests - how the paths of test files begin. */
	constructor(files: readonly string[], tests: readonly string[]) {
		this.#files = files;
		this.#tests = tests;
	}

	/** Asks the process, which starts if there is none. @throws what it reports as an error. */
	async ask(question: Question): Promise<Response> {
		this.#child ??= this.#start();
		const child = await this.#child;
		const { promise, resolve, reject } = Promise.withResolvers<Response>();
		let files = 0;
		const giveUp = (): void => {
			this.end();
			resolve({ type: "hung", files });
		};
		let limit = setTimeout(giveUp, LIMIT_MS);
		const onReport = (report: Report): void => {
			clearTimeout(limit);
			limit = setTimeout(giveUp, LIMIT_MS);
			if (report.type === "file") files += 1;
			else if (report.type === "error") reject(new Error(report.message));
			else if (report.type !== "ready") resolve(report);
		};
		// A change may end the process instead.
		const onExit = (): void => giveUp();
		child.on("message", onReport).once("exit", onExit);
		child.send(question);
		return promise.finally(() => {
			clearTimeout(limit);
			child.off("message", onReport).off("exit", onExit);
		});
	}

	/** Ends the process and what it has started. */
	end(): void {
		this.#child?.then(
			({ pid }) => endGroup(pid),
			() => undefined,
		);
		this.#child = undefined;
	}

	async #start(): Promise<ChildProcess> {
		const args = [this.#files, this.#tests].map((list) => JSON.stringify(list));
		// A group of its own: a worker in an endless loop outlives the process that has started it.
		const child = fork(join(import.meta.dirname, "process.ts"), args, {
			detached: true,
			silent: true,
			serialization: "advanced",
		});
		process.once("exit", () => endGroup(child.pid));
		let output = "";
		for (const stream of [child.stdout, child.stderr]) stream?.on("data", (text) => (output += text));
		const { promise, resolve, reject } = Promise.withResolvers<ChildProcess>();
		child.once("message", () => resolve(child));
		child.once("exit", () => reject(new Error(`the tests could not be started:\n${output}`)));
		return promise;
	}
}
