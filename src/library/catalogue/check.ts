import type * as z from "zod/mini";
import type { $ZodTypes } from "zod/v4/core";
import { isWord, listNames } from "../check-options.ts";
import type { ShapeIssue } from "../errors.ts";
import { isPlainObject } from "../is-object.ts";
import { nearestName } from "../nearest-name.ts";
import { describePath, isZodSchema } from "./known-path.ts";
import type { Operation } from "./operation.ts";
import type { Schema, SchemaIssue, SchemaResult } from "./schema.ts";

/** The result of a check: the value, or its issues. */
export type Checked<Value> =
	| { readonly ok: true; readonly value: Value }
	| {
			readonly ok: false;
			/** The issues in a form that is safe to show: our messages, and only keys that the schema names. */
			readonly issues: readonly ShapeIssue[];
			/** The same issues with the schema's original messages and keys. */
			readonly schemaIssues: readonly ShapeIssue[];
	  };

/** Whether a value is valid although the schema has this to say about it. */
export type AllowsValue = (value: unknown, message: string) => boolean;

/**
 * Checks the input or the data of an operation, by default of the catalogue. Never rejects, even if a user's schema throws.
 * The messages of a user's schema may quote the value, so they are not shown.
 */
export async function checkShape<Value>(
	schema: Schema<Value>,
	value: unknown,
	side: "input" | "data" = "data",
	{ provenance }: Partial<Pick<Operation<unknown, unknown>, "provenance">> = {},
	allows?: AllowsValue,
): Promise<Checked<Value>> {
	try {
		const isForeign = provenance === "custom";
		const result = isForeign
			? await schema["~standard"].validate(value)
			: await validateOwn(schema, value, allows);
		if (result.issues === undefined) return { ok: true, value: result.value };
		const issues = result.issues.map((issue) => {
			if (!isForeign) return describeMissing(schema, issue, value, side) ?? describeIssue(schema, issue);
			const message = isZodSchema(schema) ? describeStructure(issue) : IS_INVALID;
			return { path: describePath(schema, issue.path), message };
		});
		return { ok: false, issues, schemaIssues: result.issues.map(quoteIssue) };
	} catch {
		const issues = [{ path: "", message: `made the operation's ${side} schema throw` }];
		return { ok: false, issues, schemaIssues: issues };
	}
}

/**
 * Checks a value with one of our schemas. Messages come from the schema or from below, never from the host's zod settings.
 * @param allows - which values are valid beyond the schema. It has no check that such a value could skip.
 */
export function validateOwn<Value>(
	schema: Schema<Value> | z.ZodMiniType<Value>,
	value: unknown,
	allows?: AllowsValue,
): SchemaResult<Value> | Promise<SchemaResult<Value>> {
	// Our schemas are zod schemas, whose output is the one that they declare as Standard Schemas.
	if (!("_zod" in schema)) return schema["~standard"].validate(value);
	const { success, data, error } = schema.safeParse(value, OWN_MESSAGES);
	if (success) return { value: data };
	const { issues } = error;
	if (allows === undefined) return { issues };
	const rest = issues.filter(({ path = [], message }) => !allows(valueAt(value, path), message));
	// Our schemas change nothing, and only values that are allowed differ from this one.
	return rest.length === 0 ? { value: value as Value } : { issues: rest };
}

function valueAt(input: unknown, path: NonNullable<SchemaIssue["path"]>): unknown {
	let value = input;
	for (const part of path) {
		if (typeof value !== "object" || value === null) return undefined;
		value = Reflect.get(value, typeof part === "object" ? part.key : part);
	}
	return value;
}

/** Describes how a value differs from one of our schemas, without the value. */
export function describeIssue(schema: object, issue: SchemaIssue): ShapeIssue {
	return { path: describePath(schema, issue.path), message: issue.message };
}

/** The issue of a field that is missing; `undefined` for any other. What it should have been matters less. */
function describeMissing(
	schema: object,
	issue: SchemaIssue,
	value: unknown,
	side: "input" | "data",
): ShapeIssue | undefined {
	const { path = [] } = issue;
	if (path.length === 0 || valueAt(value, path) !== undefined) return undefined;
	return { path: describePath(schema, path), message: side === "input" ? "is required" : "is missing" };
}

/** The most issues that a sentence names. */
const MAX_NAMED = 20;

