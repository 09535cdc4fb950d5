import type { Clock } from "../../library/runtime.ts";
import type { NonceStore } from "../../library/signing/nonce-store.ts";
import type { EventStore } from "../../library/stores/event-store.ts";
import { rule, type StoreCase, type StoreSubject, same } from "./store-case.ts";

/** How far a timestamp may lie from a process's clock by default, on either side. */
export const DEFAULT_TOLERANCE_MS = 300_000;

/** How long what was seen is remembered with that tolerance: the cases last as long as the store has time for this. */
export const REMEMBERED_MS = 901_000;

/** Some time in full seconds: what is signed then is accepted at first, and its copy at last, exactly at the tolerance. */
export const SIGNED_AT = 1_780_272_000_000;

/** What clocks show while something arrives, and at last a copy of it. */
export interface ClockRow {
	readonly title: string;
	/** How far the clock of the process at work is ahead of the time: at first, meanwhile, and at last. */
	readonly aheadMs: readonly [first: number, meanwhile: number, last: number];
	/** How far the store's own clock is set forward meanwhile. */
	readonly storeAheadMs?: number;
}

export const CLOCK_ROWS: readonly ClockRow[] = [
	{ title: "all clocks are right", aheadMs: [0, 0, 0] },
	{
		title: "the first process is ahead, and the one that gets the copy behind",
		aheadMs: [100_000, 0, -100_000],
	},
	{
		title: "the first process is behind, and the one that gets the copy ahead",
		aheadMs: [-100_000, 0, 100_000],
	},
	{ title: "the clock is set back", aheadMs: [0, 0, -200_000] },
	{ title: "the clock is set forward", aheadMs: [0, 0, 200_000] },
	{ title: "the clock is set forward, and back again", aheadMs: [0, 200_000, 0] },
	{ title: "the clock is set back, and forward again", aheadMs: [0, -200_000, 0] },
	{ title: "the store's own clock is set forward", aheadMs: [0, 0, 0], storeAheadMs: 200_000 },
];

/** The clocks of a store and of the processes that use it; the store's time passes faster if its own time is short. */
export class Clocks {
	readonly #subject: StoreSubject<unknown>;
	/** How much of the store's time is a millisecond of the processes. */
	readonly #scale: number;
	#now = SIGNED_AT;
	#aheadMs = 0;

	constructor(subject: StoreSubject<unknown>, storeMs: number) {
		this.#subject = subject;
		this.#scale = storeMs / REMEMBERED_MS;
	}

	/** The clock of the process at work. */
	readonly clock: Clock = { now: () => this.#now + this.#aheadMs, setTimer: () => () => undefined };

	/** Begins when the clock of a process shows a time. */
	async begin(shownAt: number, aheadMs: number): Promise<void> {
		this.#now = shownAt - aheadMs;
		await this.set(aheadMs);
	}

	/** Goes on with a process whose clock is this far ahead, or with one whose clock is set. */
	async set(aheadMs: number): Promise<void> {
		await this.#subject.setClock?.((aheadMs - this.#aheadMs) * this.#scale);
		this.#aheadMs = aheadMs;
	}

	/** Sets the store's own clock forward. */
	async setStore(aheadMs: number): Promise<void> {
		if (aheadMs > 0) await this.#subject.advance(aheadMs * this.#scale);
	}

	/** Lets time pass. */
	async pass(ms: number): Promise<void> {
		this.#now += ms;
		await this.#subject.advance(ms * this.#scale);
	}
}

/** What gets a thing that was signed, or a copy of it; it resolves to what became of that. */
export type Receive = (name: string, signedAt: number, isCopy: boolean) => Promise<string>;

/**
 * A copy is known for as long as any process accepts it.
 * @param lastMs - how much of the tolerance's last second counts: of webhooks all of it.
 */
export async function playCopies(
	clocks: Clocks,
	{ aheadMs: [first, meanwhile, last], storeAheadMs = 0 }: ClockRow,
	receive: Receive,
	lastMs = 999,
): Promise<void> {
	const firstMs = SIGNED_AT - DEFAULT_TOLERANCE_MS;
	await clocks.begin(firstMs, first);
	same(await receive("one", SIGNED_AT, false), "new", "at first");
	const halfMs = (2 * DEFAULT_TOLERANCE_MS + lastMs + first - last) / 2;
	await clocks.pass(halfMs);
	await clocks.set(meanwhile);
	await clocks.setStore(storeAheadMs);
	// A store that drops what is over does so now.
	same(await receive("another", Math.floor(clocks.clock.now()), false), "new", "another one meanwhile");
	await clocks.set(last);
	await clocks.pass(halfMs);
	same(await receive("one", SIGNED_AT, true), "known", "in the last moment in which a copy is accepted");
	await clocks.pass(1);
	same(await receive("one", SIGNED_AT, true), "too old", "a moment later");
}

/** Whether a process accepts what was signed then. */
function isAccepted(clock: Clock, signedAt: number): boolean {
	const driftSeconds = Math.floor(signedAt / 1000) - Math.floor(clock.now() / 1000);
	return Math.abs(driftSeconds) * 1000 <= DEFAULT_TOLERANCE_MS;
}

/** The rules about copies of deliveries under another key, whatever clocks show. */
export function bindingClockCases(retentionMs: number): readonly StoreCase<EventStore>[] {
	const times = { leaseMs: retentionMs, retentionMs };
	return CLOCK_ROWS.map((row) =>
		rule(`${row.title}: a copy under another key finds the event done`, async (subject) => {
			const { store } = subject;
			const clocks = new Clocks(subject, retentionMs);
			await playCopies(clocks, row, async (name, signedAt, isCopy) => {
				if (!isAccepted(clocks.clock, signedAt)) return "too old";
				const key = isCopy ? `evt_copy_of_${name}` : `evt_${name}`;
				const claim = await store.claim(key, times, { digest: name, ttlMs: retentionMs });
				if (claim.status === "done") return "known";
				if (claim.status === "acquired")
					await store.complete(claim.boundKey ?? key, claim.token, retentionMs);
				return claim.status === "acquired" ? "new" : claim.status;
			});
		}),
	);
}

/** The rules about copies of requests, whatever clocks show. */
export function nonceClockCases(ttlMs: number): readonly StoreCase<NonceStore>[] {
	return CLOCK_ROWS.map((row) =>
		rule(`${row.title}: a nonce is still known`, async (subject) => {
			const clocks = new Clocks(subject, ttlMs);
			await playCopies(clocks, row, async (name, signedAt) => {
				if (!isAccepted(clocks.clock, signedAt)) return "too old";
				return (await subject.store.remember(`app:${name}`, ttlMs)) ? "new" : "known";
			});
		}),
	);
}
