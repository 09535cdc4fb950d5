import { CanonicalJsonError } from "../errors.ts";
import { unbox } from "./unbox.ts";

/** In which order the keys of an object are written. */
export type KeyOrder = "sorted" | "insertion";

/**
 * Writes any value as JSON with its keys in order, at most `maxDepth` levels of it.
 * @param space - written after each comma and colon.
 * @throws CanonicalJsonError as `canonicalize`.
 */
export function writeJson(value: unknown, order: KeyOrder, maxDepth: number, space = ""): string {
	const plain = toPlain(value, "");
	if (isLeftOut(plain)) {
		throw new CanonicalJsonError("not_json", `${typeof value} has no JSON form at the top level`);
	}
	const writer = new JsonWriter(order, maxDepth, space);
	writer.write(plain);
	return writer.json;
}

/**
 * Writes any value as JSON to the end of one string, piece by piece: the cost is linear in the output, however wide, deep
 * or varied the value is.
 */
class JsonWriter {
	json = "";
	readonly #order: KeyOrder;
	readonly #maxDepth: number;
	readonly #comma: string;
	readonly #colon: string;
	readonly #ancestors: object[] = [];

	constructor(order: KeyOrder, maxDepth: number, space: string) {
		this.#order = order;
		this.#maxDepth = maxDepth;
		this.#comma = `,${space}`;
		this.#colon = `:${space}`;
	}

	/** Writes what {@link toPlain} made of a value. */
	write(plain: unknown): void {
		switch (typeof plain) {
			case "string":
				this.json += quote(plain);
				break;
			case "number":
				this.json += writeNumber(plain);
				break;
			case "bigint":
				throw new CanonicalJsonError("bigint", "a BigInt has no JSON form: send it as a string or a number");
			case "object":
				if (plain === null) this.json += "null";
				else this.#writeContainer(plain);
				break;
			default:
				this.json += String(plain);
		}
	}

	#writeContainer(container: object): void {
		this.#enter(container);
		if (Array.isArray(container)) this.#writeArray(container);
		else this.#writeObject(container as Record<string, unknown>);
		this.#ancestors.pop();
	}

	#enter(container: object): void {
		const ancestors = this.#ancestors;
		if (ancestors.length >= this.#maxDepth) {
			if (new Set(ancestors).size < ancestors.length || ancestors.includes(container)) {
				throw new CanonicalJsonError("cycle", "the value contains itself");
			}
			throw new CanonicalJsonError("too_deep", `the value nests deeper than ${this.#maxDepth} levels`);
		}
		ancestors.push(container);
	}

	#writeArray(items: readonly unknown[]): void {
		this.json += "[";
		for (let at = 0; at < items.length; at++) {
			if (at > 0) this.json += this.#comma;
			const plain = toPlain(items[at], at);
			this.write(isLeftOut(plain) ? null : plain);
		}
		this.json += "]";
	}

	#writeObject(object: Record<string, unknown>): void {
		let separator = "{";
		for (const key of orderKeys(Object.keys(object), this.#order)) {
			const plain = toPlain(object[key], key);
			if (isLeftOut(plain)) continue;
			this.json += separator + quote(key) + this.#colon;
			this.write(plain);
			separator = this.#comma;
		}
		this.json += separator === "{" ? "{}" : "}";
	}
}

/** The value that replaces this one in JSON, as ECMA-262 SerializeJSONProperty finds it. */
function toPlain(value: unknown, key: string | number): unknown {
	return mayHaveToJson(value) ? unwrap(value, String(key)) : value;
}

/** Whether JSON has no form for it: an object leaves such a member out, an array has null in its place. */
function isLeftOut(plain: unknown): boolean {
	return plain === undefined || typeof plain === "function" || typeof plain === "symbol";
}

/** The types whose `toJSON` JSON.stringify calls: every object, functions among them, and BigInt. */
function mayHaveToJson(value: unknown): value is object | bigint {
	const type = typeof value;
	return (type === "object" && value !== null) || type === "function" || type === "bigint";
}

/** Applies `toJSON`, then unboxes. */
function unwrap(value: object | bigint, key: string): unknown {
	const { toJSON } = value as { toJSON?: unknown };
	const plain: unknown = typeof toJSON === "function" ? toJSON.call(value, key) : value;
	if (typeof plain !== "object" || plain === null || isCommonContainer(plain)) return plain;
	return unbox(plain);
}

/** Spares nearly every object the search for a primitive inside it. */
function isCommonContainer(value: object): boolean {
	const prototype: unknown = Object.getPrototypeOf(value);
	return prototype === Object.prototype || prototype === Array.prototype;
}

function writeNumber(value: number): string {
	if (!Number.isFinite(value)) {
		throw new CanonicalJsonError(
			"not_finite",
			"NaN and Infinity have no JSON form: pass a finite number or null",
		);
	}
	// String(-0) is "0", as RFC 8785 appendix B requires.
	return String(value);
}

function quote(value: string): string {
	if (!value.isWellFormed()) {
		throw new CanonicalJsonError(
			"lone_surrogate",
			"a string holds half of a surrogate pair: it was cut inside a character",
		);
	}
	return JSON.stringify(value);
}

export function orderKeys(given: readonly string[], order: KeyOrder): readonly string[] {
	// The default sort compares UTF-16 code units, as RFC 8785 section 3.2.3 requires.
	return order === "sorted" ? [...given].sort() : given;
}
