/** The places of rows of different heights below each other. */
export interface RowLayout {
	readonly keys: readonly string[];
	/** The top of each row in pixels, and at the end the height of all. */
	readonly tops: Float64Array;
	/** The heights of the rows that were measured. */
	readonly heights: ReadonlyMap<string, number>;
}

/** Consecutive rows; `end` is the first that does not belong to them. */
export interface RowRange {
	readonly first: number;
	readonly end: number;
}

/** Lays out rows; a row that was never measured has the estimated height. */
export function layOut(
	keys: readonly string[],
	heights: ReadonlyMap<string, number>,
	estimate: number,
): RowLayout {
	const tops = new Float64Array(keys.length + 1);
	keys.forEach((key, at) => {
		tops[at + 1] = topOf(tops, at) + (heights.get(key) ?? estimate);
	});
	return { keys, tops, heights };
}

/** The rows that are between two places, at least in part. */
export function rowsBetween({ keys, tops }: RowLayout, from: number, to: number): RowRange {
	const first = countUntil(keys.length, (at) => topOf(tops, at + 1) > from);
	const end = countUntil(keys.length, (at) => topOf(tops, at) >= to);
	return { first, end: Math.max(first, end) };
}

/**
 * How far the content at `place` has moved in a new layout, by the first measured row there. A row that is gone, or that
 * moved away from the row after it, is passed over.
 */
export function shiftBetween(before: RowLayout, after: RowLayout, place: number): number {
	const { first: visible } = rowsBetween(before, place, Number.POSITIVE_INFINITY);
	const measured = before.keys.findIndex((key, at) => at >= visible && before.heights.has(key));
	const first = Math.max(visible, measured);
	for (let at = first; at < before.keys.length; at++) {
		const index = after.keys.indexOf(before.keys[at] ?? "");
		if (index === -1) continue;
		const isAlone = before.keys[at + 1] !== after.keys[index + 1] && at === first;
		if (isAlone && after.keys.includes(before.keys[at + 1] ?? "")) continue;
		return topOf(after.tops, index) - topOf(before.tops, at);
	}
	return 0;
}

export function topOf(tops: Float64Array, at: number): number {
	return tops[at] ?? 0;
}

/** The first index for which `isReached` holds, by binary search: it must hold for all later ones too. */
function countUntil(length: number, isReached: (at: number) => boolean): number {
	let [low, high] = [0, length];
	while (low < high) {
		const middle = (low + high) >> 1;
		if (isReached(middle)) high = middle;
		else low = middle + 1;
	}
	return low;
}

/** The new items. One whose fields all have the same values stays the earlier object, so it is not rendered again. */
export function keepSame<Item extends object>(
	before: readonly Item[],
	after: readonly Item[],
	keyOf: (item: Item) => string,
): readonly Item[] {
	const known = new Map(before.map((item) => [keyOf(item), item]));
	return after.map((item) => {
		const same = known.get(keyOf(item));
		return same !== undefined && haveSameFields(same, item) ? same : item;
	});
}

function haveSameFields(left: object, right: object): boolean {
	const fields = Object.entries(left);
	return (
		fields.length === Object.keys(right).length &&
		fields.every(([name, value]) => Reflect.get(right, name) === value)
	);
}
