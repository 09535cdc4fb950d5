import type { NonceStore } from "../../../signing/nonce-store.ts";

/** What a row holds. */
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

/** What became of one thing. */
export type StateChange = StateRow | (Omit<StateRow, "value"> & { readonly value: undefined });

/** A row as it was found: whoever wrote it may have known other kinds. */
export interface FoundRow extends Pick<StateRow, "id" | "value"> {
	readonly kind: string;
}

/** Keeps the state of a gateway over restarts. */
export interface StateStore {
	/** All rows that an earlier run left; none in a new store. */
	load(): readonly FoundRow[];
	/**
	 * Writes changes, all of them or none.
	 * @param isCleared whether everything else is to be forgotten first.
	 */
	save(changes: readonly StateChange[], isCleared: boolean): void;
	/** Where the nonces of requests are kept, so that a replay is refused over a restart as well. */
	readonly nonceStore: NonceStore;
	/** Called when everything is written. */
	close(): void;
}
