import { createHash } from "node:crypto";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/**
 * Starts the files that wait for servers, browsers and builds before those that only compute, so that the workers end
 * together. Within each, the order is vitest's own, or random where files are shuffled.
 */
export class LongestFirst extends BaseSequencer {
	override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
		const { shuffle, seed } = this.ctx.config.sequence;
		const sorted = shuffle
			? sortBy(files, ({ moduleId }) => hash(`${seed} ${moduleId}`))
			: await super.sort(files);
		return sortBy(sorted, ({ project }) => (project.name === "integration" ? "0" : "1"));
	}
}

function hash(text: string): string {
	return createHash("sha256").update(text).digest("hex");
}

function sortBy(files: readonly TestSpecification[], keyOf: (file: TestSpecification) => string) {
	return files.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : keyOf(a) > keyOf(b) ? 1 : 0));
}
