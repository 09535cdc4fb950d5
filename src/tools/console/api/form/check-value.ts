import { isObject } from "../../parts/json-value.ts";
import type { JsonSchema } from "../document/read-schema.ts";

/** A violation of a schema. */
export interface Violation {
	/** The dotted path of the value; empty for the root. */
	readonly path: string;
	/** The constraint, such as `must be a string`. */
	readonly message: string;
}

/** Checks a value against its schema, to warn before sending. The gateway decides. */
export function checkValue(schema: JsonSchema, value: unknown, path = ""): readonly Violation[] {
	const wrongType = describeType(schema, value);
	if (wrongType !== undefined) return [{ path, message: wrongType }];
	return [
		...checkChoice(schema, value, path),
		...(typeof value === "string" ? checkString(schema, value, path) : []),
		...(typeof value === "number" ? checkAmount(schema, value, "", path) : []),
		...(Array.isArray(value) ? checkArray(schema, value, path) : []),
		...(isObject(value) ? checkObject(schema, value, path) : []),
		...checkAlternatives(schema, value, path),
	];
}

function describeType({ types }: JsonSchema, value: unknown): string | undefined {
	if (types.length === 0 || types.some((type) => isOfType(type, value))) return undefined;
	return `must be ${types.map((type) => (type === "null" ? "null" : `${/^[aeiou]/.test(type) ? "an" : "a"} ${type}`)).join(" or ")}`;
}

function isOfType(type: string, value: unknown): boolean {
	switch (type) {
		case "null":
			return value === null;
		case "array":
			return Array.isArray(value);
		case "object":
			return isObject(value);
		case "integer":
			return Number.isInteger(value);
		default:
			return typeof value === type;
	}
}

function checkChoice({ choices }: JsonSchema, value: unknown, path: string): Violation[] {
	if (choices === undefined || choices.includes(value)) return [];
	return [{ path, message: `must be ${choices.map((choice) => JSON.stringify(choice)).join(" or ")}` }];
}

function checkString(schema: JsonSchema, value: string, path: string): Violation[] {
	const { pattern, examples } = schema;
	const fits = pattern === undefined || compilePattern(pattern)?.test(value) !== false;
	const example = examples.length === 0 ? "" : `, such as ${String(examples[0])}`;
	return [
		...checkAmount(schema, value.length, " character", path),
		...(fits ? [] : [{ path, message: `must match ${pattern}${example}` }]),
	];
}

/** Compiles a pattern; `undefined` if it is invalid in JavaScript, which leaves the check to the gateway. */
function compilePattern(pattern: string): RegExp | undefined {
	try {
		return new RegExp(pattern, "u");
	} catch {
		return undefined;
	}
}

function checkAmount(
	{ minimum, maximum }: JsonSchema,
	amount: number,
	unit: string,
	path: string,
): Violation[] {
	const count = (limit: number) => `${limit}${unit}${unit === "" || limit === 1 ? "" : "s"}`;
	if (minimum !== undefined && amount < minimum)
		return [{ path, message: `must be at least ${count(minimum)}` }];
	if (maximum !== undefined && amount > maximum)
		return [{ path, message: `must be at most ${count(maximum)}` }];
	return [];
}

function checkArray(schema: JsonSchema, items: readonly unknown[], path: string): Violation[] {
	const { items: itemSchema } = schema;
	return [
		...checkAmount(schema, items.length, " item", path),
		...(itemSchema === undefined
			? []
			: items.flatMap((item, at) => checkValue(itemSchema, item, joinPath(path, String(at))))),
	];
}

function checkObject(
	schema: JsonSchema,
	object: Readonly<Record<string, unknown>>,
	path: string,
): Violation[] {
	const { properties, required, isOpen, dependentRequired } = schema;
	const names = Object.keys(object);
	return [
		...required
			.filter((name) => !names.includes(name))
			.map((name) => ({ path: joinPath(path, name), message: "is required" })),
		...names.flatMap((name) => {
			const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
			if (property !== undefined) return checkValue(property, object[name], joinPath(path, name));
			return isOpen ? [] : [{ path: joinPath(path, name), message: "is not a field of the document" }];
		}),
		...names.flatMap((name) =>
			(Object.hasOwn(dependentRequired, name) ? (dependentRequired[name] ?? []) : [])
				.filter((other) => !names.includes(other))
				.map((other) => ({ path: joinPath(path, name), message: `requires ${other}` })),
		),
	];
}

function checkAlternatives({ oneOf, anyOf }: JsonSchema, value: unknown, path: string): readonly Violation[] {
	const fitting = oneOf.filter((part) => checkValue(part, value).length === 0).length;
	if (oneOf.length > 0 && fitting !== 1) {
		const names = requiredNames(oneOf);
		const message =
			names === undefined
				? `must be one of ${oneOf.length} forms`
				: `must have exactly one of ${names.join(", ")}`;
		return [{ path, message }];
	}
	const violations = anyOf.map((part) => checkValue(part, value, path));
	if (violations.length === 0 || violations.some((list) => list.length === 0)) return [];
	// The alternative with the fewest violations is most likely the intended one.
	return violations.reduce((best, list) => (list.length < best.length ? list : best));
}

/** The field names of alternatives that each only require one field. */
export function requiredNames(alternatives: readonly JsonSchema[]): readonly string[] | undefined {
	const names = alternatives.flatMap(({ required, properties }) =>
		required.length === 1 && Object.keys(properties).length === 0 ? required : [],
	);
	return names.length === alternatives.length ? names : undefined;
}

function joinPath(path: string, name: string): string {
	return path === "" ? name : `${path}.${name}`;
}
