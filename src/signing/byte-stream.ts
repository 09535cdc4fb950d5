import { concatenate, viewBytes } from "./bytes.ts";

/** The bytes of a stream, or why there are none. */
export type CollectedBytes =
	| { readonly bytes: Uint8Array }
	| { readonly problem: "too_large" | "not_bytes" }
	| { readonly problem: "broken"; readonly error: unknown };

/** Collects a stream of bytes, and stops reading at the limit. Never rejects. */
export async function collectBytes(
	source: AsyncIterable<unknown> | ReadableStream<unknown>,
	maxBytes: number,
): Promise<CollectedBytes> {
	const chunks: Uint8Array[] = [];
	let length = 0;
	try {
		for await (const chunk of "getReader" in source ? chunksOf(source) : source) {
			const bytes = viewBytes(chunk);
			if (bytes === undefined) return { problem: "not_bytes" };
			length += bytes.length;
			if (length > maxBytes) return { problem: "too_large" };
			chunks.push(bytes);
		}
	} catch (error) {
		return { problem: "broken", error };
	}
	return { bytes: concatenate(chunks, length) };
}

/** Not every browser can iterate over a stream itself. */
async function* chunksOf(stream: ReadableStream<unknown>): AsyncGenerator<unknown> {
	const reader = stream.getReader();
	try {
		for (let read = await reader.read(); !read.done; read = await reader.read()) yield read.value;
	} finally {
		// Cancels the rest of the transfer; a failure no longer matters.
		reader.cancel().catch(() => undefined);
	}
}
