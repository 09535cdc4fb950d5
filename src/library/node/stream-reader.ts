import type { Readable } from "node:stream";

/** What a read resolves to. */
interface ReadResult {
	readonly done: boolean;
	readonly value: unknown;
}

/** Whoever waits for the next chunk. */
interface PendingRead {
	readonly resolve: (result: ReadResult) => void;
	readonly reject: (error: unknown) => void;
}

/** Reads a stream of Node one chunk after the other, as its own iterator does, which costs as much as half a request. */
export class StreamReader {
	readonly #stream: Readable;
	#waiting: PendingRead | undefined;

	constructor(stream: Readable) {
		this.#stream = stream;
		const advance = (): void => this.#advance();
		for (const event of ["readable", "end", "error", "close"]) stream.on(event, advance);
	}

	read(): Promise<ReadResult> {
		return new Promise((resolve, reject) => {
			this.#waiting = { resolve, reject };
			this.#advance();
		});
	}

	/** Reads no more, and gives the connection up. */
	async cancel(): Promise<void> {
		this.#stream.destroy();
	}

	/** Settles the read that waits, if the stream has got so far. */
	#advance(): void {
		const stream = this.#stream;
		const waiting = this.#waiting;
		if (waiting === undefined) return;
		const value: unknown = stream.destroyed ? null : stream.read();
		if (value === null && !stream.readableEnded && !stream.closed) return;
		this.#waiting = undefined;
		if (value !== null) waiting.resolve({ done: false, value });
		else if (stream.readableEnded) waiting.resolve({ done: true, value: undefined });
		else waiting.reject(stream.errored ?? new Error("the response broke off"));
	}
}
