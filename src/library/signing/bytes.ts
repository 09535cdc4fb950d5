import type { Bytes } from "../runtime.ts";

export type { Bytes };

/** Writes strings as UTF-8. Its methods are listed, since not every project's types have `TextEncoder`. */
export const encoder: Utf8Encoder = /* @__PURE__ */ new TextEncoder();

interface Utf8Encoder {
	encode(value: string): Bytes;
	encodeInto(value: string, target: Uint8Array): { readonly written: number };
}

/** Keeps a byte order mark: it is signed, too. */
const decoder = /* @__PURE__ */ new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

export function utf8(value: string): Bytes {
	return encoder.encode(value);
}

/** The string of UTF-8 bytes. Throws a TypeError if they are not UTF-8, rather than replacing them by U+FFFD. */
export function decodeUtf8(bytes: Uint8Array | ArrayBuffer): string {
	return decoder.decode(bytes);
}

/**
 * The bytes of a `Uint8Array` or an `ArrayBuffer` of any realm, and `undefined` for anything else. Those of another realm
 * are not instances of our classes, as under test runners that run code in a separate context.
 */
export function viewBytes(value: unknown): Uint8Array | undefined {
	if (value instanceof Uint8Array) return value;
	const tag = Object.prototype.toString.call(value);
	if (tag === "[object ArrayBuffer]") return new Uint8Array(value as ArrayBuffer);
	if (tag !== "[object Uint8Array]" || !ArrayBuffer.isView(value)) return undefined;
	return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
}

/**
 * The same, for bytes that are used at once.
 * @throws TypeError for a buffer that was transferred, e.g. to a worker.
 */
export function viewAttachedBytes(value: unknown): Uint8Array | undefined {
	const bytes = viewBytes(value);
	// A view of a detached buffer looks empty, and making a new one throws. Not every runtime has `detached`.
	if (bytes?.length === 0) new Uint8Array(bytes.buffer);
	return bytes;
}

/**
 * The value of a hex digit at its char code, and -1 elsewhere. A table decodes a signature three times as fast as
 * branches, which a processor cannot predict for random digits.
 */
const HEX_VALUES = /* @__PURE__ */ Int8Array.from({ length: 128 }, (_, code) =>
	"0123456789abcdef".indexOf(String.fromCharCode(code).toLowerCase()),
);

/** Decodes hex of either case; `undefined` if the string is not hex of exactly `length` bytes. */
export function decodeHex(hex: string, length: number): Uint8Array | undefined {
	if (hex.length !== length * 2) return undefined;
	const bytes = new Uint8Array(length);
	for (let at = 0; at < length; at++) {
		const byte = readHexByte(hex, at * 2);
		if (byte < 0) return undefined;
		bytes[at] = byte;
	}
	return bytes;
}

/** The byte of two hex digits; negative if either is not one. */
function readHexByte(hex: string, at: number): number {
	const high = HEX_VALUES[hex.charCodeAt(at)] ?? -1;
	const low = HEX_VALUES[hex.charCodeAt(at + 1)] ?? -1;
	return (high << 4) | low;
}

/** Compares in a time that depends only on the lengths: a response's delay reveals nothing of the content. */
export function constantTimeEqual(left: Uint8Array, right: Uint8Array): boolean {
	if (left.length !== right.length) return false;
	let difference = 0;
	for (let at = 0; at < left.length; at++) difference |= (left[at] ?? 0) ^ (right[at] ?? 0);
	return difference === 0;
}

/** The same for lower-case hex, and hex of either case that someone else wrote. */
export function constantTimeEqualHex(expected: string, hex: string): boolean {
	const written = hex.toLowerCase();
	if (written.length !== expected.length) return false;
	let difference = 0;
	for (let at = 0; at < expected.length; at++) difference |= expected.charCodeAt(at) ^ written.charCodeAt(at);
	return difference === 0;
}

/** Joins chunks of `length` bytes in all; a single chunk is returned as it is. */
export function concatenate(chunks: readonly Uint8Array[], length: number): Uint8Array {
	const [only] = chunks;
	if (only !== undefined && chunks.length === 1) return only;
	const whole = new Uint8Array(length);
	let at = 0;
	for (const chunk of chunks) {
		whole.set(chunk, at);
		at += chunk.length;
	}
	return whole;
}

/** The bytes of a stream, or why there are none. */
export type CollectedBytes =
	| { readonly bytes: Uint8Array }
	| { readonly problem: "too_large" | "not_bytes" }
	| { readonly problem: "broken"; readonly error: unknown };

/**
 * Collects a stream of bytes, and stops reading at the limit. Never rejects.
 * @param announcedBytes - the length that a header announces: above the limit, nothing is read.
 * @param signal - cancels a `ReadableStream`; what it had sent is then `"broken"`.
 * @param chunks - where they are collected, for a caller that looks at what has arrived when there is a problem.
 */
export async function collectBytes(
	source: AsyncIterable<unknown> | ReadableStream<unknown>,
	maxBytes: number,
	{
		announcedBytes = 0,
		signal,
		chunks = [],
	}: { announcedBytes?: number; signal?: AbortSignal | undefined; chunks?: Uint8Array[] } = {},
): Promise<CollectedBytes> {
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
