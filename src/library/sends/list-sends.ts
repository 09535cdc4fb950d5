import { assertOneOf } from "../check-options.ts";
import { isJsonObject } from "../is-object.ts";
import type { ListSendRows, SendStore } from "../stores/send-store.ts";
import { hasTime, isRow, parseRecord, StoredRecords, type StoreLimit } from "./stored-record.ts";
import { type SendVerdict, verdictOf } from "./verdict.ts";

/** Selects the sends to list. */
export interface ListSendsOptions extends StoreLimit {
	/** Lists only sends with this status. */
	status: "open" | "unresolved" | "accepted" | "given_up";
}

/** A send in a list. */
export interface ListedSend {
	readonly key: string;
	/** When the send was written down, in the store's Unix milliseconds. */
	readonly createdAt: number;
	readonly verdict: SendVerdict;
	/** The input as it is sent, if the sender has `keepInput`. */
	readonly input: unknown;
}

const PAGE = 100;

/**
 * Lists the sends with a status, by their keys, and reads them page by page. A send that a worker is processing is in
 * no list.
 * @throws SendError (`store_failed`).
 */
export async function* listSends(
	store: SendStore,
	{ status: state, ...limit }: ListSendsOptions,
): AsyncGenerator<ListedSend, void, undefined> {
	assertOneOf("status", String(state), ["open", "unresolved", "accepted", "given_up"]);
	const records = new StoredRecords(store, limit);
	for (let after: string | undefined; ; ) {
		const page = { state, after, limit: PAGE };
		const { now, rows } = await records.call(
			"list",
			(store) => store.list(page),
			"{ now, rows }: a time in Unix milliseconds, and at most limit rows whose keys come after the given one",
			(value) => hasTime(value) && isPage(value["rows"], page),
		);
		for (const { key, data } of rows) {
			const record = parseRecord(data);
			const verdict = verdictOf(record, now);
			if (verdict.status === state) yield { key, createdAt: record.createdAt, verdict, input: record.input };
			after = key;
		}
		if (rows.length < PAGE) return;
	}
}

/** A page with the last key of the one before would never end. */
function isPage(rows: unknown, { after, limit }: ListSendRows): boolean {
	if (!Array.isArray(rows) || rows.length > limit) return false;
	return rows.every((row: unknown) => {
		const key = isJsonObject(row) ? row["key"] : undefined;
		return typeof key === "string" && key !== after && isRow(row, key);
	});
}
