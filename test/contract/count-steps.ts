type Method = (this: { readonly length?: number }, ...given: unknown[]) => unknown;

/** A method whose calls look at entries, and at how many. */
type Walk = readonly [
	holder: object,
	name: string,
	entries: (walked: { readonly length?: number }) => number,
];

const WALKS: readonly Walk[] = [
	...[new Map().keys(), new Set().keys(), [].keys()].map(
		(iterator): Walk => [Object.getPrototypeOf(iterator), "next", () => 1],
	),
	// They look at a whole list, as far as they may.
	...[
		"every",
		"filter",
		"find",
		"findIndex",
		"flatMap",
		"forEach",
		"indexOf",
		"map",
		"reduce",
		"some",
		"sort",
	].map((name): Walk => [Array.prototype, name, ({ length = 0 }) => length]),
];

/** How many entries of maps, sets and lists some work looks at: unlike its time, it is the same on each machine. */
export async function countSteps(work: () => unknown): Promise<number> {
	let steps = 0;
	const replaced = WALKS.map(([holder, name, entries]) => {
		const original = Object.getOwnPropertyDescriptor(holder, name) ?? {};
		const method: Method = original.value;
		const value: Method = function (...given) {
			steps += entries(this);
			return Reflect.apply(method, this, given);
		};
		const replace = (): unknown => Object.defineProperty(holder, name, { ...original, value });
		const restore = (): unknown => Object.defineProperty(holder, name, original);
		return { replace, restore };
	});
	try {
		// Without a walk of its own.
		for (let at = 0; at < replaced.length; at++) replaced[at]?.replace();
		await work();
	} finally {
		for (let at = 0; at < replaced.length; at++) replaced[at]?.restore();
	}
	return steps;
}
