import type * as z from "zod/mini";
import { isPlainObject } from "./plain-object.ts";

/** Whether a value is certainly valid. */
type Guard = (value: unknown) => boolean;

const guards = /* @__PURE__ */ new WeakMap<z.core.$ZodType, Guard>();

/**
 * A fast check: whether a value is certainly valid and the schema would return it unchanged. After `false` the value may
 * still be valid, and the schema must decide. zod interprets a schema again for every value and copies the value, which
 * takes ten times as long for an inbound message, longer than parsing its JSON. zod's compiler is as fast as this, but
 * generates code, which Workers and strict policies forbid.
 */
export function surelyFits<Output>(schema: z.core.$ZodType<Output>, value: unknown): value is Output {
	return guardOf(schema)(value);
}

function guardOf(schema: z.core.$ZodType): Guard {
	const known = guards.get(schema);
	if (known !== undefined) return known;
	// If a schema contains itself, the schema decides about the inner value.
	guards.set(schema, leaveToSchema);
	const guard = createGuard(schema);
	guards.set(schema, guard);
	return guard;
}

function leaveToSchema(): boolean {
	return false;
}

/** Supports the parts that schemas of received values use; anything else is left to the schema. */
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

/** Whether a schema checks more than the type, or changes the value. */
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
 * Whether all options but the last are plain strings: zod uses the first valid option, which may change the value, and
 * only for a plain string is the guard's `false` final. An exclusive union also requires that no other option is valid.
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
		// Inherited members would count as present.
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

/** Whether an absent field stays absent: an inner default, catch or transform would add a value. */
function isOmittable(schema: z.core.$ZodType): boolean {
	const { def } = (schema as z.core.$ZodTypes)._zod;
	return def.type === "optional" && !isRefined(schema) && def.innerType._zod.optin === undefined;
}

/** An own key `__proto__` is left to zod, which drops it. */
function isOrdinary(value: unknown): value is Record<string, unknown> {
	return isPlainObject(value) && !Object.hasOwn(value, "__proto__");
}
