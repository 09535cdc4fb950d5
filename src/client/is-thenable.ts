/** By its shape: if `Promise` was replaced, as by zone.js, async functions do not return instances of it. */
export function isThenable<Value>(value: Value | Promise<Value>): value is Promise<Value> {
	return typeof value === "object" && value !== null && "then" in value && typeof value.then === "function";
}
