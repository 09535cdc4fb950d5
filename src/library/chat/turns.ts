import { orAborted } from "./runs.ts";

/** What runs one after the other in a thread, in this process. */
export class Turns {
	/** The last turn of each thread that has one, and those before it. */
	readonly #ends = new Map<string, Promise<void>>();

	/** Waits for the turns before it. One whose signal fires is over, and those behind it wait for the ones before it. */
	take(threadId: string, signal: AbortSignal | undefined, work: () => Promise<void>): Promise<void> {
		const before = this.#ends.get(threadId) ?? Promise.resolve();
		const turn = orAborted(before, signal).then(work);
		const all: Promise<void> = Promise.allSettled([before, turn]).then(() => {
			if (this.#ends.get(threadId) === all) this.#ends.delete(threadId);
		});
		this.#ends.set(threadId, all);
		return turn;
	}
}
