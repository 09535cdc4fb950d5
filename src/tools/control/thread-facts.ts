import type { ReceivedAttachment } from "../../library/catalogue/shared.ts";
import type { ChangedItem, ChangeListener } from "../local-gateway/change-feed.ts";
import type { MessageRecord } from "../local-gateway/records.ts";
import type { World } from "../local-gateway/world.ts";
import type { ConversationView, MessagePreview } from "./contract.ts";
import { isFailing } from "./diagnosis/diagnose-delivery.ts";
import type { FailureCounts } from "./failure-counts.ts";

/** The maximum length of a preview's text, in UTF-16 code units. */
const MAX_PREVIEW_LENGTH = 200;

interface Thread {
	readonly records: Set<MessageRecord>;
	last: MessageRecord;
}

/** What a list of conversations shows of what is kept of them, without looking through all of it. */
export class ThreadFacts implements ChangeListener {
	readonly #threads = new Map<string, Thread>();
	readonly #failures: FailureCounts;

	/** @param world - its messages and deliveries are those of an earlier run. */
	constructor({ messages, deliveries }: Pick<World, "messages" | "deliveries">, failures: FailureCounts) {
		this.#failures = failures;
		for (const record of messages.all()) this.changed({ type: "message", record });
		for (const delivery of deliveries.all()) this.changed({ type: "delivery", delivery });
	}

	changed(item: ChangedItem): void {
		if (item.type === "delivery") {
			const { delivery } = item;
			this.#failures.note(delivery.conversationKey, delivery, isFailing(delivery));
		}
		if (item.type !== "message") return;
		const { record } = item;
		const thread = this.#threadOf(record);
		thread.records.add(record);
		this.#failures.note(record.conversation.key, record, record.message.status === "failed");
		if (record.sequence > thread.last.sequence) thread.last = record;
	}

	/** The oldest messages are dropped first, so `last` stays correct until its thread is empty. */
	dropped(item: ChangedItem): void {
		if (item.type === "delivery") this.#failures.note(item.delivery.conversationKey, item.delivery, false);
		if (item.type !== "message") return;
		const { key } = item.record.conversation;
		const thread = this.#threads.get(key);
		this.#failures.note(key, item.record, false);
		thread?.records.delete(item.record);
		if (thread?.records.size === 0) this.#threads.delete(key);
	}

	reset(): void {
		this.#threads.clear();
		this.#failures.reset();
	}

	/** The facts of one conversation. */
	of(key: string): Pick<ConversationView, "messageCount" | "failedCount" | "lastMessage"> {
		const thread = this.#threads.get(key);
		return {
			messageCount: thread?.records.size ?? 0,
			failedCount: this.#failures.countOf(key),
			lastMessage: thread === undefined ? null : toPreview(thread.last),
		};
	}

	#threadOf(record: MessageRecord): Thread {
		const { key } = record.conversation;
		const known = this.#threads.get(key);
		if (known !== undefined) return known;
		const thread = { records: new Set<MessageRecord>(), last: record };
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
