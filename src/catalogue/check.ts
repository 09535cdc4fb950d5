import type * as z from "zod/mini";
import type { ShapeIssue } from "../errors.ts";
import { surelyFits } from "./guard.ts";
import { isPlainObject } from "./plain-object.ts";
import type { Schema, SchemaIssue } from "./schema.ts";

/** The outcome of a check: the value, or every way in which it does not fit. */
export type Checked<Value> =
	| { readonly ok: true; readonly value: Value }
	| { readonly ok: false; readonly issues: readonly ShapeIssue[] };

/** Checks a value. The issues name paths and expectations, never the value itself. */
export async function checkShape<Value>(schema: Schema<Value>, value: unknown): Promise<Checked<Value>> {
	if (isZodSchema(schema) && surelyFits(schema, value)) return { ok: true, value };
	const result = await schema["~standard"].validate(value);
	if (result.issues === undefined) return { ok: true, value: result.value };
	return { ok: false, issues: result.issues.map(describeIssue) };
}

/** Whether a schema is one of zod's, such as our own: its output is the one that it declares as a standard schema. */
function isZodSchema<Value>(schema: Schema<Value>): schema is Schema<Value> & z.core.$ZodType<Value> {
	return "_zod" in schema;
}

/** Names where and how a value differs from its schema, never the value. */
export function describeIssue(issue: SchemaIssue): ShapeIssue {
	const path = (issue.path ?? []).map((part) => String(typeof part === "object" ? part.key : part)).join(".");
	return { path, message: describeKnownIssue(issue) ?? issue.message };
}

/**
 * Our schemas carry no locale, so the sentences for their structural issues stand here. A message of our own
 * says what a value must be; any other may come from the host's zod settings and quote the value.
 */
function describeKnownIssue(issue: SchemaIssue): string | undefined {
	const { code, expected, keys, minimum, maximum, origin } = issue as Record<string, unknown> & SchemaIssue;
	if (issue.message.startsWith("must ")) return undefined;
	switch (code) {
		case "invalid_type":
			if (expected === "nonoptional") return "must be there";
			return `must be ${article(expected === "int" ? "integer" : String(expected))}`;
		case "unrecognized_keys":
			return `has ${Array.isArray(keys) && keys.length > 1 ? "fields that are" : "a field that is"} not known: ${String(keys)}`;
		case "too_small":
			return `must be at least ${amount(minimum, origin)}`;
		case "too_big":
			return `must be at most ${amount(maximum, origin)}`;
		default:
			return undefined;
	}
}

function amount(count: unknown, origin: unknown): string {
	const unit = origin === "string" ? " character" : origin === "array" ? " item" : "";
	return `${String(count)}${unit}${unit === "" || count === 1 ? "" : "s"}`;
}

function article(type: string): string {
	return /^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`;
}

/** As deep as any of our inputs nests, and no deeper: what lies below is left to the JSON that is made of it. */
const MAX_INPUT_DEPTH = 4;

/** A copy without members that are `undefined`: they are as good as absent, as in JSON. */
export function dropUndefined(value: unknown, depth = 0): unknown {
	if (depth > MAX_INPUT_DEPTH) return value;
	if (Array.isArray(value)) return value.map((item) => dropUndefined(item, depth + 1));
	if (!isPlainObject(value)) return value;
	// Spread first: an own `__proto__` stays a member like any other, and later copies of an ordinary object are fast.
	const copy = { ...value };
	for (const [key, member] of Object.entries(copy)) {
		if (member === undefined) delete copy[key];
		else if (typeof member === "object") copy[key] = dropUndefined(member, depth + 1);
	}
	return copy;
}

/** Whether a parsed JSON value is an object, not an array or null. */
export function isJsonObject(value: unknown): value is Record<string, unknown> {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}
