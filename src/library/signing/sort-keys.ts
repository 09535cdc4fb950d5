import type { JsonTokens } from "./json-tokens.ts";

/** Fewer keys are compared faster than they are ranked. */
const MIN_RANKED = 64;

/** A double has room for four bytes and an index below this. */
const MAX_RANKED = 2 ** 21;

/**
 * Sorts the tokens of an object's keys by UTF-16 code unit (RFC 8785, section 3.2.3). Of equal keys the last one counts,
 * as in `JSON.parse`.
 */
export function sortKeys(keys: readonly number[], tokens: JsonTokens): readonly number[] {
	if (areInOrder(keys, tokens)) return keys;
	// Equal keys end up next to each other, so the sort has to compare them.
	let hasEqual = false;
	const sorted = rankKeys(keys, tokens).sort((left, right) => {
		const difference = compareKeys(left, right, tokens);
		if (difference === 0) hasEqual = true;
		return difference;
	});
	return hasEqual ? sorted.filter((key, at) => !isEqual(key, sorted[at + 1], tokens)) : sorted;
}

function areInOrder(keys: readonly number[], tokens: JsonTokens): boolean {
	for (let at = 1; at < keys.length; at++) {
		if (compareKeys(keys[at - 1] ?? 0, keys[at] ?? 0, tokens) >= 0) return false;
	}
	return true;
}

function isEqual(key: number, next: number | undefined, tokens: JsonTokens): boolean {
	return next !== undefined && compareKeys(key, next, tokens) === 0;
}

function compareKeys(left: number, right: number, tokens: JsonTokens): number {
	const { bytes, starts } = tokens;
	let leftAt = (starts[left] ?? 0) + 1;
	let rightAt = (starts[right] ?? 0) + 1;
	const leftEnd = contentEnd(left, tokens);
	const rightEnd = contentEnd(right, tokens);
	while (leftAt < leftEnd && rightAt < rightEnd) {
		const leftByte = bytes[leftAt++] ?? 0;
		const rightByte = bytes[rightAt++] ?? 0;
		if (leftByte !== rightByte) return rankOf(leftByte) - rankOf(rightByte);
	}
	return leftEnd - leftAt - (rightEnd - rightAt);
}

/**
 * Where UTF-16 sorts a byte of UTF-8. U+E000 to U+FFFF, which begin with EE and EF, come after the surrogate pairs, which
 * begin with F0 to F4; all others are in the same order.
 */
function rankOf(byte: number): number {
	return byte === 0xee || byte === 0xef ? byte + 0x10 : byte;
}

/**
 * Many keys nearly in order: by the first four bytes that differ, as numbers. Engines sort these without a callback, and
 * few comparisons are left.
 */
function rankKeys(keys: readonly number[], tokens: JsonTokens): number[] {
	if (keys.length < MIN_RANKED || keys.length > MAX_RANKED) return [...keys];
	const from = countCommonBytes(keys, tokens);
	const ranks = new Float64Array(keys.length);
	for (let index = 0; index < keys.length; index++) {
		const key = keys[index] ?? 0;
		let rank = 0;
		for (let at = from; at < from + 4; at++) rank = rank * 256 + byteAt(key, at, tokens);
		ranks[index] = rank * MAX_RANKED + index;
	}
	ranks.sort();
	const ranked: number[] = [];
	for (let at = 0; at < ranks.length; at++) ranked.push(keys[(ranks[at] ?? 0) % MAX_RANKED] ?? 0);
	return ranked;
}

/** How many first bytes all keys have in common. */
function countCommonBytes(keys: readonly number[], tokens: JsonTokens): number {
	const [first = 0] = keys;
	let common = contentEnd(first, tokens) - (tokens.starts[first] ?? 0) - 1;
	for (const key of keys) {
		let at = 0;
		while (at < common && byteAt(key, at, tokens) === byteAt(first, at, tokens)) at++;
		common = at;
	}
	return common;
}

/** A byte of a key, or 0 after its end. */
function byteAt(key: number, at: number, tokens: JsonTokens): number {
	const place = (tokens.starts[key] ?? 0) + 1 + at;
	return place < contentEnd(key, tokens) ? (tokens.bytes[place] ?? 0) : 0;
}

/** The place of a key's closing quotation mark. */
function contentEnd(key: number, { ends }: JsonTokens): number {
	return Math.abs(ends[key] ?? 0) - 1;
}
