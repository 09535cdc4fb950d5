import type { SendStore } from "../stores/send-store.ts";
import { readRecord, type SendRecord } from "./record.ts";
import { storeFailed } from "./send-errors.ts";
import { verdictOf } from "./verdict.ts";

/** What a store holds of a send: the record, its version, and the store's time when it was read. */
export interface ReadSend {
	readonly now: number;
	/** 0 if there is no record. */
	readonly version: number;
	readonly record: SendRecord | undefined;
}

/** How often a change is tried if others change the same record. */
const MAX_TRIES = 10;

export async function readSend(store: SendStore, key: string): Promise<ReadSend> {
	const { now, row } = await store.read(key);
	return { now, version: row?.version ?? 0, record: row && parseRecord(row.data) };
}

/** The record in a row. @throws SendError if it is invalid: nothing is sent on a guess. */
export function parseRecord(data: string): SendRecord {
	const record = readRecord(data);
	if (record !== undefined) return record;
	throw storeFailed("read must resolve to the data that was written, unchanged");
}

/** Adds a record at version 0, or replaces the one with this version; `false` if somebody else was first. */
export function writeSend(
	store: SendStore,
	key: string,
	version: number,
	record: SendRecord,
): Promise<boolean> {
	// Once no worker holds it, its state depends on no time.
	const { status } = verdictOf(record, Number.POSITIVE_INFINITY);
	const state = status === "in_progress" ? "open" : status;
	const row = { id: record.id, state, data: JSON.stringify(record) };
	return version === 0 ? store.insert(key, row) : store.replace(key, version, row);
}

/**
 * Changes a record, and tries again if somebody else has changed it meanwhile.
 * @param next - returns the changed record, or `undefined` to leave it as it is.
 * @returns the record afterwards, or `undefined` if there is none.
 */
export async function change(
	store: SendStore,
	key: string,
	next: (record: SendRecord, now: number) => SendRecord | undefined,
): Promise<{ readonly record: SendRecord; readonly now: number } | undefined> {
	for (let tries = 0; tries < MAX_TRIES; tries++) {
		const { now, version, record } = await readSend(store, key);
		if (record === undefined) return undefined;
		const changed = next(record, now);
		if (changed === undefined) return { now, record };
		if (await writeSend(store, key, version, changed)) return { now, record: changed };
	}
	throw storeFailed("replace must resolve to true for the version that read returned");
}
