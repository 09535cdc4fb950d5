/** In which order the keys of an object are written. */
export type KeyOrder = "sorted" | "insertion";

/** What objects with the same keys have in common. */
export interface Shape {
	/** The keys as such an object has them. */
	readonly given: readonly string[];
	/** The keys as they are written. */
	readonly ordered: readonly string[];
	/** An object whose keys stand in that order, or `undefined` where no object can have them so. */
	readonly template: Readonly<Record<string, unknown>> | undefined;
}

/** A stranger's objects are canonicalized too, so that what is remembered of them is bounded. */
const MAX_KEYS = 32;
const MAX_KEY_LENGTH = 64;
const MAX_FIRST_KEYS = 256;
const MAX_SHAPES_OF_FIRST_KEY = 8;

/** By the first key. */
const shapes = { sorted: new Map<string, Shape[]>(), insertion: new Map<string, Shape[]>() };

/**
 * The shape of an object that inherits no keys. It is remembered: objects of one kind follow each other, and sorting
 * their keys anew takes longer than all the rest.
 */
export function shapeOf(object: object, order: KeyOrder): Shape {
	const first = firstKeyOf(object);
	if (first !== undefined) {
		for (const shape of shapes[order].get(first) ?? []) if (hasKeys(object, shape.given)) return shape;
	}
	const given = Object.keys(object);
	const shape = createShape(given, order);
	if (first !== undefined && isToBeRemembered(given)) remember(shapes[order], first, shape);
	return shape;
}

/** The keys in order. */
export function orderKeys(given: readonly string[], order: KeyOrder): readonly string[] {
	// The default sort compares UTF-16 code units, as RFC 8785 section 3.2.3 asks.
	return order === "sorted" ? [...given].sort() : given;
}

function createShape(given: readonly string[], order: KeyOrder): Shape {
	const ordered = orderKeys(given, order);
	const canBeOrdered = !ordered.some(hasPlaceOfItsOwn);
	return { given, ordered, template: canBeOrdered ? createTemplate(ordered) : undefined };
}

/** Objects keep array indices before all else, and setting `__proto__` would set the prototype. */
function hasPlaceOfItsOwn(key: string): boolean {
	return /^(\d+|__proto__)$/.test(key);
}

function createTemplate(ordered: readonly string[]): Record<string, unknown> {
	return Object.fromEntries(ordered.map((key) => [key, null]));
}

/** By `for in`, which makes no list of the keys. */
function firstKeyOf(object: object): string | undefined {
	for (const key in object) return key;
	return undefined;
}

function hasKeys(object: object, keys: readonly string[]): boolean {
	let at = 0;
	for (const key in object) if (keys[at++] !== key) return false;
	return at === keys.length;
}

function isToBeRemembered(keys: readonly string[]): boolean {
	return keys.length <= MAX_KEYS && keys.every((key) => key.length <= MAX_KEY_LENGTH);
}

function remember(known: Map<string, Shape[]>, first: string, shape: Shape): void {
	const shapes = known.get(first) ?? [];
	if (shapes.length >= MAX_SHAPES_OF_FIRST_KEY) shapes.length = 0;
	shapes.push(shape);
	if (known.size >= MAX_FIRST_KEYS) known.clear();
	known.set(first, shapes);
}
