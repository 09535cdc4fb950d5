/** Whether a parsed JSON value is an object, not an array or null. */
export function isJsonObject(value: unknown): value is Record<string, unknown> {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether a value is an object made by a literal, by JSON or without a prototype, in whichever realm. */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
	if (typeof value !== "object" || value === null) return false;
	const prototype: object | null = Object.getPrototypeOf(value);
	if (prototype === Object.prototype || prototype === null) return true;
	return Object.getPrototypeOf(prototype) === null && Object.hasOwn(prototype, "isPrototypeOf");
}
