/** The state of a send, as its record alone shows it. */
export type StoredSendState = "open" | "unresolved" | "accepted" | "given_up";

/** What a store keeps of a send. */
export interface SendRow {
	/** A random id of the record, unlike its key: part of the attempts' `status_callback`. It never changes. */
	readonly id: string;
	/** For `list`. */
	readonly state: StoredSendState;
	/** The record as a string that only the sender reads. */
	readonly data: string;
}

/** A row with its version, as a store returns it. */
export interface StoredSend extends SendRow {
	readonly key: string;
	/** 1 when it is inserted, and one more with each change. */
	readonly version: number;
}

/** Which rows to list. */
export interface ListSendRows {
	/** Only rows in this state. */
	readonly state: StoredSendState;
	/** Only rows whose key comes after this one; left out, from the first. */
	readonly after?: string | undefined;
	/** How many at most. */
	readonly limit: number;
}

/**
 * Keeps the records of sends for `createSender`. It needs no knowledge of them: every rule is the sender's. What it must
 * guarantee is that a write is durable when its method resolves, that of concurrent writes one wins, and one clock for
 * all processes. A method rejects if the store fails; a call that takes longer than
 * `storeTimeoutMs`, and a result outside this contract, count as failures too.
 */
export interface SendStore {
	/** The row of a key, and the store's time in Unix milliseconds. */
	read(key: string): Promise<{ readonly now: number; readonly row: StoredSend | undefined }>;
	/** Adds a row with version 1; `false` if the key has one. Of concurrent calls one resolves to `true`. */
	insert(key: string, row: SendRow): Promise<boolean>;
	/** Replaces state and data, and adds 1 to the version; `false` if the version is not this one. */
	replace(key: string, version: number, row: SendRow): Promise<boolean>;
	/** The key of the row with this id. */
	find(id: string): Promise<string | undefined>;
	/** Rows by their keys, in an order that does not change. */
	list(options: ListSendRows): Promise<{ readonly now: number; readonly rows: readonly StoredSend[] }>;
}

/** A store whose finished sends can be removed. */
export interface SweepableSendStore extends SendStore {
	/**
	 * Removes sends that are accepted or given up and did not change for `olderThanMs` milliseconds. A removed key is
	 * unknown: a repeat would send the message again.
	 * @returns how many were removed.
	 */
	sweep(olderThanMs: number): Promise<number>;
}
