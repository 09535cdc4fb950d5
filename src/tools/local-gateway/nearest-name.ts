/** How much two names have in common at least if one is suggested for the other; 1 is everything. */
const MIN_SHARE = 0.3;

/** The name that a misspelt one most likely means, by the pairs of letters in both; `undefined` if none is like it. */
export function nearestName<Name extends string>(misspelt: string, names: readonly Name[]): Name | undefined {
	const pairs = pairsOf(misspelt);
	let nearest: Name | undefined;
	let most = MIN_SHARE;
	for (const name of names) {
		const others = pairsOf(name);
		const common = [...pairs].filter((pair) => others.has(pair)).length;
		const share = (2 * common) / (pairs.size + others.size);
		if (share > most) [nearest, most] = [name, share];
	}
	return nearest;
}

function pairsOf(name: string): Set<string> {
	const letters = [...name.toLowerCase().slice(0, 100)];
	return new Set(letters.slice(1).map((letter, at) => `${letters[at]}${letter}`));
}
