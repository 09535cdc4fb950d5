import type { EventStore } from "messaging-gateway/webhooks";
import type { AtEnd, Case } from "../cases.ts";
import { newDigest, newEventId, newKey } from "../inputs.ts";
import { BINDING_MS, CLAIM_TIMES, RETENTION_MS } from "./times.ts";

/** One store on one server, and what it is measured against. */
export interface Subject {
	/** The server's version, and how safe an acknowledged write is. */
	readonly server: string;
	/** The client's package and version, and how many connections it has. */
	readonly client: string;
	/** The function that creates the store. */
	readonly creator: string;
	/** It may be another one after a reset. */
	readonly store: Required<EventStore>;
	/** The minimal statements written by hand, through the same client; a store in memory has none. */
	readonly raw?: { readonly name: string; readonly write: WriteRecord };
	/** Forgets everything. */
	reset(): Promise<void>;
	/** What is stored now, in bytes, by part. */
	measureSizes(): Promise<Sizes>;
	/** The updates of PostgreSQL so far, and those that wrote to no index (HOT). */
	countUpdates?(): Promise<{ readonly all: number; readonly heapOnly: number }>;
	/** Counts the calls of the client from now on, until it is restored. */
	spyOnClient(): readonly { mock: { callCount(): number; restore(): void } }[];
}

/** Opens a store on a server of its own, and closes both at the end. */
export type OpenSubject = (atEnd: AtEnd) => Promise<Subject>;

/** Bytes by part; `total` is all of it. */
export type Sizes = Readonly<Record<string, number>>;

/** One raw command, or one statement for one row: `NX` for a new record, `XX` for one that there is. */
type WriteRecord = (key: string, value: string, condition: "NX" | "XX", lifeMs: number) => Promise<unknown>;

/** The steps of a delivery, which a store and raw statements make alike. */
type Steps = Required<Pick<EventStore, "claim" | "complete" | "bind">>;

/** What is measured: one step, the two that every event needs, and all that one delivery costs. */
const OPERATIONS = {
	claim: (steps: Steps) => steps.claim(newKey(), CLAIM_TIMES),
	"claim + complete": processNewEvent,
	async "full cycle"(steps: Steps) {
		await bindNewDelivery(steps);
		await processNewEvent(steps);
	},
} as const;

/** An operation of a subject's store, and that of raw statements beside it; each run works on a new key. */
export function createCase(subject: Subject, operation: keyof typeof OPERATIONS, concurrency: number): Case {
	const { store, raw, creator } = subject;
	const run = OPERATIONS[operation];
	const steps = raw && createRawSteps(raw.write);
	return {
		name: `${operation}, ${concurrency} in flight`,
		concurrency,
		isWaitCounted: true,
		contenders: [
			{ name: creator, role: "ours", run: () => run(store) },
			...(raw && steps ? [{ name: raw.name, role: "floor", run: () => run(steps) } as const] : []),
		],
	};
}

/** Written in place of the record of the Redis store, with the same length. */
const HELD = "held 1767225600000 1 1767225660000";
const DONE = "done 1767225600000 1 0";

function createRawSteps(write: WriteRecord): Steps {
	return {
		async claim(key) {
			await write(key, HELD, "NX", RETENTION_MS);
			return { status: "acquired", token: 1, attempt: 1 };
		},
		async complete(key) {
			await write(key, DONE, "XX", RETENTION_MS);
			return true;
		},
		async bind(digest, eventId) {
			await write(digest, eventId, "NX", BINDING_MS);
			return eventId;
		},
	};
}

/** Processes a new event as a delivery does; rejects on any failure, which would falsify the figures. */
export async function processNewEvent(steps: Steps): Promise<void> {
	const key = newKey();
	const claim = await steps.claim(key, CLAIM_TIMES);
	if (claim.status !== "acquired") throw new Error(`a new event is ${claim.status}`);
	if (!(await steps.complete(key, claim.token, RETENTION_MS))) throw new Error("the lease was lost");
}

/** Binds a new signature. */
export async function bindNewDelivery(steps: Steps): Promise<void> {
	const eventId = newEventId();
	if ((await steps.bind(newDigest(), eventId, BINDING_MS)) !== eventId) {
		throw new Error("a new signature is bound to another event");
	}
}
