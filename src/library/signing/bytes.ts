import { type Bytes, createDecoder, createEncoder, type Utf8Decoder, type Utf8Encoder } from "../host.ts";

export type { Bytes };

/** Both are made when first used: not every host has them, and each entry loads this file. */
let encoder: Utf8Encoder | undefined;
let decoder: Utf8Decoder | undefined;

export function utf8(value: string): Bytes {
	encoder ??= createEncoder();
	return encoder.encode(value);
}

/** Writes a string as UTF-8. @returns how many bytes it has. */
export function encodeInto(value: string, target: Uint8Array): number {
	encoder ??= createEncoder();
	return encoder.encodeInto(value, target).written;
}

/** The string of UTF-8 bytes. Throws a TypeError if they are not UTF-8, rather than replacing them by U+FFFD. */
export function decodeUtf8(bytes: Uint8Array | ArrayBuffer): string {
	// Keeps a byte order mark: it is signed, too.
	decoder ??= createDecoder({ fatal: true, ignoreBOM: true });
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

/**
 * Bytes that arrive in pieces. A single piece is kept as it is. Further ones are copied into one buffer, which doubles: a
 * piece holds some 200 bytes of heap however small it is, and a stranger chooses the pieces.
 */
export class GrowingBytes {
	#buffer: Uint8Array = new Uint8Array();
	#length = 0;

	/** How many bytes there are. */
	get length(): number {
		return this.#length;
	}

	/** The bytes up to now. */
	get bytes(): Uint8Array {
		return this.#buffer.length === this.#length ? this.#buffer : this.#buffer.subarray(0, this.#length);
	}

	/** @param maxBytes - the most that there will ever be, which the buffer does not exceed. */
	add(piece: Uint8Array, maxBytes: number): void {
		const at = this.#length;
		this.#length += piece.length;
		if (at === 0) {
			this.#buffer = piece;
			return;
		}
		if (this.#length > this.#buffer.length) {
			const grown = new Uint8Array(Math.min(this.#length * 2, maxBytes));
			grown.set(this.#buffer);
			this.#buffer = grown;
		}
		this.#buffer.set(piece, at);
	}
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
 * @param into - where they are collected, for a caller that looks at what has arrived when there is a problem.
 */
export async function collectBytes(
	source: AsyncIterable<unknown> | ReadableStream<unknown>,
	maxBytes: number,
	{
		announcedBytes = 0,
		signal,
		into = new GrowingBytes(),
	}: { announcedBytes?: number; signal?: AbortSignal | undefined; into?: GrowingBytes } = {},
): Promise<CollectedBytes> {
	let isTooLarge = announcedBytes > maxBytes;
	let stop: (() => unknown) | undefined;
	try {
		const reading = "getReader" in source ? readStream(source) : readIterable(source);
		stop = reading.stop;
		signal?.addEventListener("abort", stop);
		if (signal?.aborted) stop();
		for (;;) {
			if (isTooLarge) {
				await stop();
				return { problem: "too_large" };
			}
			const { done, value } = await reading.next();
			signal?.throwIfAborted();
			if (done) return { bytes: into.bytes };
			const bytes = viewBytes(value);
			if (bytes === undefined) {
				await stop();
				return { problem: "not_bytes" };
			}
			isTooLarge = into.length + bytes.length > maxBytes;
			into.add(isTooLarge ? bytes.subarray(0, maxBytes - into.length) : bytes, maxBytes);
		}
	} catch (error) {
		return { problem: "broken", error };
	} finally {
		if (stop !== undefined) signal?.removeEventListener("abort", stop);
	}
}

interface ChunkReader {
	next(): Promise<{ readonly done?: boolean | undefined; readonly value?: unknown }>;
	stop(): unknown;
}

/** Not every browser can iterate over a stream itself. */
function readStream(stream: ReadableStream<unknown>): ChunkReader {
	const reader = stream.getReader();
	return {
		next: () => reader.read(),
		stop: () => {
			// Cancels the rest of the transfer; a failure no longer matters.
			(async () => reader.cancel())().catch(() => undefined);
		},
	};
}

function readIterable(source: AsyncIterable<unknown>): ChunkReader {
	const iterator = source[Symbol.asyncIterator]();
	return { next: () => iterator.next(), stop: () => iterator.return?.() };
}
