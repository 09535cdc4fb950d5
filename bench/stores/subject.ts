import type { EventStore } from "messaging-gateway/webhooks";
import type { AtEnd } from "../at-end.ts";

/** One store on one server, and what it is measured against. */
export interface Subject {
	/** Short, and the same from run to run. */
	readonly name: string;
	/** The server's version, and how safe an acknowledged write is. */
	readonly server: string;
	/** The client's package and version, and how many connections it has. */
	readonly client: string;
	readonly store: Required<EventStore>;
	/** The minimal statements written by hand, through the same client; a store in memory has none. */
	readonly raw?: RawSteps;
	/** Forgets everything. */
	reset(): Promise<void>;
	/**
	 * What is stored now, in bytes, by part; `total` is all of it.
	 * @returns undefined if it cannot be measured.
	 */
	measureSizes?(): Promise<Sizes | undefined>;
	/** Of all updates so far, those that wrote to no index (HOT), of 100. */
	measureHeapOnlyPercent?(): Promise<number>;
	/** Counts the calls of the client that `run` makes. */
	countCalls(run: () => Promise<void>): Promise<number>;
}

/** Opens the stores on one server, and closes them at the end. */
export type OpenSubjects = (atEnd: AtEnd) => Subject[] | Promise<Subject[]>;

/** Bytes by part. */
export type Sizes = Readonly<Record<string, number>> & { readonly total: number };

/** For each step of a store one raw command, or one statement for one row. */
export interface RawSteps {
	claim(key: string): Promise<unknown>;
	complete(key: string): Promise<unknown>;
	bind(digest: string, eventId: string): Promise<unknown>;
}

/** Counts the calls that go through it. */
export class CallCounter {
	#calls = 0;

	/** Notes one call. */
	note(): void {
		this.#calls++;
	}

	/** How many calls `run` makes. */
	readonly countCalls = async (run: () => Promise<void>): Promise<number> => {
		const before = this.#calls;
		await run();
		return this.#calls - before;
	};
}
