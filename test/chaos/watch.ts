import { WAIT_MS } from "../support/patience.ts";

/** A run in which nothing moves for so long hangs. */
const STALL_SECONDS = (3 * WAIT_MS) / 1_000;
const SECONDS_PER_LINE = 30;

/** Counts that grow for as long as anything moves. */
export type Progress = () => Readonly<Record<string, number>>;

/** Prints how far a run is, and ends it when it hangs: one that moves goes on, however slow the machine is. */
export class Watch implements Disposable {
	readonly #over = new AbortController();
	readonly #ticker: NodeJS.Timeout;
	#seconds = 0;
	#secondsWithoutProgress = 0;
	#last = "";

	constructor(read: Progress) {
		this.#ticker = setInterval(() => this.#tick(read()), 1_000);
	}

	/** Fires when the run is over, or hangs. */
	get over(): AbortSignal {
		return this.#over.signal;
	}

	get hasStalled(): boolean {
		return this.#secondsWithoutProgress >= STALL_SECONDS;
	}

	/** Why the run is over before its end. */
	describeStall(pending: string): string {
		return `it does not settle: ${pending} after ${STALL_SECONDS} s in which nothing moved`;
	}

	#tick(progress: ReturnType<Progress>): void {
		this.#seconds++;
		const line = Object.entries(progress)
			.map(([what, count]) => `${what} ${count}`)
			.join(", ");
		this.#secondsWithoutProgress = line === this.#last ? this.#secondsWithoutProgress + 1 : 0;
		this.#last = line;
		if (this.#seconds % SECONDS_PER_LINE === 0)
			console.log(`${String(this.#seconds).padStart(4)} s  ${line}`);
		if (this.hasStalled) this[Symbol.dispose]();
	}

	[Symbol.dispose](): void {
		clearInterval(this.#ticker);
		this.#over.abort();
	}
}
