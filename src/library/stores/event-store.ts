import type { NonceStore } from "../signing/nonce-store.ts";

/** The result of a claim. */
export type ClaimResult = ClaimState & {
	/**
	 * The key that the delivery was bound to before, if it differs from the given one. The claim is then about its
	 * event. Without a binding there is none.
	 */
	readonly boundKey?: string | undefined;
};

/** Whether you may process the event. */
export type ClaimState =
	| {
			/** You may process the event until the lease is over. */
			readonly status: "acquired";
			/**
			 * The fencing token: an integer that only grows for an event. The stores of this package start it at the
			 * time in milliseconds, so it grows even if records are lost. In SQL its column is a `bigint`.
			 */
			readonly token: number;
			/** The number of the claim of this event, from 1. A claim that was released as `unused` doesn't count. */
			readonly attempt: number;
	  }
	| {
			/** Another worker holds the lease. */
			readonly status: "in_flight";
			/** When the lease is over, in milliseconds from now: a finite number. */
			readonly retryAfterMs: number;
	  }
	/** The event was processed. */
	| { readonly status: "done" };

/** Says how to release an event. */
export interface ReleaseOptions {
	/** Whether nothing ran under the claim, so it doesn't count as an attempt. @default false */
	unused?: boolean | undefined;
}

/** How long a claim holds, and how long its record is kept, in milliseconds. */
export interface ClaimTimes {
	leaseMs: number;
	retentionMs: number;
}

/** A delivery to bind to the first key that is claimed with it. */
export interface DeliveryBinding {
	/** A digest of the delivery: consumer, tenant, timestamp and a SHA-256 of the raw body. */
	readonly digest: string;
	/** How long the delivery stays bound, in milliseconds. */
	readonly ttlMs: number;
}

/**
 * Remembers which events are being processed, and which are done. A record keeps its token over releases and lapsed
 * leases for as long as it is retained, so a stale worker's token never matches again. Stores hold ids, digests and
 * times, never payloads. A method rejects if the store fails, and a result outside this contract counts as a failure
 * too.
 */
export interface EventStore {
	/**
	 * Claims an event that nobody holds, for `leaseMs` milliseconds. Of concurrent claims one wins.
	 * @param times - `retentionMs`: how long the record is kept.
	 * @param binding - the delivery that the event came with. If it is bound to another key, the event of that key is claimed,
	 * and nothing is recorded under the given one. Of concurrent claims with one delivery, one binds it.
	 */
	claim(key: string, times: ClaimTimes, binding?: DeliveryBinding): Promise<ClaimResult>;
	/**
	 * Prolongs the lease to `leaseMs` milliseconds from now. It resolves to `false` if the token isn't the current one.
	 * A released event and an expired record have no current token.
	 */
	extend(key: string, token: number, leaseMs: number): Promise<boolean>;
	/**
	 * Marks the event as done for `retentionMs` milliseconds, or until the end that its claim set if that is later. It
	 * resolves to `false` if the token isn't the current one. It may be called again with the same token, since its
	 * response may have been lost.
	 */
	complete(key: string, token: number, retentionMs: number): Promise<boolean>;
	/**
	 * Releases the event, so it can be claimed at once. It resolves to `false` if the token isn't the current one. It's also
	 * called for a claim that succeeds too late.
	 */
	release(key: string, token: number, options?: ReleaseOptions): Promise<boolean>;
}

/**
 * A store that several processes share. It remembers the events that they process, and the nonces that they have seen.
 */
export interface SharedStore extends EventStore, NonceStore {}
