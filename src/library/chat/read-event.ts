import type { InboundMessage, InboundReaction } from "../catalogue/events.ts";
import { findChat } from "../webhooks/conversation-of.ts";
import type { EventFields, WebhookEvent } from "../webhooks/events.ts";
import { isFilled } from "../webhooks/fill-nothing.ts";
import type { GatewayThread } from "./threads.ts";

/** A payload of which at least these fields are as documented. */
type With<Payload, Name extends keyof Payload> = Partial<Payload> & Pick<Payload, Name>;

/** Longer than the longest emoji, of several people with skin tones. */
const MAX_REACTION_LENGTH = 100;

/** What a contact wrote. */
export type ReadMessage = With<InboundMessage, "from" | "outbound">;

/** How a contact reacted. */
type ReadReaction = With<InboundReaction, "from" | "outbound" | "reaction" | "originalMessageGuid">;

/** What the bot can read of an event. */
export type ReadableEvent = EventFields & { readonly target: GatewayThread } & (
		| { readonly kind: "inbound_message"; readonly data: ReadMessage }
		| { readonly kind: "inbound_reaction"; readonly data: ReadReaction }
	);

/**
 * Reads an event for the bot, also one that is not as documented: whom an answer reaches must be certain, and there must be
 * something to answer.
 */
export function findReadable(event: WebhookEvent): ReadableEvent | undefined {
	const read = event.kind === "unknown" ? event.narrowed : event;
	const target = findChat(event);
	if (target === undefined || read === undefined || read.kind === "status") return undefined;
	const { from, outbound } = read.data;
	// In a group, too: a message of our own must not be answered.
	if (typeof from !== "string" || from === "" || typeof outbound !== "boolean") return undefined;
	const { eventId, timestamp, filled } = event;
	const about = { eventId, timestamp, filled, target };
	if (read.kind === "inbound_reaction") {
		const { reaction, originalMessageGuid } = read.data;
		if (typeof reaction !== "string" || typeof originalMessageGuid !== "string") return undefined;
		// It is no emoji, and Chat SDK remembers each name for ever.
		if (reaction.length > MAX_REACTION_LENGTH) return undefined;
		return {
			...about,
			kind: read.kind,
			data: { ...read.data, from, outbound, reaction, originalMessageGuid },
		};
	}
	// What has neither a text nor attachments may have them under another name.
	const { text, attachments } = read.data;
	if (event.kind === "unknown" && !isFilled(text) && !isFilled(attachments)) return undefined;
	return { ...about, kind: read.kind, data: { ...read.data, from, outbound } };
}
