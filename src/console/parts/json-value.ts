/** Any object of a parsed JSON text. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** The value as an object; an empty one where it is something else. */
export function asObject(value: unknown): JsonObject {
	return isObject(value) ? value : {};
}

/** Whether a parsed value is an object, not an array or null. */
export function isObject(value: unknown): value is JsonObject {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The value as a list; an empty one where it is something else. */
export function asList(value: unknown): readonly unknown[] {
	return Array.isArray(value) ? value : [];
}

/** The value as a text; `undefined` where it is something else. */
export function asText(value: unknown): string | undefined {
	return typeof value === "string" ? value : undefined;
}

/** The value as a number; `undefined` where it is something else. */
export function asNumber(value: unknown): number | undefined {
	return typeof value === "number" ? value : undefined;
}

/** The texts of a list. */
export function asTexts(value: unknown): readonly string[] {
	return asList(value).filter((entry) => typeof entry === "string");
}

/** The value of a JSON text; `undefined` where it is none. */
export function parseJson(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}
