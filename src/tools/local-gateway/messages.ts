import { BoundedMap } from "./bounded-map.ts";
import type { ChangeSink } from "./change-sink.ts";
import type { MessageRecord } from "./records.ts";
import { RequestRejection } from "./request-rejection.ts";

/** The fields of a record that most messages do not need. */
export const PLAIN_MESSAGE = {
	effect: undefined,
	replyToGuid: undefined,
	journey: undefined,
} as const;

/** A message that changed. */
export interface MessageItem {
	readonly type: "message";
	readonly record: MessageRecord;
}

/** All messages, outbound and inbound. */
export class MessageRegistry {
	readonly #byId: BoundedMap<string, MessageRecord>;
	readonly #byGuid = new Map<string, MessageRecord>();
	readonly #feed: ChangeSink<MessageItem>;

	constructor(maxEntries: number, feed: ChangeSink<MessageItem>, onDrop: (record: MessageRecord) => void) {
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
