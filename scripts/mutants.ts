/** `npm run mutants`: plants one defect after the other, and shows which test finds it; or every single change of files. */
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import process from "node:process";
import { parseArgs } from "node:util";
import { runGenerated } from "../test/mutants/generated/run-generated.ts";
import type { Mutant } from "../test/mutants/mutant.ts";
import { MUTANTS } from "../test/mutants/mutants.ts";
import { FIRST_TIER, runTests, type Verdict } from "../test/mutants/run-tests.ts";

/** What checks that each mutant can be planted: it finds none that has been. */
const PLANTING = ["test/package/mutants.test.ts", "test/package/generated-mutants.test.ts"];

const HELP = `npm run mutants -- [--only ID…] [--list]
npm run mutants -- --generated FILE… [--tests PATH…]

Plants each mutant of test/mutants in src, runs the tests that are most likely to see it, then, if none did, the first
tier. It restores src after each, and ends with 1 unless all were killed.

  --only ID…  these mutants
  --list      names the mutants, and what each does to a user

With --generated it plants every single change in the files, or in all files of a folder, one at a time: operators,
constants, branches, early returns, statements, awaits, swapped arguments. It runs the tests that reach the change, in
memory: src stays as it is. test/mutants/generated.json has what was noticed, by place, and what lives. It ends with 1,
and records nothing of a file, if a change lives that did not live before.

  --tests PATH…  the tests, by how their paths begin; without it, those of the same part of src`;

// They end the process by its "exit" event, which puts the file back that holds a mutant.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => process.exit(130));

process.exitCode = await main().catch((error: Error) => {
	console.error(error.message);
	return 2;
});

async function main(): Promise<number> {
	const { values, positionals } = parseArgs({
		options: {
			only: { type: "string", multiple: true },
			list: { type: "boolean" },
			generated: { type: "boolean" },
			tests: { type: "string", multiple: true },
			help: { type: "boolean" },
		},
		allowPositionals: true,
	});
	if (values.help) return print(HELP);
	if (values.generated) return runGenerated(positionals, values.tests ?? []);
	const chosen = chooseMutants([...(values.only ?? []), ...positionals]);
	if (values.list) return print(chosen.map(({ id, harm }) => `${id}: ${harm}`).join("\n"));
	assertCommitted();
	// All of them are checked before the first one runs.
	chosen.forEach(plant);
	const counts = { killed: 0, survived: 0, undecided: 0 };
	for (const mutant of chosen) {
		const startedAt = performance.now();
		const verdict = await judge(mutant);
		counts[verdict.kind] += 1;
		const seconds = Math.round((performance.now() - startedAt) / 1_000);
		console.log(`${describe(mutant, verdict)} (${seconds} s)`);
	}
	const { killed, survived, undecided } = counts;
	console.log(`\n${chosen.length} mutants: ${killed} killed, ${survived} survived, ${undecided} undecided`);
	return killed === chosen.length ? 0 : 1;
}

function print(text: string): number {
	console.log(text);
	return 0;
}

function chooseMutants(ids: readonly string[]): readonly Mutant[] {
	const unknown = ids.find((id) => !MUTANTS.some((mutant) => mutant.id === id));
	if (unknown !== undefined) throw new Error(`there is no mutant ${unknown}: --list names them all`);
	return ids.length === 0 ? MUTANTS : MUTANTS.filter(({ id }) => ids.includes(id));
}

function assertCommitted(): void {
	if (execFileSync("git", ["status", "--porcelain", "--", "src"]).length === 0) return;
	throw new Error("src has changes: commit them, or undo them with `git restore src`");
}

/** The text of the mutant's file, as it is and with the mutant in it. */
function plant({ id, file, find, replacement }: Mutant): { original: string; mutated: string } {
	const original = readFileSync(file, "utf8");
	const parts = original.split(find);
	if (parts.length === 2) return { original, mutated: parts.join(replacement) };
	throw new Error(`${id}: ${file} has the text to replace ${parts.length - 1} times instead of once`);
}

async function judge(mutant: Mutant): Promise<Verdict> {
	const { original, mutated } = plant(mutant);
	const restore = (): void => writeFileSync(mutant.file, original);
	process.once("exit", restore);
	writeFileSync(mutant.file, mutated);
	try {
		const verdict = await runTests(mutant.tests);
		if (verdict.kind !== "survived") return verdict;
		const except = mutant.except === undefined ? PLANTING : [...PLANTING, mutant.except];
		return await runTests([...FIRST_TIER, ...except.flatMap((path) => ["--exclude", path])]);
	} finally {
		restore();
		process.off("exit", restore);
	}
}

function describe({ id, harm }: Mutant, verdict: Verdict): string {
	if (verdict.kind === "killed") return `✓ ${id} killed by ${verdict.by}`;
	return verdict.kind === "survived" ? `✗ ${id} SURVIVED: ${harm}` : `? ${id} undecided: ${verdict.why}`;
}
