/** The examples at the end of a verb's help. */
export function examples(...lines: readonly string[]): string {
	return `\nExamples:\n${lines.map((line) => `  $ ${line}`).join("\n")}`;
}
