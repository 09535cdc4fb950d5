import { toSafeCause } from "../client/safe-cause.ts";
import { storeFailed } from "./send-errors.ts";

/**
 * Calls a method of a store.
 * @param isInContract - may throw on a value of another shape.
 * @throws SendError if it fails, or has a result outside the contract: untyped code may return anything.
 */
export async function callStore<Value>(
	call: () => Promise<Value>,
	isInContract: (value: Value) => boolean,
): Promise<Value> {
	let cause: unknown;
	try {
		const value = await call();
		if (isInContract(value)) return value;
	} catch (error) {
		cause = toSafeCause(error);
	}
	throw storeFailed(cause);
}
