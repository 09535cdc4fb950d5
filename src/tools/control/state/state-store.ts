import type { NonceStore } from "../../../library/signing/nonce-store.ts";

/** The kind of a row. */
export type StateKind =
	| "gateway"
	| "agent"
	| "conversation"
	| "message"
	| "delivery"
	| "happening"
	| "attachment";

/** One thing of a gateway as it is kept: JSON, or the bytes of an attachment. */
export interface StateRow {
	readonly kind: StateKind;
	/** Unique within its kind. */
	readonly id: string;
	readonly value: string | Uint8Array;
}

/** The new state of one thing; `undefined` if it is gone. */
export type StateChange = StateRow | (Omit<StateRow, "value"> & { readonly value: undefined });

/** A row as it was read; another version may have written kinds unknown to this one. */
export interface FoundRow extends Pick<StateRow, "id" | "value"> {
	readonly kind: string;
}

/** Keeps the state of a gateway across restarts. */
export interface StateStore {
	/** All rows of an earlier run; none in a new store. */
	load(): readonly FoundRow[];
	/**
	 * Writes changes, all of them or none.
	 * @param isCleared whether to delete all other rows first.
	 */
	save(changes: readonly StateChange[], isCleared: boolean): void;
	/** Keeps the nonces of requests: a replay is rejected after a restart, too. */
	readonly nonceStore: NonceStore;
	/** Called when everything is written. */
	close(): void;
}
