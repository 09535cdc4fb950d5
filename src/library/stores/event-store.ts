import type { NonceStore } from "../signing/nonce-store.ts";

/** What a claim found. */
export type ClaimResult =
	| {
			/** The event is ours to process until the lease is over. */
			readonly status: "acquired";
			/**
			 * The fencing token: an integer that only grows for an event. The stores of this package start it at the
			 * time in milliseconds: it grows even if records are lost. A column for it is a `bigint`.
			 */
			readonly token: number;
			/** 1 for the first claim of this event; one that was released as `unused` does not count. */
			readonly attempt: number;
	  }
	| {
			/** Another worker holds the lease. */
			readonly status: "in_flight";
			/** When the lease is over, in milliseconds from now; a finite number. */
			readonly retryAfterMs: number;
	  }
	/** The event was processed. */
	| { readonly status: "done" };

/** How an event is released. */
export interface ReleaseOptions {
	/** Nothing ran under the claim: it does not count as an attempt. @default false */
	unused?: boolean | undefined;
}

/** How long a claim holds, and how long its record is kept, in milliseconds. */
export interface ClaimTimes {
	leaseMs: number;
	retentionMs: number;
}

/** A delivery that is bound to an event id. */
export interface DeliveryBinding {
	/** The delivery: consumer, tenant, timestamp and a SHA-256 of the raw body. */
	readonly digest: string;
	/** The id that came with the delivery. */
	readonly eventId: string;
	/** How long it is bound, in milliseconds. */
	readonly ttlMs: number;
	/** The event's key is this, and then the bound id. */
	readonly keyPrefix: string;
}

/** What a combined step found. */
export interface BoundClaim {
	/** The bound id, which may be an earlier one than that of the delivery. */
	readonly eventId: string;
	/** The claim of the event with the bound id. */
	readonly claim: ClaimResult;
}

/**
 * Remembers which events are being processed, and which are done. A record keeps its token over releases and lapsed
 * leases for as long as it is retained: a stale worker's token never matches again. Stores hold ids, digests and times,
 * never payloads. A method rejects if the store fails; a result outside this contract counts as a failure too.
 */
export interface EventStore {
	/**
	 * Claims an event that nobody holds, for `leaseMs` milliseconds. Of concurrent claims one wins.
	 * @param times - `retentionMs`: how long the record is kept.
	 */
	claim(key: string, times: ClaimTimes): Promise<ClaimResult>;
	/** Prolongs the lease to `leaseMs` milliseconds from now; `false` if the token is not the current one. */
	extend(key: string, token: number, leaseMs: number): Promise<boolean>;
	/**
	 * Marks the event as done for `retentionMs` milliseconds, or until the end that it was claimed with if that is later;
	 * `false` if the token is not the current one. It may be called again with the same token, since its response may have
	 * been lost.
	 */
	complete(key: string, token: number, retentionMs: number): Promise<boolean>;
	/** Releases the event, which can then be claimed at once; `false` if the token is not the current one. */
	release(key: string, token: number, options?: ReleaseOptions): Promise<boolean>;
	/**
	 * Binds a delivery to the first event id that comes with it, for `ttlMs` milliseconds.
	 * @param digest - the delivery: consumer, tenant, timestamp and a SHA-256 of the raw body.
	 * @returns the bound id, which may be an earlier one.
	 */
	bind?(digest: string, eventId: string, ttlMs: number): Promise<string>;
	/**
	 * Binds a delivery as `bind` does, and claims the event under the bound id as `claim` does, in one round trip. Nothing is
	 * recorded under another id than the bound one. It is called in place of `bind` and `claim`, which the store has as well;
	 * without it they are called one after the other.
	 */
	bindAndClaim?(binding: DeliveryBinding, times: ClaimTimes): Promise<BoundClaim>;
}

/** A store that binds deliveries. */
export interface BindingStore extends EventStore {
	bind(digest: string, eventId: string, ttlMs: number): Promise<string>;
}

/** A store that several processes share: of the events that they process, and of the nonces that they have seen. */
export interface SharedStore extends Required<EventStore>, NonceStore {}
