/** The fewest columns for words: a narrower terminal breaks the lines itself. */
const MIN_ROOM = 20;

/**
 * Indents a line, and breaks it between words where it would not fit into `columns`. A longer word stays whole, so
 * that a URL can be copied.
 * @param columns - of the terminal; a file or a pipe has none, and gets one line.
 */
export function wrapWords(line: string, indent: string, columns: number | undefined): string {
	if (columns === undefined) return indent + line;
	const room = Math.max(columns - indent.length, MIN_ROOM);
	const lines: string[] = [];
	for (const word of line.split(" ")) {
		const last = lines.at(-1);
		if (last !== undefined && last.length + 1 + word.length <= room)
			lines[lines.length - 1] = `${last} ${word}`;
		else lines.push(word);
	}
	return lines.map((part) => indent + part).join("\n");
}
