/**
 * Handles as they stand in paths, names and sentences: what is percent-encoded, e-mail addresses, and seven digits or more
 * with up to three other characters between two of them that are no letters.
 */
const HANDLES = [
	/[^\s/]*%[\da-f]{2}[^\s/]*/gi,
	/[^\s@＠/]+[@＠][^\s@＠/]+/g,
	/[+(]*\p{Nd}(?:[^\p{L}\p{Nd}]{0,3}\p{Nd}){6,}/gu,
];

/** Puts `…` where somebody's number or address may be. */
export function hideHandles(value: string): string {
	return HANDLES.reduce((shown, pattern) => shown.replace(pattern, "…"), value);
}
