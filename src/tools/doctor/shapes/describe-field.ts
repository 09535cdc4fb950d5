import { type Place, samePlace } from "./conversion.ts";
import type { ConversionName } from "./convertible.ts";
import type { ExpectedField } from "./expected-shape.ts";
import { describeNumber } from "./redact.ts";

/** @param root - what places start from, such as `data` or `data.items[]`. */
export function describeSource(
	own: Place,
	source: Place,
	place: Place,
	as: ConversionName,
	root: string,
): string {
	const type = {
		same: "",
		string: "is a number instead of a string",
		number: "is a numeric string instead of a number",
		milliseconds: "is in seconds instead of milliseconds",
		date: "is a date-time string instead of milliseconds",
	}[as];
	if (samePlace(own, source)) return type;
	const isBeside = samePlace(source.slice(0, -1), place);
	const name = isBeside ? `is called ${source.at(-1)}` : `is at ${writePath(root, source)}`;
	return type === "" ? name : `${name}, and ${type}`;
}

export function writePath(root: string, place: Place): string {
	return [root, ...place].join(".");
}

export function describeExpected({ type, isNullable }: ExpectedField): string {
	const name = type === "other" ? "another type" : `${/^[aeiou]/.test(type) ? "an" : "a"} ${type}`;
	return isNullable ? `${name} or null` : name;
}

export function describeType(value: unknown): string {
	if (value === null) return "null";
	if (Array.isArray(value)) return "an array";
	if (typeof value === "number") return `a number (${describeNumber(value)})`;
	return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
