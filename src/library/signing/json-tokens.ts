import { CanonicalJsonError } from "../errors.ts";
import { unescapeInPlace } from "./json-escapes.ts";
import {
	ARRAY_END,
	ARRAY_START,
	BACKSLASH,
	CARRIAGE_RETURN,
	COLON,
	COMMA,
	DOT,
	FIRST_UNESCAPED,
	LINE_FEED,
	LOWER_E,
	LOWER_F,
	LOWER_N,
	LOWER_T,
	MINUS,
	NINE,
	notJson,
	OBJECT_END,
	OBJECT_START,
	PLUS,
	QUOTE,
	SPACE,
	TAB,
	UPPER_E,
	ZERO,
} from "./json-syntax.ts";

/** ECMAScript writes every integer of so many digits as it is. */
const MAX_EXACT_DIGITS = 15;

/** The tokens of JSON: its keys and values, each container before its members. */
export interface JsonTokens {
	/** The JSON with its strings unescaped in place, and a zero after it. */
	readonly bytes: Uint8Array;
	/** The place of each token's first byte, such as a quotation mark or a bracket. */
	readonly starts: Int32Array;
	/**
	 * The place after a string, number or literal, negative if its canonical form may have other bytes; the token after an
	 * object or array with its members.
	 */
	readonly ends: Int32Array;
	/** How many numbers may have a canonical form of other bytes. */
	readonly otherNumbers: number;
}

/**
 * Reads what `JSON.parse` reads, from valid UTF-8 and up to a depth. It makes no values, so that the cost depends on the
 * length alone: `JSON.parse` takes ten times as long if all objects have different keys.
 *
 * @throws CanonicalJsonError `not_json`, `too_deep` or `lone_surrogate`.
 */
export function scanJson(json: Uint8Array, maxDepth: number): JsonTokens {
	const scanner = new JsonScanner(json);
	scanner.scan(maxDepth);
	return scanner;
}

class JsonScanner implements JsonTokens {
	readonly bytes: Uint8Array;
	readonly starts: Int32Array;
	readonly ends: Int32Array;
	otherNumbers = 0;
	#count = 0;
	#at = 0;

	constructor(json: Uint8Array) {
		// A zero is part of no token, so every loop stops there.
		this.bytes = new Uint8Array(json.length + 1);
		this.bytes.set(json);
		// Valid JSON has two bytes or more for each token but one: a comma, a colon or a bracket beside its first.
		const maxTokens = Math.ceil((json.length + 1) / 2);
		this.starts = new Int32Array(maxTokens);
		this.ends = new Int32Array(maxTokens);
	}

	scan(maxDepth: number): void {
		this.#scanValue(maxDepth);
		this.#skipWhitespace();
		if (this.#at !== this.bytes.length - 1) throw notJson();
	}

	#scanValue(levels: number): void {
		switch (this.#skipWhitespace()) {
			case QUOTE:
				this.#scanString();
				break;
			case OBJECT_START:
				this.#scanObject(levels);
				break;
			case ARRAY_START:
				this.#scanArray(levels);
				break;
			case LOWER_T:
				this.#scanLiteral("true");
				break;
			case LOWER_F:
				this.#scanLiteral("false");
				break;
			case LOWER_N:
				this.#scanLiteral("null");
				break;
			default:
				this.#scanNumber();
		}
	}

	#scanObject(levels: number): void {
		const token = this.#enter(levels);
		if (this.#skipWhitespace() === OBJECT_END) this.#at++;
		else {
			do {
				if (this.#skipWhitespace() !== QUOTE) throw notJson();
				this.#scanString();
				if (this.#skipWhitespace() !== COLON) throw notJson();
				this.#at++;
				this.#scanValue(levels - 1);
			} while (this.#hasNext(OBJECT_END));
		}
		this.ends[token] = this.#count;
	}

	#scanArray(levels: number): void {
		const token = this.#enter(levels);
		if (this.#skipWhitespace() === ARRAY_END) this.#at++;
		else {
			do this.#scanValue(levels - 1);
			while (this.#hasNext(ARRAY_END));
		}
		this.ends[token] = this.#count;
	}

	/** The token of an object or array, whose end is not known yet. */
	#enter(levels: number): number {
		if (levels === 0) throw new CanonicalJsonError("too_deep", "the JSON nests too deeply");
		const token = this.#count;
		this.#add(this.#at, 0);
		this.#at++;
		return token;
	}

	/** Whether a comma follows, rather than the end of the object or array. */
	#hasNext(end: number): boolean {
		const byte = this.#skipWhitespace();
		this.#at++;
		if (byte === COMMA) return true;
		if (byte === end) return false;
		throw notJson();
	}

	#scanString(): void {
		const { bytes } = this;
		const start = this.#at;
		let at = start + 1;
		let byte = bytes[at] ?? 0;
		while (byte !== QUOTE && byte !== BACKSLASH && byte >= FIRST_UNESCAPED) byte = bytes[++at] ?? 0;
		if (byte === QUOTE) {
			this.#at = at + 1;
			this.#add(start, this.#at);
		} else {
			const { end, next } = unescapeInPlace(bytes, at);
			this.#at = next;
			// One place on, as if its quotation mark followed.
			this.#add(start, -(end + 1));
		}
	}

	#scanNumber(): void {
		const { bytes } = this;
		const start = this.#at;
		const first = bytes[start] === MINUS ? start + 1 : start;
		const integerEnd = this.#skipDigits(first);
		const digits = integerEnd - first;
		if (bytes[first] === ZERO && digits > 1) throw notJson();
		let end = integerEnd;
		if (bytes[end] === DOT) end = this.#skipDigits(end + 1);
		if (bytes[end] === LOWER_E || bytes[end] === UPPER_E) {
			const sign = bytes[end + 1];
			end = this.#skipDigits(sign === PLUS || sign === MINUS ? end + 2 : end + 1);
		}
		const isNegativeZero = first > start && bytes[first] === ZERO;
		const isExact = end === integerEnd && digits <= MAX_EXACT_DIGITS && !isNegativeZero;
		if (!isExact) this.otherNumbers++;
		this.#add(start, isExact ? end : -end);
		this.#at = end;
	}

	/** The place after one digit or more. */
	#skipDigits(from: number): number {
		const { bytes } = this;
		let at = from;
		for (let byte = bytes[at] ?? 0; byte >= ZERO && byte <= NINE; byte = bytes[at] ?? 0) at++;
		if (at === from) throw notJson();
		return at;
	}

	#scanLiteral(word: string): void {
		const start = this.#at;
		for (let index = 0; index < word.length; index++) {
			if (this.bytes[this.#at++] !== word.charCodeAt(index)) throw notJson();
		}
		this.#add(start, this.#at);
	}

	/** The next byte that is not whitespace. */
	#skipWhitespace(): number {
		const { bytes } = this;
		let byte = bytes[this.#at] ?? 0;
		while (byte === SPACE || byte === LINE_FEED || byte === CARRIAGE_RETURN || byte === TAB) {
			byte = bytes[++this.#at] ?? 0;
		}
		return byte;
	}

	#add(start: number, end: number): void {
		this.starts[this.#count] = start;
		this.ends[this.#count] = end;
		this.#count++;
	}
}
