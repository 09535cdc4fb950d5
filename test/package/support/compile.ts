import { type ChildProcess, fork } from "node:child_process";
import { on } from "node:events";
import { versionMajorMinor } from "typescript";

/** Releases of TypeScript that users have; the last is the project's own. */
export const RELEASES = ["5.5", "5.9", versionMajorMinor] as const;

/** How a user compiles. */
export interface Compilation {
	release: (typeof RELEASES)[number];
	/** The folder of the project. */
	folder: string;
	/** Paths from there. */
	files: readonly string[];
	/** What differs from a strict project that checks the declarations of libraries, too. */
	options: {
		lib: readonly string[];
		types: readonly string[];
		module: string;
		moduleResolution: string;
		/** @default true */
		exactOptionalPropertyTypes?: boolean;
	};
}

/** The compiler of every release, in one process that keeps what it has parsed. */
export class Compiler implements Disposable {
	readonly #process: ChildProcess = fork(new URL("compile-process.ts", import.meta.url), { execArgv: [] });
	#compilations = 0;

	/**
	 * Compiles, and returns what is wrong with the user's files and this package's declarations, one line each.
	 * Those of other packages are left out: Next.js's own fail with every release, and those of Hono, msw and pg
	 * with 5.5.
	 */
	async compile(compilation: Compilation): Promise<string[]> {
		const id = this.#compilations++;
		const messages = on(this.#process, "message", { close: ["exit"] });
		this.#process.send({ id, compilation });
		for await (const [response] of messages) {
			if (response.id !== id) continue;
			if (response.failure !== undefined) throw new Error(response.failure);
			return response.problems;
		}
		throw new Error("the compiler's process ended");
	}

	[Symbol.dispose](): void {
		this.#process.kill();
	}
}
