import type { Message } from "../catalogue/message.ts";
import { BoundedMap } from "./bounded-map.ts";
import type { ChangeSink } from "./change-feed.ts";
import type { Conversation } from "./conversations.ts";
import type { TimedStep } from "./magic-numbers.ts";
import { RequestRejection } from "./request-rejection.ts";

/** What was sent: a text, files, or a voice note. */
export type MessageKind = "text" | "attachments" | "voice";

/** A tapback on a message. */
export interface Tapback {
	/** Number of the contact or agent. */
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
	/** Whether a magic number wrote it. */
	readonly isAutomatic: boolean;
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

/** The fields of a record that most messages do not need. */
export const PLAIN_MESSAGE = {
	isAutomatic: false,
	effect: undefined,
	replyToGuid: undefined,
	journey: undefined,
} as const;

/** All messages, outbound and inbound. */
export class Messages {
	readonly #byId: BoundedMap<string, MessageRecord>;
	readonly #byGuid = new Map<string, MessageRecord>();
	readonly #feed: ChangeSink;

	constructor(maxEntries: number, feed: ChangeSink, onDrop: (record: MessageRecord) => void) {
		this.#feed = feed;
		this.#byId = new BoundedMap(maxEntries, (record) => {
			const { messageGuid } = record.message;
			if (messageGuid !== null) this.#byGuid.delete(messageGuid);
			feed.dropped({ type: "message", record });
			onDrop(record);
		});
	}

	add(record: MessageRecord): void {
		this.#byId.set(record.message.messageId, record);
		this.indexGuid(record);
		this.changed(record);
	}

	/** Reports that a message changed, unless it was dropped. */
	changed(record: MessageRecord): void {
		if (this.#byId.get(record.message.messageId) === record) this.#feed.changed({ type: "message", record });
	}

	/** Makes a message findable by its id on the native network. */
	indexGuid(record: MessageRecord): void {
		const { messageId, messageGuid } = record.message;
		if (messageGuid !== null && this.#byId.has(messageId)) this.#byGuid.set(messageGuid, record);
	}

	get(messageId: string): MessageRecord {
		return found(this.find(messageId));
	}

	find(messageId: string): MessageRecord | undefined {
		return this.#byId.get(messageId);
	}

	getByGuid(messageGuid: string): MessageRecord {
		return found(this.findByGuid(messageGuid));
	}

	findByGuid(messageGuid: string): MessageRecord | undefined {
		return this.#byGuid.get(messageGuid);
	}

	all(): MessageRecord[] {
		return [...this.#byId.values()];
	}
}

function found(record: MessageRecord | undefined): MessageRecord {
	if (record !== undefined) return record;
	throw new RequestRejection(
		"MESSAGE_NOT_FOUND",
		"No message has this id; a messageGuid exists once it is sent.",
	);
}
