import { existsSync, globSync, statSync } from "node:fs";
import { availableParallelism } from "node:os";
import { normalize } from "node:path";
import { judgeChanges } from "./judge-changes.ts";
import {
	compareWithRecord,
	type FileComparison,
	improveRecord,
	type MutantRecord,
	readRecord,
	writeRecord,
} from "./record.ts";

/** Tests that a part of src has beside those of its mirror in test/unit, by how their paths begin. */
const FURTHER_TESTS: Readonly<Record<string, readonly string[]>> = {
	"src/library/sends": ["test/messages/sender.test.ts", "test/unit/library/client/control-flow.test.ts"],
	"src/library/stores": [
		"test/messages/stores.test.ts",
		"test/integration/inbox-postgres.test.ts",
		"test/integration/send-stores.test.ts",
		"test/integration/stores-",
	],
	// What each method sends, and the sentences of errors.
	"src/library/client": [
		"test/contract/client.test.ts",
		"test/messages/client.test.ts",
		"test/messages/requests.test.ts",
		"test/messages/responses.test.ts",
		"test/messages/secrets.test.ts",
		"test/unit/library/sends/bad-input.test.ts",
	],
	"src/library/signing": ["test/messages/requests.test.ts", "test/unit/library/catalogue/profile.test.ts"],
	"src/library/store-calls": [
		"test/messages/stores.test.ts",
		"test/unit/library/sends/crashes.test.ts",
		"test/unit/library/sends/store-contract.test.ts",
		"test/unit/library/signing/nonce-store.test.ts",
		"test/unit/library/stores/",
		"test/unit/library/webhooks/handler-lease.test.ts",
		"test/unit/library/webhooks/handler-store",
	],
	"src/tools/control": ["test/messages/local-gateway.test.ts"],
	"src/library/webhooks": ["test/integration/webhooks-", "test/messages/webhooks.test.ts"],
	// What only the control shows of the local gateway.
	"src/tools/local-gateway": [
		"test/unit/tools/control/actions.test.ts",
		"test/unit/tools/control/changes.test.ts",
		"test/unit/tools/control/kept.test.ts",
		"test/unit/tools/control/views.test.ts",
		"test/messages/local-gateway.test.ts",
	],
};

/** Many changes only hang until a test's time is over: more processes than cores wait for them together. */
const PROCESSES = 3 * availableParallelism();

/** How often progress is printed. */
const PROGRESS_MS = 30_000;

/**
 * Plants every single change in the sources, and records which of them the tests notice.
 * @param paths - sources, or folders with them. @param tests - how the paths of test files begin; by default those of the
 * same part of the library or of the tools.
 * @returns the exit code: 1 if a change lives that the record does not have as living.
 */
export async function runGenerated(paths: readonly string[], tests: readonly string[]): Promise<number> {
	const files = paths
		.map((path) => normalize(path))
		.flatMap(findSources)
		.sort();
	if (files.length === 0)
		throw new Error("name the sources to change, or their folders: src/library/signing");
	const parts = Map.groupBy(files, partOf);
	let isWorse = false;
	for (const [part, own] of parts) {
		const comparisons = await judgePart(part, own, tests.length > 0 ? tests : testsOf(part));
		for (const comparison of comparisons) console.log(describe(comparison));
		isWorse ||= comparisons.some(({ lost }) => lost.length > 0);
	}
	if (isWorse) {
		console.log(
			"\nThese lived through the tests, and the record does not have them as living. Add a test that notices them;",
		);
		console.log(
			"or, if they change nothing, add them to test/mutants/generated.json in a commit that says why.",
		);
	}
	return isWorse ? 1 : 0;
}

async function judgePart(
	part: string,
	files: readonly string[],
	tests: readonly string[],
): Promise<FileComparison[]> {
	let printedAt = performance.now();
	const changes = await judgeChanges({
		files,
		tests,
		processes: PROCESSES,
		onProgress(judged, all) {
			if (performance.now() - printedAt < PROGRESS_MS) return;
			printedAt = performance.now();
			console.log(`… ${judged} of ${all} changes of ${part}`);
		},
	});
	const record = readRecord();
	const comparisons = compareWithRecord(changes, record);
	writeRecord(improveRecord(withoutGone(record), comparisons));
	return comparisons;
}

/** Files that are not there any more hold nothing. */
function withoutGone(record: MutantRecord): MutantRecord {
	return Object.fromEntries(Object.entries(record).filter(([file]) => existsSync(file)));
}

function findSources(path: string): string[] {
	if (!existsSync(path)) throw new Error(`there is no ${path}`);
	if (!statSync(path).isDirectory()) return [path];
	return globSync(`${path.replace(/\/$/, "")}/**/*.ts`);
}

/** The part of src to which a file belongs: `src/library/signing`. */
function partOf(file: string): string {
	return file.split("/").slice(0, 3).join("/").replace(/\.ts$/, "");
}

function testsOf(part: string): string[] {
	const mirror = part.replace(/^src\//, "test/unit/");
	return [`${mirror}/`, `${mirror}.test.ts`, ...(FURTHER_TESTS[part] ?? [])];
}

function describe({ file, killed, all, killedBefore, lost }: FileComparison): string {
	const before = killedBefore === undefined ? "not recorded before" : `${killedBefore} before`;
	const line = `${file}: ${killed} of ${all} killed (${before})`;
	return [line, ...lost.map((name) => `  ✗ ${name}`)].join("\n");
}
