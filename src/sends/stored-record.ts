import { SendError } from "../errors.ts";
import type { SendRow, SendStore } from "../stores/send-store.ts";
import { readRecord, type SendRecord } from "./record.ts";
import { verdictOf } from "./verdict.ts";

/** What a store holds of a send: the record, its version, and the store's time when it was read. */
export interface ReadSend {
	readonly now: number;
	/** 0 if there is no record. */
	readonly version: number;
	readonly record: SendRecord | undefined;
}

/** How often a change is tried while others change the same record. */
const MAX_TRIES = 10;

/** Reads a record. */
export async function readSend(store: SendStore, key: string): Promise<ReadSend> {
	const { now, row } = await store.read(key);
	return { now, version: row?.version ?? 0, record: row && parseRecord(row.data) };
}

/** The record in a row. @throws SendError if it is none: nothing is sent on a guess. */
export function parseRecord(data: string): SendRecord {
	const record = readRecord(data);
	if (record !== undefined) return record;
	throw new SendError("store_failed", "the store holds something else than a sender's record");
}

/** A record as a row. Once no worker holds it, its state depends on no time. */
export function toRow(record: SendRecord): SendRow {
	const { status } = verdictOf(record, Number.POSITIVE_INFINITY);
	return { id: record.id, state: status === "in_progress" ? "open" : status, data: JSON.stringify(record) };
}

/**
 * Changes a record, again if somebody else has changed it meanwhile.
 * @param next - returns the changed record, or `undefined` to leave it as it is.
 * @returns the record afterwards, or `undefined` if there is none.
 */
export async function change(
	store: SendStore,
	key: string,
	next: (record: SendRecord, now: number) => SendRecord | undefined,
): Promise<(ReadSend & { readonly record: SendRecord }) | undefined> {
	for (let tries = 0; tries < MAX_TRIES; tries++) {
		const { now, version, record } = await readSend(store, key);
		if (record === undefined) return undefined;
		const changed = next(record, now);
		if (changed === undefined) return { now, version, record };
		if (await store.replace(key, version, toRow(changed)))
			return { now, version: version + 1, record: changed };
	}
	throw new SendError("store_failed", "others kept changing the record");
}
