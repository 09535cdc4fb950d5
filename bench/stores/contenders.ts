import type { EventStore } from "messaging-gateway/webhooks";
import { newDigest, newEventId, newKey } from "./keys.ts";
import type { Contender } from "./measure.ts";
import type { RawSteps, Subject } from "./subject.ts";
import { BINDING_MS, CLAIM_TIMES, RETENTION_MS } from "./times.ts";

/** What is measured: one step, the two that every event needs, and all that one delivery costs. */
export const OPERATIONS = ["claim", "claim + complete", "full cycle"] as const;

/** One of {@link OPERATIONS}; a full cycle is bind, claim and complete. */
export type Operation = (typeof OPERATIONS)[number];

/** A subject's store, and its raw peer beside it where there is one; each run works on a new key. */
export interface Pair {
	readonly subject: Subject;
	readonly store: Contender;
	readonly raw?: Contender;
}

/** Makes the contenders of an operation. */
export function createPair(subject: Subject, operation: Operation): Pair {
	const store = { run: createStoreRun(subject.store, operation) };
	return subject.raw === undefined
		? { subject, store }
		: { subject, store, raw: { run: createRawRun(subject.raw, operation) } };
}

/** Processes a new event as a delivery does; rejects on any failure, which would falsify the figures. */
export async function processNewEvent(store: Required<EventStore>): Promise<void> {
	const key = newKey();
	const claim = await store.claim(key, CLAIM_TIMES);
	if (claim.status !== "acquired") throw new Error(`a new event is ${claim.status}`);
	if (!(await store.complete(key, claim.token, RETENTION_MS))) throw new Error("the lease was lost");
}

/** Binds a new signature. */
export async function bindNewDelivery(store: Required<EventStore>): Promise<void> {
	const eventId = newEventId();
	if ((await store.bind(newDigest(), eventId, BINDING_MS)) !== eventId) {
		throw new Error("a new signature is bound to another event");
	}
}

function createStoreRun(store: Required<EventStore>, operation: Operation): () => Promise<unknown> {
	switch (operation) {
		case "claim":
			return () => store.claim(newKey(), CLAIM_TIMES);
		case "claim + complete":
			return () => processNewEvent(store);
		case "full cycle":
			return async () => {
				await bindNewDelivery(store);
				await processNewEvent(store);
			};
	}
}

function createRawRun(raw: RawSteps, operation: Operation): () => Promise<unknown> {
	const claimAndComplete = async () => {
		const key = newKey();
		await raw.claim(key);
		await raw.complete(key);
	};
	switch (operation) {
		case "claim":
			return () => raw.claim(newKey());
		case "claim + complete":
			return claimAndComplete;
		case "full cycle":
			return async () => {
				await raw.bind(newDigest(), newEventId());
				await claimAndComplete();
			};
	}
}
