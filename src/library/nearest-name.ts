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
const MAX_LENGTH = 50;

/**
 * The name that a misspelt one most likely means: by an alias, or by the letters that differ, regardless of case and marks.
 * @returns `undefined` if no name is near.
 */
export function nearestName<Name extends string>(misspelt: string, names: readonly Name[]): Name | undefined {
	const given = plain(misspelt);
	const alias = Object.hasOwn(ALIASES, given) ? ALIASES[given] : undefined;
	let nearest = names.find((name) => name === alias);
	let least = nearest === undefined ? Number.POSITIVE_INFINITY : 0;
	for (const name of given === "" ? [] : names) {
		const known = plain(name);
		const longer = Math.max(given.length, known.length);
		// None of a single letter may differ, one of a short name, a third of a longer one, five at most.
		const most = Math.min(5, Math.floor(longer < 6 ? longer / 2 : longer / 3), longer < 5 ? 1 : 5);
		// The first word of a name leaves out its unit.
		const isStart = given.length > 4 && known.startsWith(given);
		const distance = isStart ? known.length - given.length : distanceOf(given, known, most);
		if ((isStart || distance <= most) && distance < least) [nearest, least] = [name, distance];
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

/** How many letters were added, left out, changed, or swapped with their neighbours; `Infinity` beyond the most that counts. */
function distanceOf(given: string, known: string, most: number): number {
	// Each letter that one has more costs a step: without this, the steps would multiply with every letter.
	if (Math.abs(given.length - known.length) > most) return Number.POSITIVE_INFINITY;
	if (given === "" || known === "") return given.length + known.length;
	const [first, second] = given;
	const [left, right] = [given.slice(1), known.slice(1)];
	if (first === known[0]) return distanceOf(left, right, most);
	const pairs = [
		[left, right],
		[left, known],
		[given, right],
	] as const;
	const isSwapped = first === known[1] && second === known[0];
	const further = isSwapped ? [...pairs, [given.slice(2), known.slice(2)] as const] : pairs;
	return 1 + Math.min(...further.map(([one, other]) => distanceOf(one, other, most - 1)));
}
