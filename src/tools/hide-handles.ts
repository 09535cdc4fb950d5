/** What foreign words may repeat of a request, in the order in which it is replaced. */
const MASKS: readonly (readonly [pattern: RegExp, mask: string])[] = [
	[/https?:\/\/[^\s"']+/gi, "<URL>"],
	// Escaped in a path, too. Its parts end where no address goes on.
	[/[^\s"'`<>()[\]{},;:@/]{1,64}(@|%40)[^\s"'`<>()[\]{},;:@/]+/gi, "<e-mail address>"],
	[/(?=[\w-]*\d)[\w-]{20,}/g, "<id>"],
	[/\+?\d[\d ()-]{5,}\d/g, "<number>"],
	// A short code looks like any other number.
	[/(?<!\w|\d\.)\d{3,6}(?!\w|\.\d)/g, "<number>"],
];

/** A gateway's own words without the handles, ids and URLs that they may repeat. */
export function hideInWords(words: string): string {
	return MASKS.reduce((text, [pattern, mask]) => text.replace(pattern, mask), words);
}

/** A path without the handles that it may contain: in place of digits and e-mail addresses is an ellipsis. */
export function hideInPath(path: string): string {
	return path.replace(/[^/]*(?:@|%40)[^/]*|\d{3,}/gi, "…");
}
