import type { Message } from "../catalogue/shared.ts";
import { BoundedMap } from "./bounded-map.ts";
import type { Conversation } from "./conversations.ts";
import { Refusal } from "./refusal.ts";

/** A message as the gateway keeps it; its `message` changes as it moves on. */
export interface MessageRecord {
	readonly sequence: number;
	readonly conversation: Conversation;
	readonly message: Message;
	/** What makes it the same as another message; `undefined` for an inbound one. */
	readonly signature: string | undefined;
}

/** All messages, outbound and inbound. */
export class Messages {
	readonly #byId: BoundedMap<string, MessageRecord>;
	readonly #byGuid = new Map<string, MessageRecord>();

	constructor(maxEntries: number) {
		this.#byId = new BoundedMap(maxEntries, ({ message }) => {
			if (message.messageGuid !== null) this.#byGuid.delete(message.messageGuid);
		});
	}

	add(record: MessageRecord): void {
		this.#byId.set(record.message.messageId, record);
		this.indexGuid(record);
	}

	/** Makes a message reachable by the id that the native network gave it. */
	indexGuid(record: MessageRecord): void {
		const { messageId, messageGuid } = record.message;
		if (messageGuid !== null && this.#byId.has(messageId)) this.#byGuid.set(messageGuid, record);
	}

	get(messageId: string): MessageRecord {
		return found(this.#byId.get(messageId));
	}

	getByGuid(messageGuid: string): MessageRecord {
		return found(this.#byGuid.get(messageGuid));
	}

	all(): MessageRecord[] {
		return [...this.#byId.values()];
	}
}

function found(record: MessageRecord | undefined): MessageRecord {
	if (record !== undefined) return record;
	throw new Refusal("MESSAGE_NOT_FOUND", "No message has this id; a messageGuid exists once it is sent.");
}
