import type { WireAttachment } from "../../library/catalogue/attachments.ts";
import { randomUuid } from "../../library/runtime.ts";
import { decodedLength } from "./attachments.ts";
import type { ChangeSink } from "./change-sink.ts";

/** The bytes of an attachment. */
export interface KeptAttachment {
	readonly id: string;
	/** The bytes in base64, as they came. */
	readonly data: string;
	readonly name: string;
	readonly mimeType: string;
	/** The message that it belongs to. */
	readonly messageId: string;
}

/** An attachment whose bytes were kept or dropped. */
export interface AttachmentItem {
	readonly type: "attachment";
	readonly attachment: KeptAttachment;
}

/** The maximum size of all kept attachments together, in bytes. */
export const MAX_KEPT_BYTES = 64 * 1024 * 1024;

/** The bytes of attachments, for the console; the oldest are dropped when there are too many. */
export class KeptAttachments {
	readonly #attachments = new Map<string, KeptAttachment>();
	readonly #isOn: boolean;
	readonly #feed: ChangeSink<AttachmentItem>;
	readonly #maxBytes: number;
	#totalBytes = 0;

	constructor(isOn: boolean, feed: ChangeSink<AttachmentItem>, maxBytes: number = MAX_KEPT_BYTES) {
		this.#isOn = isOn;
		this.#feed = feed;
		this.#maxBytes = maxBytes;
	}

	/**
	 * Keeps the bytes of a message's attachments.
	 * @returns an id for each attachment, `null` for one without bytes; empty if none are kept.
	 */
	keepAll(messageId: string, attachments: readonly WireAttachment[]): (string | null)[] {
		if (!this.#isOn) return [];
		return attachments.map((attachment) => {
			if (!("data" in attachment)) return null;
			const { name, mimeType, data } = attachment;
			const kept = { id: randomUuid(), data, name, mimeType, messageId };
			this.keep(kept);
			return kept.id;
		});
	}

	/** Adds an existing attachment, for example one of an earlier run. */
	keep(attachment: KeptAttachment): void {
		this.#attachments.set(attachment.id, attachment);
		this.#totalBytes += decodedLength(attachment.data);
		this.#feed.changed({ type: "attachment", attachment });
		for (const oldest of this.#attachments.values()) {
			if (this.#totalBytes <= this.#maxBytes) return;
			this.#drop(oldest);
		}
	}

	find(id: string): KeptAttachment | undefined {
		return this.#attachments.get(id);
	}

	all(): KeptAttachment[] {
		return [...this.#attachments.values()];
	}

	/** Drops the bytes of a dropped message. */
	dropAll(ids: readonly (string | null)[]): void {
		for (const id of ids) {
			const attachment = id === null ? undefined : this.#attachments.get(id);
			if (attachment !== undefined) this.#drop(attachment);
		}
	}

	#drop(attachment: KeptAttachment): void {
		this.#attachments.delete(attachment.id);
		this.#totalBytes -= decodedLength(attachment.data);
		this.#feed.dropped({ type: "attachment", attachment });
	}
}
