/** What a gateway's words may repeat of a request, in the order in which it is replaced. */
const MASKS: readonly (readonly [pattern: RegExp, mask: string])[] = [
	[/https?:\/\/[^\s"']+/gi, "<URL>"],
	[/(?=[\w-]*\d)[\w-]{20,}/g, "<id>"],
	[/\+?\d[\d ()-]{5,}\d/g, "<number>"],
];

/** A gateway's own words without the numbers, ids and URLs that they may repeat. */
export function masked(words: string): string {
	return MASKS.reduce((text, [pattern, mask]) => text.replace(pattern, mask), words);
}
