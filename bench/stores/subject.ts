import type { ClaimResult, DeliveryBinding, EventStore } from "messaging-gateway/webhooks";
import type { AtEnd, Contender } from "../cases.ts";
import { newDigest, newEventId, newKey } from "../inputs.ts";
import { BINDING_MS, CLAIM_TIMES, RETENTION_MS } from "./times.ts";

/** One store on one server, and what it is measured against. */
export interface Subject {
	/** Redis, PostgreSQL, SQLite or memory. */
	readonly kind: string;
	/** The server's version, how safe an acknowledged write is, and what is special about the client. */
	readonly name: string;
	/** It may be another one after a reset. */
	readonly store: EventStore;
	/**
	 * The minimal command or statement for one row, through the same client: `NX` for a new record, `XX` for one that
	 * there is. A store in memory has none.
	 */
	readonly write?: (key: string, value: string, condition: "NX" | "XX", lifeMs: number) => Promise<unknown>;
	/** Forgets everything. */
	reset(): Promise<unknown>;
	/** What is stored now, in bytes, by part, each with its name in the guide. */
	measureSizes(): Promise<Readonly<Record<string, number>>>;
	/** The updates of PostgreSQL so far, and those that wrote to no index (HOT). */
	countUpdates?(): Promise<{ readonly all: number; readonly heapOnly: number }>;
	/** Counts the calls of the client from now on, until it is restored. */
	spyOnClient(): readonly { mock: { callCount(): number; restore(): void } }[];
}

/** Opens a store on a server of its own, and closes both at the end. */
export type OpenSubject = (atEnd: AtEnd) => Promise<Subject>;

/** Written in place of the record of the Redis store, with the same length. */
const HELD = "held 1767225600000 1 1767225660000 01234567-89ab-4cde";
const DONE = "done 1767225600000 1 0";

/** All that one delivery costs a subject's store, and raw statements beside it; each run works on a new key. */
export function createContenders({ name, store, write }: Subject): Contender[] {
	async function run(): Promise<void> {
		const key = newKey();
		await complete(
			store,
			key,
			await store.claim(key, CLAIM_TIMES, { digest: newDigest(), ttlMs: BINDING_MS }),
		);
	}
	const ours = { name, role: "ours", run } as const;
	if (write === undefined) return [ours];
	async function runByHand(): Promise<void> {
		const key = newKey();
		await write?.(newDigest(), newEventId(), "NX", BINDING_MS);
		await write?.(key, HELD, "NX", RETENTION_MS);
		await write?.(key, DONE, "XX", RETENTION_MS);
	}
	return [ours, { name: `${name}, by hand`, role: "floor", run: runByHand }];
}

/**
 * Processes a new event as a delivery does, with its binding if there is one; rejects on any failure, which would falsify
 * the figures.
 */
export async function processNewEvent(store: EventStore, binding?: DeliveryBinding): Promise<void> {
	const key = newKey();
	await complete(store, key, await store.claim(key, CLAIM_TIMES, binding));
}

async function complete(store: EventStore, key: string, claim: ClaimResult): Promise<void> {
	if (claim.status !== "acquired") throw new Error(`a new event is ${claim.status}`);
	if (!(await store.complete(key, claim.token, RETENTION_MS))) throw new Error("the lease was lost");
}

/** An event that all deliveries of {@link bindNewDelivery} are bound to. */
const BOUND_KEY = `default:evt_${"0".repeat(24)}`;

/** Binds a new delivery to an event that is done from the first one on. */
export async function bindNewDelivery(store: EventStore): Promise<void> {
	const claim = await store.claim(BOUND_KEY, CLAIM_TIMES, { digest: newDigest(), ttlMs: BINDING_MS });
	if (claim.status === "acquired") await complete(store, BOUND_KEY, claim);
}
