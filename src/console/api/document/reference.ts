import { asObject, isObject, type JsonObject } from "../../parts/json-value.ts";

/** What a `#/…` reference of a document points to; `undefined` where there is nothing. */
export function resolvePointer(document: unknown, reference: string): unknown {
	const parts = reference.replace(/^#\/?/, "").split("/");
	return parts.reduce<unknown>((value, part) => {
		const name = decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~");
		return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
	}, document);
}

/** An object of the document, through the reference that may stand in its place; what stands beside it wins. */
export function dereference(document: unknown, value: unknown): JsonObject {
	const { $ref, ...own } = asObject(value);
	if (typeof $ref !== "string") return own;
	return { ...asObject(resolvePointer(document, $ref)), ...own };
}
