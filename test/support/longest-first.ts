import { createHash } from "node:crypto";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** The files that take longest: started last, one of them would keep the run waiting alone. */
const LONGEST =
	/\/(docs-site|console-pages|chaos|examples|types|browser-signing|snippets|optional-peers|cli)\.test\.ts$/;

/** Starts the longest files first; within each half, the order is vitest's own, or random if files are shuffled. */
export class LongestFirst extends BaseSequencer {
	override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
		const { shuffle, seed } = this.ctx.config.sequence;
		const sorted = shuffle
			? sortBy(files, ({ moduleId }) => hash(`${seed} ${moduleId}`))
			: await super.sort(files);
		return sortBy(sorted, ({ moduleId }) => (LONGEST.test(moduleId) ? "0" : "1"));
	}
}

function hash(text: string): string {
	return createHash("sha256").update(text).digest("hex");
}

function sortBy(files: readonly TestSpecification[], keyOf: (file: TestSpecification) => string) {
	return files.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : keyOf(a) > keyOf(b) ? 1 : 0));
}
