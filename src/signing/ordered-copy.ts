import { type KeyOrder, shapeOf } from "./key-order.ts";
import { isBareObject } from "./unbox.ts";

/** In place of a copy, where there is none. */
const NO_COPY = Symbol("no copy");

/** It inherits what every object and every array does; asking it is quicker than asking the prototypes. */
const EMPTY: unknown[] & { toJSON?: unknown } = [];

/**
 * A copy of plain data that `JSON.stringify` writes with its keys in order, or `undefined` where such a copy could be
 * written otherwise than the value: with `toJSON`, an instance of a class, a primitive in an object, a key that has a place of its own, a number or
 * a type without a JSON form, or more than `maxDepth` levels. Every member is read once.
 */
export function copyInOrder(value: object, order: KeyOrder, maxDepth: number): object | undefined {
	if (arePrototypesChanged()) return undefined;
	const copy = copyContainer(value, order, maxDepth);
	return copy === NO_COPY ? undefined : copy;
}

/** Inherited by every object, an enumerable key would pass for its own, and `toJSON` be called on the copies. */
function arePrototypesChanged(): boolean {
	for (const _ in EMPTY) return true;
	return EMPTY.toJSON !== undefined;
}

function copyContainer(
	container: { readonly toJSON?: unknown },
	order: KeyOrder,
	levels: number,
): object | typeof NO_COPY {
	if (levels === 0 || container.toJSON !== undefined) return NO_COPY;
	if (Array.isArray(container)) return copyArray(container, order, levels - 1);
	const prototype: unknown = Object.getPrototypeOf(container);
	if (prototype !== Object.prototype && !(prototype === null && isBareObject(container))) return NO_COPY;
	return copyObject(container as Record<string, unknown>, order, levels - 1);
}

/** By index, as JSON.stringify reads them: a class of its own may iterate otherwise. */
function copyArray(items: readonly unknown[], order: KeyOrder, levels: number): object | typeof NO_COPY {
	const copies: unknown[] = [];
	for (let at = 0; at < items.length; at++) {
		const copy = copyMember(items[at], order, levels);
		if (copy === NO_COPY) return NO_COPY;
		copies.push(copy);
	}
	return copies;
}

function copyObject(
	object: Readonly<Record<string, unknown>>,
	order: KeyOrder,
	levels: number,
): object | typeof NO_COPY {
	const { ordered, template } = shapeOf(object, order);
	if (template === undefined) return NO_COPY;
	// A spread copies all places at once, so that no key has to be added.
	const copies = { ...template };
	for (const key of ordered) {
		const copy = copyMember(object[key], order, levels);
		if (copy === NO_COPY) return NO_COPY;
		copies[key] = copy;
	}
	return copies;
}

function copyMember(member: unknown, order: KeyOrder, levels: number): unknown {
	switch (typeof member) {
		case "string":
			return member;
		case "object":
			return member === null ? null : copyContainer(member, order, levels);
		case "number":
			return Number.isFinite(member) ? member : NO_COPY;
		case "bigint":
		case "function":
			return NO_COPY;
		default:
			return member;
	}
}
