import type { $ZodType, $ZodTypes } from "zod/v4/core";
import { isZodSchema } from "../../../library/catalogue/known-path.ts";
import type { RouteMap } from "../../../library/catalogue/operation-map.ts";

type When = RouteMap["when"];

/**
 * What a route itself says of an input: the values for which it is used, and for the first route, which is used for every
 * other input, the only value that is left.
 */
export function inputOfRoute(
	{ when }: { readonly when?: When },
	others: readonly { readonly when?: When }[],
	input: object,
): Record<string, string | number> {
	const chosen = Object.entries(when ?? {}).filter(([, wanted]) => wanted !== true);
	if (when !== undefined) return Object.fromEntries(chosen) as Record<string, string | number>;
	const taken = Map.groupBy(
		others.flatMap((other) => Object.entries(other.when ?? {})),
		([name]) => name,
	);
	return Object.fromEntries(
		[...taken].flatMap(([name, values]) => {
			const rest = choicesOf(input, name).filter((choice) => !values.some(([, value]) => value === choice));
			const [only, ...more] = rest;
			return only === undefined || more.length > 0 ? [] : [[name, only]];
		}),
	);
}

/** The values of a field that has a closed list of them. */
function choicesOf(schema: object, name: string): string[] {
	let field: $ZodType | undefined = isZodSchema(schema) ? fieldOf(schema, name) : undefined;
	for (;;) {
		const def: { readonly type?: string; readonly entries?: object; readonly innerType?: $ZodType } =
			field?._zod.def ?? {};
		if (def.type === "enum")
			return Object.values(def.entries ?? {}).filter((each) => typeof each === "string");
		if (def.innerType === undefined) return [];
		field = def.innerType;
	}
}

function fieldOf(schema: $ZodType, name: string): $ZodType | undefined {
	const { def } = (schema as $ZodTypes)._zod;
	return def.type === "object" ? def.shape[name] : undefined;
}
