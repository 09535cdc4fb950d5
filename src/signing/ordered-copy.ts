import { findShape, type KeyOrder, learnShape, type Shape } from "./key-order.ts";
import { isBareObject } from "./unbox.ts";

/** Returned instead of a copy if there is none. */
const NO_COPY = Symbol("no copy");

/** It inherits from the prototypes of objects and arrays; reading it is faster than reading them. */
const EMPTY: unknown[] & { toJSON?: unknown } = [];

/** Learning a shape costs more than writing one object: a value of many shapes is not copied. */
const MAX_NEW_SHAPES = 64;

/** At each level `JSON.stringify` looks through all levels around it, for a cycle. */
const MAX_LEVELS = 64;

interface Copying {
	readonly order: KeyOrder;
	shapesToLearn: number;
}

/**
 * A copy of plain data that `JSON.stringify` writes with its keys in order, or `undefined` if the copy
 *
 * - could be written differently from the value: with `toJSON`, an instance of a class, a boxed primitive, a key with a
 *   fixed place, a number or a type without a JSON form;
 * - would cost more than its bytes: wide objects, many shapes, many levels.
 *
 * Every member is read once.
 */
export function copyInOrder(value: object, order: KeyOrder): object | undefined {
	if (arePrototypesChanged()) return undefined;
	const copy = copyContainer(value, { order, shapesToLearn: MAX_NEW_SHAPES }, MAX_LEVELS);
	return copy === NO_COPY ? undefined : copy;
}

/** An enumerable key on a prototype would be taken for an own key, and a `toJSON` there be called on the copies. */
function arePrototypesChanged(): boolean {
	for (const _ in EMPTY) return true;
	return EMPTY.toJSON !== undefined;
}

function copyContainer(
	container: { readonly toJSON?: unknown },
	copying: Copying,
	levels: number,
): object | typeof NO_COPY {
	if (levels === 0 || container.toJSON !== undefined) return NO_COPY;
	if (Array.isArray(container)) return copyArray(container, copying, levels - 1);
	const prototype: unknown = Object.getPrototypeOf(container);
	if (prototype !== Object.prototype && !(prototype === null && isBareObject(container))) return NO_COPY;
	return copyObject(container as Record<string, unknown>, copying, levels - 1);
}

/** Reads by index, as JSON.stringify does: a subclass may iterate differently. */
function copyArray(items: readonly unknown[], copying: Copying, levels: number): object | typeof NO_COPY {
	// Allocated at its final length: with `push`, a short array reserves room for many more members.
	const copies = new Array<unknown>(items.length);
	for (let at = 0; at < copies.length; at++) {
		const copy = copyMember(items[at], copying, levels);
		if (copy === NO_COPY) return NO_COPY;
		copies[at] = copy;
	}
	return copies;
}

function copyObject(
	object: Readonly<Record<string, unknown>>,
	copying: Copying,
	levels: number,
): object | typeof NO_COPY {
	const shape = shapeOf(Object.keys(object), copying);
	if (shape?.template === undefined) return NO_COPY;
	const { ordered, template } = shape;
	// A spread copies all places at once, so that no key has to be added.
	const copies = { ...template };
	for (const key of ordered) {
		const copy = copyMember(object[key], copying, levels);
		if (copy === NO_COPY) return NO_COPY;
		copies[key] = copy;
	}
	return copies;
}

function shapeOf(keys: readonly string[], copying: Copying): Shape | undefined {
	const known = findShape(keys, copying.order);
	if (known !== undefined) return known;
	copying.shapesToLearn -= 1;
	return copying.shapesToLearn < 0 ? undefined : learnShape(keys, copying.order);
}

function copyMember(member: unknown, copying: Copying, levels: number): unknown {
	switch (typeof member) {
		case "string":
			return member;
		case "object":
			return member === null ? null : copyContainer(member, copying, levels);
		case "number":
			return Number.isFinite(member) ? member : NO_COPY;
		case "bigint":
		case "function":
			return NO_COPY;
		default:
			return member;
	}
}
