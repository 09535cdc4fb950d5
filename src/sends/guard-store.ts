import { toSafeCause } from "../client/safe-cause.ts";
import { SendError } from "../errors.ts";
import type { Clock } from "../runtime.ts";
import type { SendStore } from "../stores/send-store.ts";
import { withTimeout } from "../stores/with-timeout.ts";

/** Wraps a store: a call that fails, takes too long or has a result outside the contract rejects with a `SendError`. */
export function guardStore(store: SendStore, timeoutMs: number, clock: Clock): SendStore {
	async function call<Value>(
		name: keyof SendStore,
		start: () => Promise<Value>,
		isInContract: (value: unknown) => boolean,
	): Promise<Value> {
		let value: Value;
		try {
			// Untyped code may return no promise.
			value = await withTimeout(Promise.resolve(start()), timeoutMs, clock);
		} catch (error) {
			throw new SendError("store_failed", `the store's ${name} failed`, { cause: toSafeCause(error) });
		}
		if (isInContract(value)) return value;
		throw new SendError("store_failed", `the store's ${name} resolved to a value outside its contract`);
	}

	return {
		read: (key) =>
			call(
				"read",
				() => store.read(key),
				(value) => isTimed(value) && isRowOrNone(value["row"]),
			),
		insert: (key, row) => call("insert", () => store.insert(key, row), isBoolean),
		replace: (key, version, row) => call("replace", () => store.replace(key, version, row), isBoolean),
		find: (id) =>
			call(
				"find",
				() => store.find(id),
				(value) => value === undefined || isString(value),
			),
		list: (options) =>
			call(
				"list",
				() => store.list(options),
				(value) => isTimed(value) && Array.isArray(value["rows"]) && value["rows"].every(isRow),
			),
	};
}

function isTimed(value: unknown): value is Record<string, unknown> {
	return typeof value === "object" && value !== null && "now" in value && Number.isFinite(value.now);
}

function isRowOrNone(value: unknown): boolean {
	return value === undefined || isRow(value);
}

function isRow(value: unknown): boolean {
	if (typeof value !== "object" || value === null) return false;
	const { key, version, data } = value as Record<string, unknown>;
	return isString(key) && Number.isSafeInteger(version) && isString(data);
}

function isBoolean(value: unknown): boolean {
	return typeof value === "boolean";
}

function isString(value: unknown): boolean {
	return typeof value === "string";
}
