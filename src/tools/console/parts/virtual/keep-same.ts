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
