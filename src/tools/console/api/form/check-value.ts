import { isJsonObject } from "../../../../library/is-object.ts";
import type { JsonObject } from "../../parts/json-value.ts";
import type { ResolvedSchema } from "../document/api-document.ts";

export interface Violation {
	/** The dotted path of the value; empty for the root. */
	readonly path: string;
	/** The constraint, such as `must be a string`. */
	readonly message: string;
}

/** Checks a value against its schema, to warn before sending. The gateway decides. */
export function checkValue(schema: ResolvedSchema, value: unknown, path = ""): readonly Violation[] {
	const { types, choices, items } = schema;
	if (types.length > 0 && !types.some((type) => isOfType(type, value)))
		return [{ path, message: `must be ${types.map(nameType).join(" or ")}` }];
	const messages = [
		choices === undefined || choices.includes(value)
			? undefined
			: `must be ${choices.map((choice) => JSON.stringify(choice)).join(" or ")}`,
		checkAmount(schema, value),
		checkPattern(schema, value),
	];
	return [
		...messages.flatMap((message) => (message === undefined ? [] : [{ path, message }])),
		...(Array.isArray(value) && items !== undefined
			? value.flatMap((item, at) => checkValue(items, item, joinPath(path, String(at))))
			: []),
		...(isJsonObject(value) ? checkFields(schema, value, path) : []),
		...checkAlternatives(schema, value, path),
	];
}

function isOfType(type: string, value: unknown): boolean {
	if (type === "integer") return Number.isInteger(value);
	return type === (value === null ? "null" : Array.isArray(value) ? "array" : typeof value);
}

function nameType(type: string): string {
	return type === "null" ? "null" : `${/^[aeiou]/.test(type) ? "an" : "a"} ${type}`;
}

/** Checks the length of a string, the number of items in an array, or the value of a number. */
function checkAmount({ minimum = -Infinity, maximum = Infinity }: ResolvedSchema, value: unknown) {
	const isCounted = typeof value === "string" || Array.isArray(value);
	const amount = isCounted ? value.length : value;
	if (typeof amount !== "number" || (amount >= minimum && amount <= maximum)) return undefined;
	const limit = amount < minimum ? minimum : maximum;
	const unit = !isCounted ? "" : Array.isArray(value) ? " item" : " character";
	const plural = unit === "" || limit === 1 ? "" : "s";
	return `must be at ${amount < minimum ? "least" : "most"} ${limit}${unit}${plural}`;
}

function checkPattern({ pattern, examples }: ResolvedSchema, value: unknown): string | undefined {
	if (pattern === undefined || typeof value !== "string" || matches(pattern, value)) return undefined;
	return `must match ${pattern}${examples.length === 0 ? "" : `, such as ${String(examples[0])}`}`;
}

/** A pattern that is invalid in JavaScript is left to the gateway. */
function matches(pattern: string, value: string): boolean {
	try {
		return new RegExp(pattern, "u").test(value);
	} catch {
		return true;
	}
}

function checkFields(schema: ResolvedSchema, object: JsonObject, path: string): Violation[] {
	const { properties, required, isOpen, dependentRequired } = schema;
	const names = Object.keys(object);
	const violation = (name: string, message: string): Violation => ({ path: joinPath(path, name), message });
	return [
		...required.filter((name) => !names.includes(name)).map((name) => violation(name, "is required")),
		...names.flatMap((name) => {
			const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
			if (property !== undefined) return checkValue(property, object[name], joinPath(path, name));
			return isOpen ? [] : [violation(name, "isn't a field of the document")];
		}),
		...Object.entries(dependentRequired)
			.filter(([name]) => names.includes(name))
			.flatMap(([name, others]) =>
				others.filter((other) => !names.includes(other)).map((other) => violation(name, `requires ${other}`)),
			),
	];
}

function checkAlternatives(
	{ oneOf, anyOf }: ResolvedSchema,
	value: unknown,
	path: string,
): readonly Violation[] {
	const names = requiredNames(oneOf);
	// The types of those fields are checked where they are.
	const fitting =
		names === undefined
			? oneOf.filter((part) => checkValue(part, value).length === 0)
			: names.filter((name) => Object.hasOwn(Object(value), name));
	if (oneOf.length > 0 && fitting.length !== 1) {
		const wanted =
			names === undefined ? `be one of ${oneOf.length} forms` : `have exactly one of ${names.join(", ")}`;
		return [{ path, message: `must ${wanted}` }];
	}
	const violations = anyOf.map((part) => checkValue(part, value, path));
	if (violations.length === 0 || violations.some((list) => list.length === 0)) return [];
	// The alternative with the fewest violations is most likely the intended one.
	return violations.reduce((best, list) => (list.length < best.length ? list : best));
}

/** The field names of alternatives that each only require one field. */
export function requiredNames(alternatives: readonly ResolvedSchema[]): readonly string[] | undefined {
	const names = alternatives.flatMap(({ required, properties }) =>
		required.length === 1 && Object.keys(properties).every((name) => required.includes(name)) ? required : [],
	);
	return names.length === alternatives.length ? names : undefined;
}

function joinPath(path: string, name: string): string {
	return path === "" ? name : `${path}.${name}`;
}
