/** What people write from habit, without case and marks, and the name that it has here. */
const ALIASES: Readonly<Record<string, readonly string[]>> = {
	body: ["text"],
	content: ["text"],
	message: ["text"],
	number: ["to"],
	phone: ["to"],
	phonenumber: ["to"],
	recipient: ["to"],
	sender: ["from"],
	media: ["attachments"],
	mediaurl: ["attachments"],
	files: ["attachments"],
	file: ["attachment"],
	audio: ["attachment"],
	url: ["baseUrl"],
	endpoint: ["baseUrl"],
	apikey: ["appId"],
	apisecret: ["appSecret"],
};

/** No name of this package is longer: a longer text is compared by its start. */
const MAX_LENGTH = 100;

/**
 * The name that a misspelt one most likely means: by an alias, or by the letters that differ, regardless of case and marks.
 * @returns `undefined` if no name is near.
 */
export function nearestName<Name extends string>(misspelt: string, names: readonly Name[]): Name | undefined {
	const given = plain(misspelt);
	const aliases = Object.hasOwn(ALIASES, given) ? (ALIASES[given] ?? []) : [];
	let nearest = names.find((name) => aliases.includes(name));
	let least = nearest === undefined ? Number.POSITIVE_INFINITY : 0;
	for (const name of names) {
		const known = plain(name);
		const longer = Math.max(given.length, known.length);
		const distance = distanceOf(given, known);
		const isNear = distance <= (longer < 5 ? 1 : Math.max(2, longer / 3));
		if (given !== "" && isNear && distance < least) [nearest, least] = [name, distance];
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
	let before: readonly number[] = [];
	let last: readonly number[] = Array.from({ length: known.length + 1 }, (_, column) => column);
	for (let row = 1; row <= given.length; row++) {
		const current = [row];
		for (let column = 1; column <= known.length; column++) {
			const isSame = given[row - 1] === known[column - 1];
			const isSwapped = given[row - 1] === known[column - 2] && given[row - 2] === known[column - 1];
			current[column] = Math.min(
				at(last, column) + 1,
				at(current, column - 1) + 1,
				at(last, column - 1) + (isSame ? 0 : 1),
				isSwapped ? at(before, column - 2) + 1 : Number.POSITIVE_INFINITY,
			);
		}
		[before, last] = [last, current];
	}
	return at(last, known.length);
}

function at(row: readonly number[], column: number): number {
	return row[column] ?? Number.POSITIVE_INFINITY;
}
