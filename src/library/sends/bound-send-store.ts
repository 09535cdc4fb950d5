import { isJsonObject } from "../catalogue/check.ts";
import { toSafeCause } from "../client/safe-cause.ts";
import type { SendError } from "../errors.ts";
import { type Clock, systemClock } from "../runtime.ts";
import type { SendStore } from "../stores/send-store.ts";
import { StoreError } from "../stores/store-error.ts";
import { DEFAULT_TIMEOUT_MS, withTimeout } from "../stores/with-timeout.ts";
import { storeFailed } from "./send-errors.ts";

/** How long a call of a store of sends may take. */
export interface StoreLimit {
	/** The longest that one call of the store may take, in milliseconds. @default 5_000 */
	storeTimeoutMs?: number | undefined;
	/** Measures it. @default the system's clock */
	clock?: Clock | undefined;
}

/**
 * Wraps a store: a call rejects with a `SendError` if it fails, takes too long, or has a result outside the contract,
 * since untyped code may return anything.
 */
export function boundSendStore(
	store: SendStore,
	{ storeTimeoutMs = DEFAULT_TIMEOUT_MS, clock = systemClock }: StoreLimit = {},
): SendStore {
	async function limit<Value>(
		name: keyof SendStore,
		call: () => Promise<Value>,
		rule: string,
		isInContract: (value: unknown) => boolean,
	): Promise<Value> {
		// Untyped code may throw at once, or return no promise.
		const settled = (async () => call())().then(
			(value) => ({ value }),
			(error: unknown) => ({ error }),
		);
		const ended = await withTimeout(settled, storeTimeoutMs, clock).catch(() => undefined);
		if (ended === undefined)
			throw storeFailed(
				`${name} took longer than storeTimeoutMs, ${storeTimeoutMs} ms: check its server, or raise the limit`,
			);
		if ("error" in ended) throw toSendError(name, ended.error);
		if (isInContract(ended.value)) return ended.value;
		throw storeFailed(`${name} must resolve to ${rule}`);
	}

	return {
		read: (key) =>
			limit(
				"read",
				() => store.read(key),
				"{ now, row }: a time in Unix milliseconds, and the key's row or undefined",
				(value) => hasTime(value) && (value["row"] === undefined || isRow(value["row"], key)),
			),
		insert: (key, row) => limit("insert", () => store.insert(key, row), "true or false", isBoolean),
		replace: (key, version, row) =>
			limit("replace", () => store.replace(key, version, row), "true or false", isBoolean),
		find: (id) => limit("find", () => store.find(id), "a key or undefined", isKeyOrUndefined),
		list: (options) =>
			limit(
				"list",
				() => store.list(options),
				"{ now, rows }: a time in Unix milliseconds, and at most limit rows whose keys come after the given one",
				(value) => hasTime(value) && isPage(value["rows"], options),
			),
	};
}

/** A sentence of ours, such as that of a missing table, is shown; a foreign error only by its name and code. */
function toSendError(name: string, error: unknown): SendError {
	if (error instanceof StoreError) return storeFailed(`${name} failed: ${error.message}`);
	return storeFailed(`${name} failed`, toSafeCause(error));
}

function hasTime(value: unknown): value is Record<string, unknown> {
	return isJsonObject(value) && Number.isFinite(value["now"]);
}

function isRow(row: unknown, key: unknown): boolean {
	if (!isJsonObject(row) || typeof row["data"] !== "string") return false;
	return row["key"] === key && Number.isSafeInteger(row["version"]);
}

/** A page with the last key of the one before would never end. */
function isPage(rows: unknown, { after, limit }: Parameters<SendStore["list"]>[0]): boolean {
	if (!Array.isArray(rows) || rows.length > limit) return false;
	return rows.every((row: unknown) => {
		const key = isJsonObject(row) ? row["key"] : undefined;
		return typeof key === "string" && key !== after && isRow(row, key);
	});
}

function isBoolean(value: unknown): boolean {
	return typeof value === "boolean";
}

function isKeyOrUndefined(value: unknown): boolean {
	return value === undefined || typeof value === "string";
}
