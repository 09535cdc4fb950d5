import { inSeconds } from "../client/outcome-sentences.ts";
import { toSafeCause } from "../client/safe-cause.ts";
import { SendError } from "../errors.ts";
import { rethrowControlFlow } from "../host.ts";
import { isJsonObject } from "../is-object.ts";
import { type Clock, systemClock } from "../runtime.ts";
import { BOOLEAN, type CallLimit, type Contract, callStore } from "../store-calls/call-store.ts";
import { StoreError } from "../store-calls/store-error.ts";
import { STORE_TIMEOUT_MS } from "../store-calls/with-timeout.ts";
import type { SendStore } from "../stores/send-store.ts";
import { readRecord, type SendRecord } from "./record.ts";
import { verdictOf } from "./verdict.ts";

/** Limits a call of a store of sends. */
export interface StoreLimit {
	/** The longest one call of the store may take, in milliseconds. @default 5_000 */
	storeTimeoutMs?: number | undefined;
	/** The clock that measures it. @default the system's clock */
	clock?: Clock | undefined;
}

/** What a store holds of a send: the record, its version, and the store's time when it was read. */
export interface ReadSend {
	readonly now: number;
	/** 0 if there is no record. */
	readonly version: number;
	readonly record: SendRecord | undefined;
}

/** How often a change is tried if others change the same record. */
const MAX_TRIES = 10;

/**
 * The records in a store of sends. Each call of the store rejects with a `SendError` if it fails, takes too long, or has a
 * result outside the contract, since untyped code may return anything.
 */
export class StoredRecords {
	readonly #store: SendStore;
	readonly #limit: CallLimit;

	constructor(store: SendStore, { storeTimeoutMs = STORE_TIMEOUT_MS, clock = systemClock }: StoreLimit = {}) {
		this.#store = store;
		this.#limit = { storeTimeoutMs, clock };
	}

	async read(key: string): Promise<ReadSend> {
		const { now, row } = await this.call(
			"read",
			(store) => store.read(key),
			"{ now, row }: a time in Unix milliseconds, and the key's row or undefined",
			(value) => hasTime(value) && (value["row"] === undefined || isRow(value["row"], key)),
		);
		return { now, version: row?.version ?? 0, record: row && parseRecord(row.data) };
	}

	/** Adds a record at version 0, or replaces the one with this version; `false` if somebody else was first. */
	write(key: string, version: number, record: SendRecord): Promise<boolean> {
		// Once no worker holds it, its state depends on no time.
		const { status } = verdictOf(record, Number.POSITIVE_INFINITY);
		const state = status === "in_progress" ? "open" : status;
		const row = { id: record.id, state, data: JSON.stringify(record) };
		return this.call(
			version === 0 ? "insert" : "replace",
			(store) => (version === 0 ? store.insert(key, row) : store.replace(key, version, row)),
			BOOLEAN.rule,
			BOOLEAN.holds,
		);
	}

	/**
	 * Changes a record, and tries again if somebody else has changed it meanwhile.
	 * @param next - returns the changed record, or `undefined` to leave it as it is.
	 * @returns the record afterwards, or `undefined` if there is none.
	 */
	async change(
		key: string,
		next: (record: SendRecord, now: number) => SendRecord | undefined,
	): Promise<{ readonly record: SendRecord; readonly now: number } | undefined> {
		for (let tries = 0; tries < MAX_TRIES; tries++) {
			const { now, version, record } = await this.read(key);
			if (record === undefined) return undefined;
			const changed = next(record, now);
			if (changed === undefined) return { now, record };
			if (await this.write(key, version, changed)) return { now, record: changed };
		}
		throw storeFailed("its replace must resolve to true for the version that read returned");
	}

	/**
	 * Calls the store.
	 * @param rule - what it must resolve to.
	 * @throws SendError (`store_failed`).
	 */
	async call<Value>(
		name: keyof SendStore,
		call: (store: SendStore) => Promise<Value>,
		rule: string,
		holds: Contract["holds"],
	): Promise<Value> {
		try {
			return await callStore(this.#store, name, () => call(this.#store), { rule, holds }, this.#limit);
		} catch (error) {
			rethrowControlFlow(error);
			throw toSendError(error);
		}
	}
}

/** The record in a row. @throws SendError if it is invalid: nothing is sent on a guess. */
export function parseRecord(data: string): SendRecord {
	const record = readRecord(data);
	if (record !== undefined) return record;
	throw storeFailed("its read must resolve to the data that was written, unchanged");
}

/** A sentence of ours, such as that of a missing table, is shown; a foreign error only by its name and code. */
function toSendError(error: unknown): SendError {
	return error instanceof StoreError
		? storeFailed(error.message)
		: storeFailed("check its server and address", toSafeCause(error));
}

export function hasTime(value: unknown): value is Record<string, unknown> {
	return isJsonObject(value) && Number.isFinite(value["now"]);
}

export function isRow(row: unknown, key: unknown): boolean {
	if (!isJsonObject(row) || typeof row["data"] !== "string") return false;
	return row["key"] === key && Number.isSafeInteger(row["version"]);
}

// No message shows the key: it may contain a number.

export function inProgress(retryAfterMs: number): SendError {
	return new SendError(
		"send_in_progress",
		`Another worker is making this send: call again in ${inSeconds(retryAfterMs)}`,
		{ retryAfterMs },
	);
}

/** @param problem - what it did, or must do. */
export function storeFailed(problem: string, cause?: Error): SendError {
	const code = cause !== undefined && "code" in cause ? ` (${String(cause.code)})` : "";
	return new SendError("store_failed", `The store failed${code}: ${problem}`, cause && { cause });
}
