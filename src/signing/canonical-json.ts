import { CanonicalJsonError } from "../errors.ts";

/** How deeply arrays and objects may nest. It keeps any input from overflowing the stack. */
const MAX_DEPTH = 1_000;

/** The types whose `toJSON` JSON.stringify calls: every object, functions among them, and BigInt. */
const MAY_HAVE_TO_JSON = new Set(["object", "function", "bigint"]);

type KeyOrder = "sorted" | "insertion";

/**
 * The canonical JSON form of a value (RFC 8785): keys sorted by UTF-16 code unit, no white space, numbers
 * and strings as ECMAScript writes them. `undefined`, functions, symbols and `toJSON` behave as in
 * `JSON.stringify`; an own `__proto__` key is data.
 *
 * @throws CanonicalJsonError `not_finite`, `bigint`, `lone_surrogate`, `cycle`, `too_deep` (over 1,000
 * levels) or `not_json` (nothing to write, such as `undefined`): an error, never a wrong string.
 */
export function canonicalize(value: unknown): string {
	return serialize(value, "sorted");
}

/**
 * JSON with the same checks as {@link canonicalize}, with the keys in either order.
 * @throws CanonicalJsonError as `canonicalize`.
 */
export function serialize(value: unknown, keyOrder: KeyOrder): string {
	const text = emit(value, "", keyOrder, []);
	if (text === undefined) {
		throw new CanonicalJsonError("not_json", `${typeof value} has no JSON form at the top level`);
	}
	return text;
}

/** Emits one value, or `undefined` where JSON leaves it out. `ancestors` are the containers around it. */
function emit(input: unknown, key: string, keyOrder: KeyOrder, ancestors: object[]): string | undefined {
	const value = unwrap(input, key);
	switch (typeof value) {
		case "string":
			return emitString(value);
		case "number":
			return emitNumber(value);
		case "boolean":
			return value ? "true" : "false";
		case "bigint":
			throw new CanonicalJsonError("bigint", "a BigInt has no JSON form: send it as a string or a number");
		case "object":
			return value === null ? "null" : emitContainer(value, keyOrder, ancestors);
		default:
			return undefined;
	}
}

/** Applies `toJSON` and unwraps boxed primitives, as ECMA-262 SerializeJSONProperty does. */
function unwrap(value: unknown, key: string): unknown {
	if (value === null || !MAY_HAVE_TO_JSON.has(typeof value)) return value;
	const { toJSON } = value as { toJSON?: unknown };
	const plain: unknown = typeof toJSON === "function" ? toJSON.call(value, key) : value;
	if (plain instanceof Number) return Number(plain);
	if (plain instanceof String) return String(plain);
	if (plain instanceof Boolean || plain instanceof BigInt) return plain.valueOf();
	return plain;
}

function emitContainer(container: object, keyOrder: KeyOrder, ancestors: object[]): string {
	if (ancestors.length >= MAX_DEPTH) {
		if (new Set(ancestors).size < ancestors.length || ancestors.includes(container)) {
			throw new CanonicalJsonError("cycle", "the value contains itself");
		}
		throw new CanonicalJsonError("too_deep", `the value nests deeper than ${MAX_DEPTH} levels`);
	}
	ancestors.push(container);
	const text = Array.isArray(container)
		? emitArray(container, keyOrder, ancestors)
		: emitObject(container as Record<string, unknown>, keyOrder, ancestors);
	ancestors.pop();
	return text;
}

function emitArray(items: readonly unknown[], keyOrder: KeyOrder, ancestors: object[]): string {
	let text = "[";
	for (let at = 0; at < items.length; at++) {
		if (at > 0) text += ",";
		text += emit(items[at], String(at), keyOrder, ancestors) ?? "null";
	}
	return `${text}]`;
}

function emitObject(object: Record<string, unknown>, keyOrder: KeyOrder, ancestors: object[]): string {
	const keys = Object.keys(object);
	// The default sort compares UTF-16 code units, as RFC 8785 section 3.2.3 asks.
	if (keyOrder === "sorted") keys.sort();
	let text = "{";
	for (const key of keys) {
		const member = emit(object[key], key, keyOrder, ancestors);
		if (member === undefined) continue;
		if (text.length > 1) text += ",";
		text += `${emitString(key)}:${member}`;
	}
	return `${text}}`;
}

function emitNumber(value: number): string {
	if (!Number.isFinite(value)) {
		throw new CanonicalJsonError("not_finite", "NaN and Infinity have no JSON form");
	}
	// String(-0) is "0", as RFC 8785 appendix B asks.
	return String(value);
}

function emitString(value: string): string {
	if (!value.isWellFormed()) {
		throw new CanonicalJsonError(
			"lone_surrogate",
			"a text holds half of a surrogate pair: it was cut inside a character",
		);
	}
	return JSON.stringify(value);
}
