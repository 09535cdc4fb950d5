/** Tables of Markdown. */

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
	const lines = [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`);
	return `${lines.join("\n")}\n`;
}

/** A value stands as code; a sentence about it does not. */
export function showDefault(byDefault: string): string {
	const [, value, rest = ""] = /^(\[.*\]|\S+)( \(.*\))?$/.exec(byDefault) ?? [];
	return value === undefined
		? byDefault.replace(/(?<![`\w])[A-Z]+(_[A-Z]+)+/g, "`$&`")
		: `\`${value}\`${rest}`;
}
