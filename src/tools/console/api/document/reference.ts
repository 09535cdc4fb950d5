import { asObject, isObject, type JsonObject } from "../../parts/json-value.ts";

/** Resolves a `#/…` reference of a document; `undefined` if it points to nothing. */
export function resolvePointer(document: unknown, reference: string): unknown {
	const parts = reference.replace(/^#\/?/, "").split("/");
	return parts.reduce<unknown>((value, part) => {
		const name = decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~");
		return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
	}, document);
}

/** Returns an object of the document with its `$ref` resolved. Fields beside the reference override its target. */
export function dereference(document: unknown, value: unknown): JsonObject {
	const { $ref, ...own } = asObject(value);
	if (typeof $ref !== "string") return own;
	return { ...asObject(resolvePointer(document, $ref)), ...own };
}
