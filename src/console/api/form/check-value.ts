import { isObject } from "../../parts/json-value.ts";
import type { JsonSchema } from "../document/read-schema.ts";

/** One way in which a value does not fit its schema. */
export interface Misfit {
	/** The dotted path of the value; empty for the whole. */
	readonly path: string;
	/** What it must be. */
	readonly message: string;
}

/** Compares a value with its schema, to warn before the gateway does. The gateway has the last word. */
export function checkValue(schema: JsonSchema, value: unknown, path = ""): readonly Misfit[] {
	const wrongType = describeType(schema, value);
	if (wrongType !== undefined) return [{ path, message: wrongType }];
	return [
		...checkChoice(schema, value, path),
		...(typeof value === "string" ? checkText(schema, value, path) : []),
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

function checkChoice({ choices }: JsonSchema, value: unknown, path: string): Misfit[] {
	if (choices === undefined || choices.includes(value)) return [];
	return [{ path, message: `must be ${choices.map((choice) => JSON.stringify(choice)).join(" or ")}` }];
}

function checkText(schema: JsonSchema, text: string, path: string): Misfit[] {
	const { pattern, examples } = schema;
	const fits = pattern === undefined || compilePattern(pattern)?.test(text) !== false;
	const example = examples.length === 0 ? "" : `, such as ${String(examples[0])}`;
	return [
		...checkAmount(schema, text.length, " character", path),
		...(fits ? [] : [{ path, message: `must match ${pattern}${example}` }]),
	];
}

/** `undefined` for what is no pattern of JavaScript: the gateway will tell. */
function compilePattern(pattern: string): RegExp | undefined {
	try {
		return new RegExp(pattern, "u");
	} catch {
		return undefined;
	}
}

function checkAmount({ minimum, maximum }: JsonSchema, amount: number, unit: string, path: string): Misfit[] {
	const count = (limit: number) => `${limit}${unit}${unit === "" || limit === 1 ? "" : "s"}`;
	if (minimum !== undefined && amount < minimum)
		return [{ path, message: `must be at least ${count(minimum)}` }];
	if (maximum !== undefined && amount > maximum)
		return [{ path, message: `must be at most ${count(maximum)}` }];
	return [];
}

function checkArray(schema: JsonSchema, items: readonly unknown[], path: string): Misfit[] {
	const { items: itemSchema } = schema;
	return [
		...checkAmount(schema, items.length, " item", path),
		...(itemSchema === undefined
			? []
			: items.flatMap((item, at) => checkValue(itemSchema, item, joinPath(path, String(at))))),
	];
}

function checkObject(schema: JsonSchema, object: Readonly<Record<string, unknown>>, path: string): Misfit[] {
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
				.map((other) => ({ path: joinPath(path, name), message: `goes with ${other} only` })),
		),
	];
}

function checkAlternatives({ oneOf, anyOf }: JsonSchema, value: unknown, path: string): readonly Misfit[] {
	const fitting = oneOf.filter((part) => checkValue(part, value).length === 0).length;
	if (oneOf.length > 0 && fitting !== 1) {
		const names = requiredNames(oneOf);
		const message =
			names === undefined
				? `must be one of ${oneOf.length} forms`
				: `must have exactly one of ${names.join(", ")}`;
		return [{ path, message }];
	}
	const misfits = anyOf.map((part) => checkValue(part, value, path));
	if (misfits.length === 0 || misfits.some((list) => list.length === 0)) return [];
	// The form that fits best is most likely the one that was meant.
	return misfits.reduce((best, list) => (list.length < best.length ? list : best));
}

/** The names of alternatives that only say which field must be there. */
export function requiredNames(alternatives: readonly JsonSchema[]): readonly string[] | undefined {
	const names = alternatives.flatMap(({ required, properties }) =>
		required.length === 1 && Object.keys(properties).length === 0 ? required : [],
	);
	return names.length === alternatives.length ? names : undefined;
}

function joinPath(path: string, name: string): string {
	return path === "" ? name : `${path}.${name}`;
}
