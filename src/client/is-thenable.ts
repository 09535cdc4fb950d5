/** By its shape: where `Promise` was replaced, as by zone.js, what an async function returns is no instance of it. */
export function isThenable<Value>(value: Value | Promise<Value>): value is Promise<Value> {
	return typeof value === "object" && value !== null && "then" in value && typeof value.then === "function";
}