/** The issues in a sentence: the first of them, and how many more there are. */
export function joinIssues(issues: readonly ShapeIssue[], whole: string, limit = MAX_NAMED): string {
	const named = issues.slice(0, limit).map(({ path, message }) => `${path || whole} ${message}`);
	return [...named, ...(issues.length > limit ? [`and ${issues.length - limit} more`] : [])].join("; ");
}

function quoteIssue(issue: SchemaIssue): ShapeIssue {
	const path = (issue.path ?? []).map((part) => String(typeof part === "object" ? part.key : part)).join(".");
	const { code, keys } = issue as Record<string, unknown> & SchemaIssue;
	const isUnknown = code === "unrecognized_keys" && Array.isArray(keys);
	return { path, message: isUnknown ? `has unknown fields: ${keys.join(", ")}` : issue.message };
}

const IS_INVALID = "is invalid";

/**
 * Messages for checks of ours that have none. zod's global settings, which the host application shares, may quote the
 * value.
 */
export const OWN_MESSAGES = { error: describeStructure };

/** Describes what the schema expected, without the value. */
function describeStructure(issue: object): string {
	const { code, expected, minimum, maximum, origin, inst, keys, values, input } = issue as Record<
		string,
		unknown
	>;
	switch (code) {
		case "invalid_type":
			if (expected === "nonoptional") return "is required";
			return `must be ${article(expected === "int" ? "integer" : String(expected))}`;
		case "unrecognized_keys":
			return describeUnknown(Array.isArray(keys) ? keys.map(String) : [], inst);
		case "invalid_value":
			return describeChoice(Array.isArray(values) ? values.map(String) : [], input);
		case "too_small":
			return `must be at least ${amount(minimum, origin)}`;
		case "too_big":
			return `must be at most ${amount(maximum, origin)}`;
		default:
			return IS_INVALID;
	}
}

/** The most misspelt fields that a message names. */
const MAX_LISTED = 8;
/** Of how many unknown fields the nearest name is looked for: an input may have any number of them. */
const MAX_COMPARED = 20;

/** Names the unknown fields that are like known ones, or the known ones: any other name could contain anything. */
function describeUnknown(keys: readonly string[], schema: unknown): string {
	const names = fieldsOf(schema);
	const near = keys.slice(0, MAX_COMPARED).flatMap((key) => {
		const nearest = nearestName(key, names);
		return nearest === undefined ? [] : [`${isWord(key) ? `"${key}"` : "one"} (did you mean "${nearest}"?)`];
	});
	const count = keys.length === 1 ? "an unknown field" : `${keys.length} unknown fields`;
	if (near.length > 0) return `has ${count}: ${near.slice(0, MAX_LISTED).join(", ")}`;
	if (names.length === 0) return `has ${count}`;
	return `has ${count} (hidden, since a name may be a secret): use ${listNames(names)}`;
}

/** Names the choices of a field, and the nearest to the one that was given. */
function describeChoice(choices: readonly string[], given: unknown): string {
	const [only] = choices;
	if (only === undefined) return IS_INVALID;
	const nearest = typeof given === "string" ? nearestName(given, choices) : undefined;
	const list = choices.length === 1 ? `must be ${only}` : `must be one of ${choices.join(", ")}`;
	return nearest === undefined ? list : `${list} (did you mean "${nearest}"?)`;
}

function fieldsOf(schema: unknown): readonly string[] {
	if (typeof schema !== "object" || schema === null || !isZodSchema(schema)) return [];
	const { def } = (schema as $ZodTypes)._zod;
	return def.type === "object" ? Object.keys(def.shape) : [];
}

function amount(count: unknown, origin: unknown): string {
	const unit = origin === "string" ? " character" : origin === "array" ? " item" : "";
	return `${String(count)}${unit}${unit === "" || count === 1 ? "" : "s"}`;
}

function article(type: string): string {
	return /^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`;
}

/** The deepest nesting of our inputs; below it, serializing to JSON drops `undefined`. */
const MAX_INPUT_DEPTH = 4;

/** A copy without members that are `undefined`, which count as absent, as in JSON. */
export function dropUndefined(value: unknown, depth = 0): unknown {
	if (depth > MAX_INPUT_DEPTH) return value;
	if (Array.isArray(value)) return value.map((item) => dropUndefined(item, depth + 1));
	if (!isPlainObject(value)) return value;
	// Spread keeps an own `__proto__` as an ordinary member, and is fast.
	const copy = { ...value };
	for (const [key, member] of Object.entries(copy)) {
		if (member === undefined) delete copy[key];
		else if (typeof member === "object") copy[key] = dropUndefined(member, depth + 1);
	}
	return copy;
}
