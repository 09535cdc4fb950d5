/** The state of a send, as its record alone shows it. */
export type StoredSendState = "open" | "unresolved" | "accepted" | "given_up";

/** The record of a send, as a store keeps it. */
export interface SendRow {
	/** A random id of the record, different from its key: part of the attempts' `status_callback`. It never changes. */
	readonly id: string;
	/** The state that `list` selects by. */
	readonly state: StoredSendState;
	/** The record as a string that only the sender reads. */
	readonly data: string;
}

/** A row with its version, as a store returns it. */
export interface StoredSend extends SendRow {
	readonly key: string;
	/** The version of the row: 1 when it is inserted, and one more with each change. */
	readonly version: number;
}

/** Selects the rows to list. */
export interface ListSendRows {
	/** Lists only rows in this state. */
	readonly state: StoredSendState;
	/** Lists only rows with a later key. If you leave it out, the list starts at the first. */
	readonly after?: string | undefined;
	/** The most rows to list. */
	readonly limit: number;
}

/**
 * Keeps the records of sends for `createSender`. It needs no knowledge of them, since every rule is the sender's. It
 * must guarantee three things: a write is durable when its method resolves, of concurrent writes one wins, and all
 * processes share one clock. A method rejects if the store fails. A call that takes longer than `storeTimeoutMs`, and a
 * result outside this contract, count as failures too.
 */
export interface SendStore {
	/** Reads the row of a key, and the store's time in Unix milliseconds. */
	read(key: string): Promise<{ readonly now: number; readonly row: StoredSend | undefined }>;
	/**
	 * Adds a row with version 1. It resolves to `false` if the key has one. Of concurrent calls one resolves to `true`.
	 */
	insert(key: string, row: SendRow): Promise<boolean>;
	/** Replaces state and data, and adds 1 to the version. It resolves to `false` if the row has another version. */
	replace(key: string, version: number, row: SendRow): Promise<boolean>;
	/** Finds the key of the row with this id. */
	find(id: string): Promise<string | undefined>;
	/** Lists rows by their keys, in an order that doesn't change. */
	list(options: ListSendRows): Promise<{ readonly now: number; readonly rows: readonly StoredSend[] }>;
}

/** A store of sends that can remove finished ones. */
export interface SweepableSendStore extends SendStore {
	/**
	 * Removes sends that are accepted or given up and did not change for `olderThanMs` milliseconds. A removed key is
	 * unknown: a repeat would send the message again.
	 * @returns how many were removed.
	 */
	sweep(olderThanMs: number): Promise<number>;
}
