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
export function surelyFits(schema: z.core.$ZodType, value: unknown): boolean {
	let guard = guards.get(schema);
	if (guard === undefined) {
		guard = createGuard(schema);
		guards.set(schema, guard);
	}
	return guard(value);
}

function leaveToSchema(): boolean {
	return false;
}

/** Knows what the schemas of received values are made of; the rest is left to the schema. */
function createGuard(schema: z.core.$ZodType): Guard {
	const { def } = (schema as z.core.$ZodTypes)._zod;
	const isRefined = "check" in def || "coerce" in def || (def.checks ?? []).length > 0;
	if (isRefined) return leaveToSchema;
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
			return orElse((value) => value === null, createGuard(def.innerType));
		case "optional":
			return createGuard(def.innerType);
		case "union":
			return def.options.map(createGuard).reduce(orElse);
		case "array":
			return everyItem(createGuard(def.element));
		case "record":
			return isAnyRecord(def) ? isOrdinary : leaveToSchema;
		case "object":
			return def.catchall?._zod.def.type === "unknown" ? everyField(def.shape) : leaveToSchema;
		default:
			return leaveToSchema;
	}
}

function orElse(left: Guard, right: Guard): Guard {
	return (value) => left(value) || right(value);
}

function everyItem(guard: Guard): Guard {
	return (value) => Array.isArray(value) && value.every(guard);
}

function everyField(shape: z.core.$ZodShape): Guard {
	const fields = Object.entries(shape).map(([name, schema]) => ({
		name,
		guard: createGuard(schema),
		isOptional: schema._zod.optin === "optional",
	}));
	return (value) => {
		if (!isOrdinary(value)) return false;
		for (const { name, guard, isOptional } of fields) {
			if (!guard(value[name]) && !(isOptional && !(name in value))) return false;
		}
		return true;
	};
}

/** An own key `__proto__` is left to zod, which drops it. */
function isOrdinary(value: unknown): value is Record<string, unknown> {
	return isPlainObject(value) && !Object.hasOwn(value, "__proto__");
}

function isAnyRecord({ keyType, valueType }: z.core.$ZodRecordDef): boolean {
	const key = keyType._zod.def;
	return key.type === "string" && Object.keys(key).length === 1 && valueType._zod.def.type === "unknown";
}
