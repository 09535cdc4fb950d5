/** `test/costs.json`: CPU-seconds of the first tier, in one run. */
export interface TestCosts {
	/** Of its steps. The tests' own is what they cost apart from their files: vitest, servers and Chromium. */
	readonly steps: Readonly<Record<string, number>>;
	/** Of its test files. */
	readonly files: Readonly<Record<string, number>>;
}

/** What everything costs together. */
export function sumCosts({ steps, files }: TestCosts): number {
	return [...Object.values(steps), ...Object.values(files)].reduce((sum, each) => sum + each, 0);
}
