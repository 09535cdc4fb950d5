import { ourValueOf } from "../plan/value-names.ts";
import { wordsOf } from "../plan/words.ts";
import type { EventKind } from "./event-types.ts";

/** What the name of an event says: a kind, `"message"` if it may be the contact's or ours, `"other"` for what is none. */
export type NamedKind = EventKind | "message" | "other" | undefined;

const MESSAGE = /^(message|msg|sms|mms|text|imessage|chat|whatsapp|rcs)$/;
const REACTION = /^(reaction|react|reacted|tapback|unreacted|unreact)$/;
const STATUS =
	/^(status|state|delivery|deliverie|delivered|undelivered|sent|read|seen|failed|failure|queued|dlr|receipt|undeliverable)$/;
const INBOUND = /^(inbound|incoming|received|receive|mo|reply|replied)$/;
const OTHER =
	/^(typing|edit|edited|unsent|unsend|recalled|deleted|group|participant|member|call|voice|contact|agent|device|line|account|opt|template|campaign|credit|balance|subscription|user|location|payment|order)$/;
const NEW = /^(new|created|create|upsert|added)$/;
const REMOVED = /^(removed|remove|deleted|delete|unreact|unreacted|cleared|retracted)$/;

/** Reads the name of an event, or a value of its type. */
export function classify(name: string): NamedKind {
	const words = wordsOf(name.replaceAll(/_/g, " "));
	const has = (pattern: RegExp): boolean => words.some((word) => pattern.test(word));
	if (has(REACTION)) return "inbound_reaction";
	const isInbound = has(INBOUND);
	if (has(STATUS) && !(isInbound && !has(/^(status|delivery|deliverie|receipt|dlr)$/))) return "status";
	if (has(OTHER)) return "other";
	if (isInbound) return "inbound_message";
	return has(MESSAGE) && (words.length === 1 || has(NEW)) ? "message" : undefined;
}

/** Whether the name of a reaction says that it was taken back. */
export function isRemoval(name: string): boolean {
	return wordsOf(name).some((word) => REMOVED.test(word));
}

/** Whether a name or a sentence says that something came from a contact. */
export function saysInbound(words: string): boolean {
	return wordsOf(words).some((word) => INBOUND.test(word));
}

/** Whether a sentence says that something goes to a contact as well. */
export function saysOutbound(words: string): boolean {
	return wordsOf(words).some((word) => /^(outbound|outgoing|sent|both|any|every|yours|own)$/.test(word));
}

/** The status that the name of an event says, such as `message.delivered`. */
export function statusIn(name: string): string | undefined {
	const found = wordsOf(name).flatMap((word) => ourValueOf("messageStatus", word) ?? []);
	const [status] = found;
	return new Set(found).size === 1 ? status : undefined;
}
