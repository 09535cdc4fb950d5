import type * as z from "zod/mini";
import { isPlainObject } from "./plain-object.ts";

/** Whether a value fits. */
type Guard = (value: unknown) => boolean;

const guards = /* @__PURE__ */ new WeakMap<z.core.$ZodType, Guard>();

/**
 * Whether a value fits a schema and is its own output, for the price of its comparisons: `false` may still fit, and is
 * for the schema to judge. zod interprets a schema anew for every value and copies it, which costs an inbound message
 * ten times as much, and more than parsing its JSON. Its own compiler is as fast as this, but generates code, which
 * Workers and strict policies forbid.
 */
export function surelyFits<Output>(schema: z.core.$ZodType<Output>, value: unknown): value is Output {
	return guardOf(schema)(value);
}

function guardOf(schema: z.core.$ZodType): Guard {
	const known = guards.get(schema);
	if (known !== undefined) return known;
	// Where a schema contains itself, the inner one is left to it.
	guards.set(schema, leaveToSchema);
	const guard = createGuard(schema);
	guards.set(schema, guard);
	return guard;
}

function leaveToSchema(): boolean {
	return false;
}

/** Knows what the schemas of received values are made of; the rest is left to the schema. */
function createGuard(schema: z.core.$ZodType): Guard {
	if (isSafeInteger(schema)) return Number.isSafeInteger;
	if (isRefined(schema)) return leaveToSchema;
	const { def } = (schema as z.core.$ZodTypes)._zod;
	switch (def.type) {
		case "string":
		case "boolean":
			return (value) => typeof value === def.type;
		case "number":
			return Number.isFinite;
		case "literal":
			return (value) => (def.values as readonly unknown[]).includes(value);
		case "unknown":
			return (value) => value !== undefined;
		case "nullable":
			return orElse((value) => value === null, guardOf(def.innerType));
		case "optional":
			return guardOf(def.innerType);
		case "union":
			return isDecidedByLast(def) ? def.options.map(guardOf).reduce(orElse, leaveToSchema) : leaveToSchema;
		case "array":
			return everyItem(guardOf(def.element));
		case "record":
			return isMerely("string", def.keyType) && isMerely("unknown", def.valueType)
				? isOrdinary
				: leaveToSchema;
		case "object":
			return def.catchall !== undefined && isMerely("unknown", def.catchall)
				? everyField(def.shape)
				: leaveToSchema;
		default:
			return leaveToSchema;
	}
}

/** Whether a schema asks more of a value than its type, or changes it. */
function isRefined({ _zod: { def } }: z.core.$ZodType): boolean {
	return "check" in def || "coerce" in def || (def.checks?.length ?? 0) > 0;
}

/** Whether a schema is `z.int()`, and nothing more. */
function isSafeInteger({ _zod: { def } }: z.core.$ZodType): boolean {
	return "format" in def && def.format === "safeint" && !("coerce" in def) && (def.checks?.length ?? 0) === 0;
}

function isMerely(type: z.core.$ZodTypeDef["type"], schema: z.core.$ZodType): boolean {
	return schema._zod.def.type === type && !isRefined(schema);
}

/**
 * Whether all options but the last are texts: zod takes the first that fits, and may change the value for it. Of a text,
 * a guard's no is sure. An exclusive union also wants that no other option fits.
 */
function isDecidedByLast({ options, inclusive = true }: z.core.$ZodUnionDef): boolean {
	return inclusive && options.slice(0, -1).every((option) => isMerely("string", option));
}

function orElse(left: Guard, right: Guard): Guard {
	return (value) => left(value) || right(value);
}

function everyItem(guard: Guard): Guard {
	// `every` would skip the holes of a sparse array.
	return (value) => Array.isArray(value) && value.findIndex((item) => !guard(item)) === -1;
}

function everyField(shape: z.core.$ZodShape): Guard {
	if (Object.getOwnPropertySymbols(shape).length > 0) return leaveToSchema;
	const fields = Object.entries(shape).map(([name, schema]) => ({
		name,
		// Every object seems to have what the prototype has.
		guard: name in Object.prototype ? leaveToSchema : guardOf(schema),
		isOmittable: isOmittable(schema),
	}));
	return (value) => {
		if (!isOrdinary(value)) return false;
		for (const { name, guard, isOmittable } of fields) {
			const member = value[name];
			if (member === undefined ? !isOmittable || name in value : !guard(member)) return false;
		}
		return true;
	};
}

/** Whether an absent field stays absent: a default, a catch or a transform within would put a value in its place. */
function isOmittable(schema: z.core.$ZodType): boolean {
	const { def } = (schema as z.core.$ZodTypes)._zod;
	return def.type === "optional" && !isRefined(schema) && def.innerType._zod.optin === undefined;
}

/** An own key `__proto__` is left to zod, which drops it. */
function isOrdinary(value: unknown): value is Record<string, unknown> {
	return isPlainObject(value) && !Object.hasOwn(value, "__proto__");
}
