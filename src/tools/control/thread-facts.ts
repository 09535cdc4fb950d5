import type { ReceivedAttachment } from "../../library/catalogue/shared.ts";
import type { ChangeListener, Item } from "../local-gateway/change-feed.ts";
import type { MessageRecord } from "../local-gateway/records.ts";
import type { ConversationView, MessagePreview } from "./contract.ts";

/** The maximum length of a preview's text, in UTF-16 code units. */
const MAX_PREVIEW_LENGTH = 200;

interface Thread {
	readonly records: Set<MessageRecord>;
	readonly failed: Set<MessageRecord>;
	last: MessageRecord;
}

/** What a list of conversations shows of their kept messages, without looking through all of them. */
export class ThreadFacts implements ChangeListener {
	readonly #threads = new Map<string, Thread>();

	/** @param records - the messages of an earlier run, the oldest first. */
	constructor(records: readonly MessageRecord[]) {
		for (const record of records) this.changed({ type: "message", record });
	}

	changed(item: Item): void {
		if (item.type !== "message") return;
		const { record } = item;
		const thread = this.#threadOf(record);
		thread.records.add(record);
		if (record.message.status === "failed") thread.failed.add(record);
		if (record.sequence > thread.last.sequence) thread.last = record;
	}

	/** The oldest messages are dropped first, so `last` stays correct until its thread is empty. */
	dropped(item: Item): void {
		if (item.type !== "message") return;
		const { key } = item.record.conversation;
		const thread = this.#threads.get(key);
		thread?.failed.delete(item.record);
		thread?.records.delete(item.record);
		if (thread?.records.size === 0) this.#threads.delete(key);
	}

	reset(): void {
		this.#threads.clear();
	}

	/** The facts of one conversation. */
	of(key: string): Pick<ConversationView, "messageCount" | "failedCount" | "lastMessage"> {
		const thread = this.#threads.get(key);
		return {
			messageCount: thread?.records.size ?? 0,
			failedCount: thread?.failed.size ?? 0,
			lastMessage: thread === undefined ? null : toPreview(thread.last),
		};
	}

	#threadOf(record: MessageRecord): Thread {
		const { key } = record.conversation;
		const known = this.#threads.get(key);
		if (known !== undefined) return known;
		const thread = { records: new Set<MessageRecord>(), failed: new Set<MessageRecord>(), last: record };
		this.#threads.set(key, thread);
		return thread;
	}
}

function toPreview({ sequence, kind, message }: MessageRecord): MessagePreview {
	const { text, attachments, outbound, status, timestamp_ms } = message;
	return {
		sequence,
		text: text.slice(0, MAX_PREVIEW_LENGTH),
		attachments: attachments.map(toNamed),
		kind,
		outbound,
		status,
		timestamp_ms,
	};
}

/** Only what names an attachment. */
function toNamed({ name, mimeType }: ReceivedAttachment): ReceivedAttachment {
	return { ...(name === undefined ? {} : { name }), ...(mimeType === undefined ? {} : { mimeType }) };
}
