/** Columns as wide as their widest cell; numbers to the right. */
export function align(rows: readonly (readonly string[])[]): string {
	const [head = []] = rows;
	const widths = head.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
	const isNumeric = head.map((_, column) =>
		rows.slice(1).every((row) => /^[-\d.,]+(e[-+]\d+)?$/.test(row[column] ?? "")),
	);
	return rows
		.map((row) =>
			row
				.map((cell, column) => {
					const width = widths[column] ?? 0;
					return isNumeric[column] ? cell.padStart(width) : cell.padEnd(width);
				})
				.join("  ")
				.trimEnd(),
		)
		.join("\n");
}
