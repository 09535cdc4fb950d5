import { CanonicalJsonError } from "../errors.ts";
import { isSameDecimal } from "./decimal.ts";

/** What `JSON.rawJSON` returns: an object without a prototype, known by an internal slot. */
interface RawJson {
	readonly rawJSON: string;
}

/** The primitive inside a boxed primitive or raw JSON, of any realm, as ECMA-262 SerializeJSONProperty reads it. */
export function unbox(value: object): unknown {
	if (isRawJson(value)) return readRawJson(value.rawJSON);
	if (!mayBeBoxed(value)) return value;
	// The first two are converted, since an object may override the conversion.
	if (hasSlot(value, Number.prototype.valueOf)) return Number(value);
	if (hasSlot(value, String.prototype.valueOf)) return String(value);
	if (hasSlot(value, Boolean.prototype.valueOf)) return Boolean.prototype.valueOf.call(value);
	if (hasSlot(value, BigInt.prototype.valueOf)) return BigInt.prototype.valueOf.call(value);
	return value;
}

/** Whether an object without a prototype holds its members, and not a primitive. */
export function isBareObject(value: object): boolean {
	return !isRawJson(value) && !mayBeBoxed(value);
}

/**
 * An object without its own tag is tagged by its internal slot. This check spares nearly every object the checks of the
 * slots, each of which throws.
 */
function mayBeBoxed(value: object): boolean {
	return Object.prototype.toString.call(value) !== "[object Object]" && !Array.isArray(value);
}

/** A built-in `valueOf` reads the slot of its kind of object, from any realm, and throws if there is none. */
function hasSlot(value: object, readSlot: (this: never) => unknown): boolean {
	try {
		Reflect.apply(readSlot, value, []);
		return true;
	} catch {
		return false;
	}
}

/** Looked up at each call: not every runtime has it, and some get it later. */
function isRawJson(value: object): value is RawJson {
	const { isRawJSON } = JSON as { isRawJSON?: (value: unknown) => boolean };
	return isRawJSON?.(value) ?? false;
}

/** The primitive; throws if its canonical form would be another number. */
function readRawJson(json: string): unknown {
	const value: unknown = JSON.parse(json);
	if (typeof value === "number" && Number.isFinite(value) && !isSameDecimal(json, String(value))) {
		throw new CanonicalJsonError(
			"not_exact",
			"a raw JSON number has digits that a double doesn't hold: send it as a string",
		);
	}
	return value;
}
