import type { Mapping } from "../../library/catalogue/mappings.ts";
import type { Message } from "../../library/catalogue/message.ts";
import type { TimedStep } from "./magic-numbers.ts";

/*
 * A conversation and its messages as the gateway keeps them. They are declared together, since each refers to the
 * other; the files that own them are conversations.ts and messages.ts.
 */

/**
 * A chat with one contact or a group, and the counters of its mapping (specification, section 2.3). A group counts
 * like a contact, but the mapping operations show only contacts: they name a single number. Assumed.
 */
export interface Conversation {
	readonly sequence: number;
	/** The contact's handle, or the group's id. */
	readonly key: string;
	readonly groupId: string | null;
	/** The contacts on the other side. */
	readonly contacts: readonly string[];
	readonly chatGuid: string;
	readonly counters: Omit<Mapping, "agentNumber" | "userNumber" | "duplicate">;
	/** Messages that were sent natively and not read yet, by id. */
	readonly unread: Map<string, MessageRecord>;
	agentNumber: string;
	/** The name that a send gave the group last. */
	groupName: string | undefined;
	/** The agent before the last reassignment. */
	previousAgentNumber: string | undefined;
	/** Part of the keys of this chat's duplicate windows. A new one clears them, as no key matches any more. */
	windowId: number;
	/** The last accepted message, while its duplicate window may be open. */
	lastAccepted: { readonly signature: string; readonly at: number; readonly messageId: string } | undefined;
	lastAttempt: LastAttempt | undefined;
	/** The last message that has an id on the native network. */
	lastSent: MessageRecord | undefined;
	/** When the last message was accepted or arrived, in Unix milliseconds. */
	lastMessageAt: number | null;
	/** Accepted messages whose duplicate windows may be open, the oldest first. */
	readonly opened: AcceptedSend[];
	/** When the agent stops typing; `null` when it is not typing. */
	typingUntil: number | null;
	/** The agent's last read receipt: the last `sequence` that it covers, and when it was given. */
	readUpTo: { readonly sequence: number; readonly at: number } | null;
}

/** The last send that was checked, and whether it was blocked as a duplicate. */
export interface LastAttempt {
	readonly signature: string;
	readonly agentNumber: string;
	readonly isDuplicate: boolean;
}

/** A send that was accepted. */
export interface AcceptedSend {
	/** The chat's window at that time. */
	readonly windowId: number;
	readonly agentNumber: string;
	/** Equal for messages that count as the same. */
	readonly signature: string;
	readonly chatKey: string;
	readonly messageId: string;
	/** When its windows began, in Unix milliseconds: when it was accepted, unless blocked attempts extend them. */
	at: number;
}

/** What was sent: a text, files, or a voice note. */
export type MessageKind = "text" | "attachments" | "voice";

/** A tapback on a message. */
export interface Tapback {
	/** The contact's handle, or the agent's number. */
	readonly by: string;
	readonly reaction: string;
	/** Which part of the message, if given. */
	readonly partIndex?: number | undefined;
}

/** The remaining steps of a message, and when the next one is due. */
export interface Journey {
	readonly steps: readonly TimedStep[];
	readonly dueAt: number;
}

/** A message as the gateway keeps it; its `message` changes with each step. */
export interface MessageRecord {
	readonly sequence: number;
	readonly conversation: Conversation;
	readonly message: Message;
	readonly kind: MessageKind;
	/** Equal for messages that count as the same; `undefined` for an inbound one. */
	readonly signature: string | undefined;
	/** The chat's duplicate window when it was accepted. */
	readonly windowId: number;
	/** The effect that it arrives with. */
	readonly effect: string | undefined;
	/** `messageGuid` of the message that it replies to. */
	readonly replyToGuid: string | undefined;
	/** Ids of the kept bytes, at the index of their attachment. */
	readonly attachmentIds: readonly (string | null)[];
	tapbacks: readonly Tapback[];
	/** `undefined` when no step is left. */
	journey: Journey | undefined;
}
