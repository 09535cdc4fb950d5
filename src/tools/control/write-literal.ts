/** The maximum length of a line with an array or an object. */
export const MAX_LINE = 72;

/**
 * Writes a JSON value as JavaScript source, indented by two spaces. It evaluates to the same value.
 * @param width - the characters left on the first line.
 */
export function writeLiteral(value: unknown, indent = "", width = MAX_LINE): string {
	if (Array.isArray(value)) {
		return writeBlock(
			value.map((item) => (inner: string) => writeLiteral(item, inner)),
			"[]",
			indent,
			width,
		);
	}
	if (typeof value === "object" && value !== null) {
		const members = Object.entries(value).map(
			([name, member]) =>
				(inner: string) =>
					`${writeName(name)}: ${writeLiteral(member, inner)}`,
		);
		return writeBlock(members, "{}", indent, width);
	}
	return JSON.stringify(value);
}

/** Writes one line if it fits, or else one line per part. */
function writeBlock(
	parts: readonly ((indent: string) => string)[],
	[open = "", close = ""]: string,
	indent: string,
	width: number,
): string {
	if (parts.length === 0) return open + close;
	const inner = `${indent}  `;
	const written = parts.map((write) => write(inner));
	const space = open === "{" ? " " : "";
	const line = `${open}${space}${written.join(", ")}${space}${close}`;
	if (line.length <= width - indent.length && !line.includes("\n")) return line;
	return `${open}\n${written.map((part) => `${inner}${part},\n`).join("")}${indent}${close}`;
}

function writeName(name: string): string {
	// In a literal, `__proto__` would set the prototype instead of a field.
	if (name === "__proto__") return '["__proto__"]';
	return /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
}
