import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import process from "node:process";
import { stripVTControlCharacters } from "node:util";

/** What the tests say of a mutant. */
export type Verdict =
	| { readonly kind: "killed"; readonly by: string }
	| { readonly kind: "survived" }
	/** No test failed, and yet they did not all pass. */
	| { readonly kind: "undecided"; readonly why: string };

/** The first tier, as filters and options of vitest. */
export const FIRST_TIER = ["--project", "first*"];

/** The longest run of the tests: a mutant may keep them from ending. */
const LIMIT_MINUTES = 20;

/** Runs the tests with these filters and options until one fails: the one place that knows how. */
export async function runTests(filters: readonly string[]): Promise<Verdict> {
	const report = join(tmpdir(), `mutants-${process.pid}.json`);
	const vitest = ["node_modules/vitest/vitest.mjs", "run", ...filters, "--bail=1"];
	const args = [...vitest, "--reporter=json", `--outputFile=${report}`];
	// A group of its own: a worker in an endless loop outlives the process that has started it.
	const child = spawn(process.execPath, args, { stdio: "ignore", detached: true });
	const end = (): void => endGroup(child.pid);
	process.once("exit", end);
	const limit = setTimeout(end, LIMIT_MINUTES * 60_000);
	try {
		const [code] = await once(child, "exit");
		if (code === 0) return { kind: "survived" };
		if (code === null) return { kind: "undecided", why: `the tests did not end in ${LIMIT_MINUTES} minutes` };
		return findFailure(JSON.parse(readFileSync(report, "utf8")));
	} finally {
		clearTimeout(limit);
		process.off("exit", end);
		end();
		rmSync(report, { force: true });
	}
}

/** Ends a process and all that it has started in its group. */
export function endGroup(leader: number | undefined): void {
	try {
		if (leader !== undefined) process.kill(-leader, "SIGKILL");
	} catch {
		// All of it has ended.
	}
}

/** The part of vitest's report that is used. */
interface Report {
	readonly testResults: readonly {
		readonly name: string;
		readonly message: string;
		readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[];
	}[];
}

function findFailure({ testResults }: Report): Verdict {
	for (const { name, assertionResults } of testResults) {
		const failed = assertionResults.find(({ status }) => status === "failed");
		if (failed !== undefined) return { kind: "killed", by: `${relative("", name)} › ${failed.fullName}` };
	}
	const message = testResults.find(({ message }) => message !== "")?.message ?? "no test ran";
	return { kind: "undecided", why: stripVTControlCharacters(message).replace(/\s+/g, " ") };
}
