/** What people write from habit, without case and marks, and the name that it has here. */
const ALIASES: Readonly<Record<string, string>> = {
	body: "text",
	content: "text",
	message: "text",
	number: "to",
	phone: "to",
	phonenumber: "to",
	recipient: "to",
	sender: "from",
	media: "attachments",
	url: "baseUrl",
	endpoint: "baseUrl",
};

/** No name of this package is longer: a longer text is compared by its start. */
const MAX_LENGTH = 100;

/**
 * The name that a misspelt one most likely means: by an alias, or by the letters that differ, regardless of case and marks.
 * @returns `undefined` if no name is near.
 */
export function nearestName<Name extends string>(misspelt: string, names: readonly Name[]): Name | undefined {
	const given = plain(misspelt);
	let nearest: Name | undefined;
	let least = Number.POSITIVE_INFINITY;
	for (const name of given === "" ? [] : names) {
		const known = plain(name);
		const longer = Math.max(given.length, known.length);
		const isAlias = Object.hasOwn(ALIASES, given) && ALIASES[given] === name;
		const distance = isAlias ? 0 : distanceOf(given, known);
		// The first word of a name leaves out its unit.
		const isStart = given.length > 4 && known.startsWith(given);
		const limit = longer < 5 ? 1 : Math.max(2, longer / 3);
		if ((distance <= limit || isStart) && distance < least) [nearest, least] = [name, distance];
	}
	return nearest;
}

/** A question that suggests the nearest name, with a space before it; empty if no name is near. */
export function didYouMean(misspelt: string, names: readonly string[]): string {
	const nearest = nearestName(misspelt, names);
	return nearest === undefined ? "" : ` Did you mean "${nearest}"?`;
}

function plain(name: string): string {
	return name
		.slice(0, MAX_LENGTH)
		.toLowerCase()
		.replace(/[^a-z0-9]/g, "");
}

/** How many letters were added, left out, changed, or swapped with their neighbours (Damerau and Levenshtein). */
function distanceOf(given: string, known: string): number {
	const counts: number[][] = [];
	const at = (row: number, column: number): number => counts[row]?.[column] ?? Number.POSITIVE_INFINITY;
	for (let row = 0; row <= given.length; row++) {
		const current: number[] = [];
		counts.push(current);
		for (let column = 0; column <= known.length; column++) {
			const isSame = given[row - 1] === known[column - 1];
			const isSwapped = given[row - 1] === known[column - 2] && given[row - 2] === known[column - 1];
			current.push(
				row + column === 0
					? 0
					: Math.min(
							at(row - 1, column) + 1,
							at(row, column - 1) + 1,
							at(row - 1, column - 1) + (isSame ? 0 : 1),
							isSwapped ? at(row - 2, column - 2) + 1 : Number.POSITIVE_INFINITY,
						),
			);
		}
	}
	return at(given.length, known.length);
}
