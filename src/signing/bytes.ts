const encoder = new TextEncoder();

/**
 * Bytes over an `ArrayBuffer` of their own, which is what `fetch` takes as a body.
 * Named through `TextEncoder`, because `Uint8Array` has a type parameter only from TypeScript 5.7 on.
 */
export type Bytes = ReturnType<TextEncoder["encode"]>;

/** The UTF-8 bytes of a text. */
export function utf8(text: string): Bytes {
	return encoder.encode(text);
}

/** Decodes hex of either case; `undefined` where the text is not hex of exactly `length` bytes. */
export function decodeHex(text: string, length: number): Uint8Array | undefined {
	if (text.length !== length * 2 || !/^[0-9a-f]*$/i.test(text)) return undefined;
	const bytes = new Uint8Array(length);
	for (let at = 0; at < length; at++) bytes[at] = Number.parseInt(text.slice(at * 2, at * 2 + 2), 16);
	return bytes;
}

/** Compares in a time that depends on the lengths alone, so that an answer's delay tells nothing of the content. */
export function constantTimeEqual(left: Uint8Array, right: Uint8Array): boolean {
	if (left.length !== right.length) return false;
	let difference = 0;
	for (let at = 0; at < left.length; at++) difference |= (left[at] ?? 0) ^ (right[at] ?? 0);
	return difference === 0;
}
