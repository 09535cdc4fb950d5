import type { Message } from "../catalogue/message.ts";
import { isJsonObject } from "../is-object.ts";
import { hideHandles } from "./hide-handles.ts";
import { readField } from "./read-body.ts";

/** The longest reason, in UTF-16 code units. */
const MAX_LENGTH = 200;

/** How deep a reason is looked for. */
const MAX_DEPTH = 3;

/** Where gateways write a reason, besides a code. */
const SENTENCES = ["message", "reason", "description", "detail", "title", "error"] as const;

/** What could be a secret or what was sent: URLs, long tokens, quotations. */
const PRIVATE = [
	/\w+:\/\/\S+|[^\s/]+\.[a-z]{2,}\/\S+/gi,
	/[\w+/=-]{32,}/g,
	// What is quoted is mostly what was sent, also where the closing mark was cut off.
	/"[^"]*"?|[“„][^”“]*[”“]?|«[^»]*»?|‹[^›]*›?|`[^`]*`?|‘[^’]*’?|(?<![\p{L}\p{N}])'[^']*'?/gu,
];

/**
 * Says why a message failed, in one short line for a person or a log. It reads any form of `error`. The message's own
 * text and handles, other numbers and addresses, URLs and quotations are replaced by `…`.
 *
 * @example
 * ```ts
 * on: { status: ({ data }) => { if (data.status === "failed") console.log(failureReason(data) ?? "no reason given"); } }
 * ```
 * @param data - `data` of a status event, or a `Message`.
 * @returns `undefined` if `error` has nothing that can be read.
 */
export function failureReason(
	data: Pick<Message, "error"> & Partial<Pick<Message, "text" | "from" | "to" | "participants">>,
): string | undefined {
	const { text, from, to, participants } = data ?? {};
	const found = readField(() => findReason(data.error, MAX_DEPTH)) ?? "";
	let reason = toLine(found.slice(0, 10 * MAX_LENGTH));
	// First, since a text may hold a handle.
	if (typeof text === "string") reason = withoutQuotes(reason, toLine(text));
	for (const handle of [from, to, ...(Array.isArray(participants) ? participants : [])])
		if (typeof handle === "string" && handle !== "") reason = reason.replaceAll(handle, "…");
	for (const pattern of PRIVATE) reason = reason.replace(pattern, "…");
	reason = hideHandles(reason);
	// Not between the two halves of a character.
	if (reason.length > MAX_LENGTH)
		reason = `${reason.slice(0, MAX_LENGTH - 1).replace(/[\ud800-\udbff]$/, "")}…`;
	return /[\p{L}\p{N}]/u.test(reason) ? reason : undefined;
}

/** Without line ends, control characters and those that change the direction of a text. */
function toLine(value: string): string {
	return value.replace(/[\s\p{C}]+/gu, " ").trim();
}

function findReason(error: unknown, depth: number): string {
	if (typeof error === "string") return error;
	if (typeof error === "number") return String(error);
	if (depth === 0) return "";
	const find = (value: unknown): string => findReason(value, depth - 1);
	if (Array.isArray(error)) return error.slice(0, 3).map(find).filter(isFilled).join(", ");
	if (!isJsonObject(error)) return "";
	const { code } = error;
	const sentence = SENTENCES.map((name) => find(error[name])).find(isFilled);
	return [typeof code === "object" ? "" : find(code), sentence ?? ""].filter(isFilled).join(": ");
}

function isFilled(value: string): boolean {
	return value.trim() !== "";
}

/** The fewest characters at the start of a text that count as a quotation of it; a shorter text counts as a whole word. */
const MIN_QUOTE = 6;

/** Without what a gateway quotes of a text: all of it, or its start. */
function withoutQuotes(reason: string, text: string): string {
	const start = text.slice(0, MIN_QUOTE);
	const at = start === "" ? -1 : reason.indexOf(start);
	if (at < 0) return reason;
	let end = at + start.length;
	const isPartOfWord = /\p{L}/u.test(`${reason.slice(0, at).slice(-1)}${reason.slice(end, end + 1)}`);
	if (text.length < MIN_QUOTE && isPartOfWord)
		return reason.slice(0, end) + withoutQuotes(reason.slice(end), text);
	while (end < reason.length && end - at < text.length && reason[end] === text[end - at]) end++;
	return `${reason.slice(0, at)}…${withoutQuotes(reason.slice(end), text)}`;
}
