import { CanonicalJsonError } from "../errors.ts";
import { type Bytes, decodeUtf8 } from "./bytes.ts";
import {
	ARRAY_END,
	ARRAY_START,
	BACKSLASH,
	COLON,
	COMMA,
	FIRST_UNESCAPED,
	notJson,
	OBJECT_END,
	OBJECT_START,
	QUOTE,
} from "./json-syntax.ts";
import { type JsonTokens, scanJson } from "./json-tokens.ts";
import { sortKeys } from "./sort-keys.ts";

/** As in `canonicalize`. */
const MAX_DEPTH = 1_000;

/** The length of -0.0000012345678901234567: ECMAScript writes no longer number. */
const MAX_NUMBER_BYTES = 25;

/** From this length on, a call of the engine is faster than a loop. */
const MIN_LONG_BYTES = 64;

/** What a string has for each ASCII character up to the backslash, the last one that is escaped. */
const QUOTED: readonly string[] = /* @__PURE__ */ Array.from({ length: BACKSLASH + 1 }, (_, byte) =>
	JSON.stringify(String.fromCharCode(byte)).slice(1, -1),
);

/**
 * The canonical form (RFC 8785) of JSON that anybody may have sent: the bytes of `canonicalize(JSON.parse(json))`. The cost
 * depends on the length alone, whatever the keys, shapes and levels are.
 *
 * @throws CanonicalJsonError `not_json`, `not_finite`, `too_deep` or `lone_surrogate`; the last two also for a member that
 * is replaced by a later one with the same key.
 */
export function canonicalizeJson(json: Uint8Array): Bytes {
	assertUtf8(json);
	const writer = new TokenWriter(scanJson(json, MAX_DEPTH));
	writer.write(0);
	return writer.written();
}

function assertUtf8(json: Uint8Array): void {
	try {
		decodeUtf8(json);
	} catch {
		throw notJson();
	}
}

class TokenWriter {
	readonly #tokens: JsonTokens;
	readonly #bytes: Bytes;
	#length = 0;

	constructor(tokens: JsonTokens) {
		this.#tokens = tokens;
		// Only numbers can get longer.
		this.#bytes = new Uint8Array(tokens.bytes.length + tokens.otherNumbers * MAX_NUMBER_BYTES);
	}

	written(): Bytes {
		return this.#bytes.subarray(0, this.#length);
	}

	/** Writes a token, with its members. */
	write(token: number): void {
		const { bytes, starts, ends } = this.#tokens;
		const start = starts[token] ?? 0;
		const end = ends[token] ?? 0;
		const first = bytes[start];
		if (first === OBJECT_START) this.#writeObject(token, end);
		else if (first === ARRAY_START) this.#writeArray(token, end);
		else if (end > 0) this.#copy(start, end);
		else if (first === QUOTE) this.#writeString(start, -end);
		else this.#writeNumber(start, -end);
	}

	#writeArray(array: number, end: number): void {
		this.#push(ARRAY_START);
		for (let item = array + 1; item < end; item = this.#after(item)) {
			if (item > array + 1) this.#push(COMMA);
			this.write(item);
		}
		this.#push(ARRAY_END);
	}

	#writeObject(object: number, end: number): void {
		const keys: number[] = [];
		for (let key = object + 1; key < end; key = this.#after(key + 1)) keys.push(key);
		this.#push(OBJECT_START);
		let isFirst = true;
		for (const key of sortKeys(keys, this.#tokens)) {
			if (!isFirst) this.#push(COMMA);
			isFirst = false;
			this.write(key);
			this.#push(COLON);
			this.write(key + 1);
		}
		this.#push(OBJECT_END);
	}

	/** The token after a value. */
	#after(value: number): number {
		const { bytes, starts, ends } = this.#tokens;
		const first = bytes[starts[value] ?? 0];
		return first === OBJECT_START || first === ARRAY_START ? (ends[value] ?? 0) : value + 1;
	}

	#copy(start: number, end: number): void {
		const from = this.#tokens.bytes;
		const to = this.#bytes;
		let length = this.#length;
		if (end - start < MIN_LONG_BYTES) {
			for (let at = start; at < end; at++) to[length++] = from[at] ?? 0;
		} else {
			to.set(from.subarray(start, end), length);
			length += end - start;
		}
		this.#length = length;
	}

	#writeString(start: number, end: number): void {
		const { bytes } = this.#tokens;
		this.#push(QUOTE);
		for (let at = start + 1; at < end - 1; at++) {
			const byte = bytes[at] ?? 0;
			if (byte < FIRST_UNESCAPED || byte === QUOTE || byte === BACKSLASH)
				this.#writeAscii(QUOTED[byte] ?? "");
			else this.#push(byte);
		}
		this.#push(QUOTE);
	}

	#writeNumber(start: number, end: number): void {
		const number = Number(this.#readAscii(start, end));
		if (!Number.isFinite(number)) {
			throw new CanonicalJsonError("not_finite", "a number is beyond all doubles");
		}
		this.#writeAscii(String(number));
	}

	#readAscii(start: number, end: number): string {
		const { bytes } = this.#tokens;
		if (end - start >= MIN_LONG_BYTES) return decodeUtf8(bytes.subarray(start, end));
		let string = "";
		for (let at = start; at < end; at++) string += String.fromCharCode(bytes[at] ?? 0);
		return string;
	}

	#writeAscii(string: string): void {
		for (let at = 0; at < string.length; at++) this.#push(string.charCodeAt(at));
	}

	#push(byte: number): void {
		this.#bytes[this.#length++] = byte;
	}
}
