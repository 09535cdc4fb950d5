import { concatenate, viewBytes } from "./bytes.ts";

/** The bytes of a stream, or why there are none. */
export type CollectedBytes =
	| { readonly bytes: Uint8Array }
	| { readonly problem: "too_large" | "not_bytes" }
	| { readonly problem: "broken"; readonly error: unknown };

/**
 * Collects a stream of bytes, and stops reading at the limit. Never rejects.
 * @param announcedBytes - the length that a header announces: above the limit, nothing is read.
 * @param signal - cancels a `ReadableStream`; what it had sent is then `"broken"`.
 */
export async function collectBytes(
	source: AsyncIterable<unknown> | ReadableStream<unknown>,
	maxBytes: number,
	{ announcedBytes = 0, signal }: { announcedBytes?: number; signal?: AbortSignal | undefined } = {},
): Promise<CollectedBytes> {
	const chunks: Uint8Array[] = [];
	let length = 0;
	let stop: (() => unknown) | undefined;
	try {
		const reading = "getReader" in source ? readStream(source) : readIterable(source);
		stop = reading.stop;
		signal?.addEventListener("abort", stop);
		if (signal?.aborted) stop();
		for (;;) {
			if (announcedBytes > maxBytes || length > maxBytes) {
				await stop();
				return { problem: "too_large" };
			}
			const { done, value } = await reading.next();
			signal?.throwIfAborted();
			if (done) return { bytes: concatenate(chunks, length) };
			const bytes = viewBytes(value);
			if (bytes === undefined) {
				await stop();
				return { problem: "not_bytes" };
			}
			length += bytes.length;
			chunks.push(bytes);
		}
	} catch (error) {
		return { problem: "broken", error };
	} finally {
		if (stop !== undefined) signal?.removeEventListener("abort", stop);
	}
}

interface Reading {
	next(): Promise<{ readonly done?: boolean | undefined; readonly value?: unknown }>;
	stop(): unknown;
}

/** Not every browser can iterate over a stream itself. */
function readStream(stream: ReadableStream<unknown>): Reading {
	const reader = stream.getReader();
	return {
		next: () => reader.read(),
		stop: () => {
			// Cancels the rest of the transfer; a failure no longer matters.
			(async () => reader.cancel())().catch(() => undefined);
		},
	};
}

function readIterable(source: AsyncIterable<unknown>): Reading {
	const iterator = source[Symbol.asyncIterator]();
	return { next: () => iterator.next(), stop: () => iterator.return?.() };
}
