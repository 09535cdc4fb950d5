/** An object parsed from JSON. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** The value if it is an object; otherwise an empty object. */
export function asObject(value: unknown): JsonObject {
	return isObject(value) ? value : {};
}

/** Whether a parsed value is an object, not an array or null. */
export function isObject(value: unknown): value is JsonObject {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The value if it is an array; otherwise an empty array. */
export function asList(value: unknown): readonly unknown[] {
	return Array.isArray(value) ? value : [];
}

/** The value if it is a string; otherwise `undefined`. */
export function asString(value: unknown): string | undefined {
	return typeof value === "string" ? value : undefined;
}

/** The value if it is a number; otherwise `undefined`. */
export function asNumber(value: unknown): number | undefined {
	return typeof value === "number" ? value : undefined;
}

/** The strings of an array. */
export function asStrings(value: unknown): readonly string[] {
	return asList(value).filter((entry) => typeof entry === "string");
}

/** Parses JSON; `undefined` if it is invalid. */
export function parseJson(json: string): unknown {
	try {
		return JSON.parse(json);
	} catch {
		return undefined;
	}
}
