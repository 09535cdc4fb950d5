import { CanonicalJsonError } from "../errors.ts";
import { readHexDigit } from "./bytes.ts";
import {
	BACKSLASH,
	CARRIAGE_RETURN,
	FIRST_UNESCAPED,
	LINE_FEED,
	LOWER_B,
	LOWER_F,
	LOWER_N,
	LOWER_R,
	LOWER_T,
	LOWER_U,
	notJson,
	QUOTE,
	SLASH,
	TAB,
} from "./json-syntax.ts";

/** What may follow a backslash, beside `u` and four hex digits, and the byte that it stands for. */
const SHORT_ESCAPES: ReadonlyMap<number, number> = /* @__PURE__ */ new Map([
	[QUOTE, QUOTE],
	[BACKSLASH, BACKSLASH],
	[SLASH, SLASH],
	[LOWER_B, 0x08],
	[LOWER_F, 0x0c],
	[LOWER_N, LINE_FEED],
	[LOWER_R, CARRIAGE_RETURN],
	[LOWER_T, TAB],
]);

/** Bytes of `\u` and four hex digits. */
const LONG_ESCAPE_BYTES = 6;

/** The ends of a string that was unescaped in place. */
interface Unescaped {
	/** The place after what is unescaped. */
	readonly end: number;
	/** The place after the quotation mark. */
	readonly next: number;
}

/**
 * Unescapes a string in place, from `start` to its quotation mark: no escape has fewer bytes than what it stands for.
 *
 * @throws CanonicalJsonError `not_json`, or `lone_surrogate` for half of a pair.
 */
export function unescapeInPlace(bytes: Uint8Array, start: number): Unescaped {
	let at = start;
	let end = start;
	for (let byte = bytes[at] ?? 0; byte !== QUOTE; byte = bytes[at] ?? 0) {
		if (byte < FIRST_UNESCAPED) throw notJson();
		if (byte !== BACKSLASH) {
			bytes[end++] = byte;
			at++;
		} else if (bytes[at + 1] === LOWER_U) {
			const codePoint = readCodePoint(bytes, at);
			end = writeCodePoint(codePoint, bytes, end);
			at += codePoint > 0xffff ? 2 * LONG_ESCAPE_BYTES : LONG_ESCAPE_BYTES;
		} else {
			const escaped = SHORT_ESCAPES.get(bytes[at + 1] ?? 0);
			if (escaped === undefined) throw notJson();
			bytes[end++] = escaped;
			at += 2;
		}
	}
	return { end, next: at + 1 };
}

/** The code point of a long escape, or of two that are a surrogate pair. */
function readCodePoint(bytes: Uint8Array, at: number): number {
	const unit = readCodeUnit(bytes, at);
	if (unit < 0xd800 || unit > 0xdfff) return unit;
	const next = at + LONG_ESCAPE_BYTES;
	const hasNext = bytes[next] === BACKSLASH && bytes[next + 1] === LOWER_U;
	const low = hasNext ? readCodeUnit(bytes, next) : 0;
	if (unit > 0xdbff || low < 0xdc00 || low > 0xdfff) {
		throw new CanonicalJsonError("lone_surrogate", "a string holds half of a surrogate pair");
	}
	return 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
}

function readCodeUnit(bytes: Uint8Array, at: number): number {
	let unit = 0;
	for (let digitAt = at + 2; digitAt < at + LONG_ESCAPE_BYTES; digitAt++) {
		const digit = readHexDigit(bytes[digitAt] ?? 0);
		if (digit < 0) throw notJson();
		unit = unit * 16 + digit;
	}
	return unit;
}

/** Writes a code point as UTF-8. Returns the place after it. */
function writeCodePoint(codePoint: number, bytes: Uint8Array, start: number): number {
	let at = start;
	if (codePoint < 0x80) bytes[at++] = codePoint;
	else {
		if (codePoint < 0x800) bytes[at++] = 0xc0 | (codePoint >> 6);
		else {
			if (codePoint < 0x10000) bytes[at++] = 0xe0 | (codePoint >> 12);
			else {
				bytes[at++] = 0xf0 | (codePoint >> 18);
				bytes[at++] = 0x80 | ((codePoint >> 12) & 0x3f);
			}
			bytes[at++] = 0x80 | ((codePoint >> 6) & 0x3f);
		}
		bytes[at++] = 0x80 | (codePoint & 0x3f);
	}
	return at;
}
