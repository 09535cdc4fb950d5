/** What the deepest cause has. */
export function findInChain(error: unknown, name: "code" | "message"): unknown {
	if (typeof error !== "object" || error === null) return undefined;
	if ("cause" in error && error.cause !== undefined) return findInChain(error.cause, name);
	return Reflect.get(error, name);
}
