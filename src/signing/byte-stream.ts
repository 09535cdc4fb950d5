import { concatenate } from "./bytes.ts";

/** What collecting a stream ended with: its bytes, or why there are none. */
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
		for await (const chunk of source instanceof ReadableStream ? chunksOf(source) : source) {
			if (!(chunk instanceof Uint8Array)) return { problem: "not_bytes" };
			length += chunk.length;
			if (length > maxBytes) return { problem: "too_large" };
			chunks.push(chunk);
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
		// Ends the transfer of what is left; whether that fails does not matter any more.
		reader.cancel().catch(() => undefined);
	}
}
