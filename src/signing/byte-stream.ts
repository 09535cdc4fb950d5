import { concatenate, viewBytes } from "./bytes.ts";

/** The bytes of a stream, or why there are none. */
export type CollectedBytes =
	| { readonly bytes: Uint8Array }
	| { readonly problem: "too_large" | "not_bytes" }
	| { readonly problem: "broken"; readonly error: unknown };

/** What both iterators and readers of streams do. Not every browser can iterate over a stream itself. */
interface Source {
	next: () => Promise<{ readonly done?: boolean | undefined; readonly value?: unknown }>;
	/** Ends the transfer. */
	stop: () => unknown;
}

/**
 * Collects a stream of bytes, and stops reading at the limit. Never rejects.
 * @param onStart - gets a function that ends the transfer early, for a stream that nothing else ends.
 */
export async function collectBytes(
	stream: AsyncIterable<unknown> | ReadableStream<unknown>,
	maxBytes: number,
	onStart?: (stop: () => unknown) => void,
): Promise<CollectedBytes> {
	const chunks: Uint8Array[] = [];
	let length = 0;
	try {
		const source = openSource(stream);
		const stop = async (): Promise<void> => {
			try {
				await source.stop();
			} catch {
				// What failed to end has nobody to report to.
			}
		};
		onStart?.(stop);
		for (;;) {
			const { done, value } = await source.next();
			if (done === true) return { bytes: concatenate(chunks, length) };
			const bytes = viewBytes(value);
			length += bytes?.length ?? 0;
			if (bytes === undefined || length > maxBytes) {
				stop();
				return { problem: bytes === undefined ? "not_bytes" : "too_large" };
			}
			chunks.push(bytes);
		}
	} catch (error) {
		return { problem: "broken", error };
	}
}

function openSource(stream: AsyncIterable<unknown> | ReadableStream<unknown>): Source {
	if ("getReader" in stream) {
		const reader = stream.getReader();
		return { next: () => reader.read(), stop: () => reader.cancel() };
	}
	const iterator = stream[Symbol.asyncIterator]();
	return { next: () => iterator.next(), stop: () => iterator.return?.() };
}
