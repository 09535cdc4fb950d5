/** In which order the keys of an object are written. */
export type KeyOrder = "sorted" | "insertion";

/** What objects with the same keys have in common. */
export interface Shape {
	/** The keys as such an object has them. */
	readonly given: readonly string[];
	/** The keys as they are written. */
	readonly ordered: readonly string[];
	/** An object whose keys are in that order, or `undefined` if no object can have them in it. */
	readonly template: Readonly<Record<string, unknown>> | undefined;
}

/** Bounds the cache, since objects of untrusted senders are canonicalized too. */
const MAX_KEYS = 32;
const MAX_KEY_LENGTH = 64;
const MAX_FIRST_KEYS = 256;
const MAX_SHAPES_OF_FIRST_KEY = 8;

/** By the first key. */
const shapes = { sorted: new Map<string, Shape[]>(), insertion: new Map<string, Shape[]>() };

/** The shape with these keys, if it is remembered: objects of one kind follow each other. */
export function findShape(given: readonly string[], order: KeyOrder): Shape | undefined {
	for (const shape of shapes[order].get(given[0] ?? "") ?? []) if (isSame(shape.given, given)) return shape;
	return undefined;
}

/** Remembers a new shape; `undefined` if it is too large for that. */
export function learnShape(given: readonly string[], order: KeyOrder): Shape | undefined {
	if (given.length > MAX_KEYS || given.some(({ length }) => length > MAX_KEY_LENGTH)) return undefined;
	const shape = createShape(given, order);
	remember(shapes[order], given[0] ?? "", shape);
	return shape;
}

/** The keys in order. */
export function orderKeys(given: readonly string[], order: KeyOrder): readonly string[] {
	// The default sort compares UTF-16 code units, as RFC 8785 section 3.2.3 requires.
	return order === "sorted" ? [...given].sort() : given;
}

function createShape(given: readonly string[], order: KeyOrder): Shape {
	const ordered = orderKeys(given, order);
	const canBeOrdered = !ordered.some(hasFixedPlace);
	return { given, ordered, template: canBeOrdered ? createTemplate(ordered) : undefined };
}

/** Objects list array indices before other keys, and setting `__proto__` would set the prototype. */
function hasFixedPlace(key: string): boolean {
	return /^(\d+|__proto__)$/.test(key);
}

function createTemplate(ordered: readonly string[]): Record<string, unknown> {
	return Object.fromEntries(ordered.map((key) => [key, null]));
}

function isSame(left: readonly string[], right: readonly string[]): boolean {
	if (left.length !== right.length) return false;
	for (let at = 0; at < left.length; at++) if (left[at] !== right[at]) return false;
	return true;
}

function remember(known: Map<string, Shape[]>, first: string, shape: Shape): void {
	const shapes = known.get(first) ?? [];
	if (shapes.length >= MAX_SHAPES_OF_FIRST_KEY) shapes.length = 0;
	shapes.push(shape);
	if (known.size >= MAX_FIRST_KEYS) known.clear();
	known.set(first, shapes);
}
