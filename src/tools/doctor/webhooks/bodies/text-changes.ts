import type { Candidate } from "../candidate.ts";
import { bodyBefore, type DecodedBody } from "./raw-body.ts";

const BYTE_ORDER_MARK = "\ufeff";

/** A byte order mark that was added or removed. */
export function undoByteOrderMark({ text }: DecodedBody): Candidate<Uint8Array>[] {
	if (text === undefined) return [];
	if (text.startsWith(BYTE_ORDER_MARK)) {
		return [bodyBefore(text.slice(1), "bom_added", "A byte order mark was added in front of the body.")];
	}
	return [
		bodyBefore(
			BYTE_ORDER_MARK + text,
			"bom_removed",
			"The byte order mark in front of the body was removed, as request.text() does.",
		),
	];
}

/** Whitespace that was added to or removed from the ends of the body. */
export function undoOuterWhitespace({ text }: DecodedBody): Candidate<Uint8Array>[] {
	if (text === undefined) return [];
	const removed = ["\n", "\r\n", " ", "\r"].map((end) => text + end);
	const added = [text.replace(/\r?\n$/, ""), text.trimEnd(), text.trimStart(), text.trim()];
	return [
		...added.map((before) =>
			bodyBefore(before, "whitespace_changed", "Whitespace or a line end was added around the body."),
		),
		...removed.map((before) =>
			bodyBefore(before, "whitespace_changed", "Whitespace or a line end after the body was removed."),
		),
	];
}

/** Line ends that were translated. */
export function undoLineEnds({ text }: DecodedBody): Candidate<Uint8Array>[] {
	if (text === undefined) return [];
	const lineFeeds = text.replace(/\r\n?/g, "\n");
	return [
		bodyBefore(lineFeeds, "line_ends_changed", "The body's line feeds became CRLF or CR."),
		bodyBefore(lineFeeds.replaceAll("\n", "\r\n"), "line_ends_changed", "The body's CRLF became line feeds."),
		bodyBefore(lineFeeds.replaceAll("\n", "\r"), "line_ends_changed", "The body's CR became line feeds."),
	];
}

/** Letters with accents that were composed or decomposed. */
export function undoNormalization({ text }: DecodedBody): Candidate<Uint8Array>[] {
	if (text === undefined) return [];
	return (["NFC", "NFD"] as const).map((form) =>
		bodyBefore(
			text.normalize(form),
			"unicode_normalized",
			`The body's text was ${form} when it was signed, and was normalized to another Unicode form since.`,
		),
	);
}
