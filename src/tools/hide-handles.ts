/** What foreign words may repeat of a request, in the order in which it is replaced: words that also have a second pattern. */
const MASKS: readonly (readonly [words: RegExp, mask: string, having?: RegExp])[] = [
	[/https?:\/\/[^\s"']+/gi, "<URL>"],
	// Escaped in a path, too. Its parts end where no address goes on.
	[/[^\s<>()[\],;:\\"/]+/g, "<e-mail address>", /[^@](@|%40)[^@]/i],
	[/[\w-]{20,}/g, "<id>", /\d/],
	[/\+?\d[\d ()-]{5,}\d/g, "<number>"],
	// A short code looks like any other number.
	[/(?<!\w|\d\.)\d{3,6}(?!\w|\.\d)/g, "<number>"],
];

/** A gateway's own words without the handles, ids and URLs that they may repeat. */
export function hideInWords(words: string): string {
	return MASKS.reduce(
		(text, [pattern, mask, having]) =>
			text.replace(pattern, (found) => (having?.test(found) === false ? found : mask)),
		words,
	);
}

/** A path without the handles that it may contain: in place of digits and e-mail addresses is an ellipsis. */
export function hideInPath(path: string): string {
	return path.replace(/[^/]+/g, (part) => (/@|%40/i.test(part) ? "…" : part.replace(/\d{3,}/g, "…")));
}
