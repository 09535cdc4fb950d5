import type { ReceivedAttachment } from "../../library/catalogue/shared.ts";
import { BoundedMap } from "./bounded-map.ts";
import type { ChangeSink } from "./change-sink.ts";
import type { RequestFaultChoice } from "./fault-kinds.ts";
import type { MessageKind } from "./records.ts";

/** The content of a send. */
export interface SentContent {
	readonly kind: MessageKind;
	readonly text: string;
	readonly attachments: readonly ReceivedAttachment[];
	/** Equal for messages that count as the same. */
	readonly signature: string;
	/** Number of the agent that was to send it, if known. */
	readonly agentNumber?: string | undefined;
}

/** The fault of a request, without a response's body and headers. */
export type SendFault = Readonly<Exclude<RequestFaultChoice, { kind: "delay" | "skew" }>>;

/** An event in a conversation that its messages do not show. */
export type HistoryDetails =
	/** A send was rejected; `blockedBy` is the message that opened the window. */
	| {
			readonly type: "rejected";
			readonly code: string;
			readonly content: SentContent;
			readonly blockedBy?: string | undefined;
	  }
	/** A fault affected a send; if the send was still processed, its result follows. */
	| { readonly type: "faulted"; readonly fault: SendFault; readonly content: SentContent }
	/** A contact read its chat. */
	| { readonly type: "read" }
	/** A contact reacted. */
	| {
			readonly type: "reaction";
			readonly by: string;
			readonly reaction: string;
			readonly messageId: string;
			/** Whether a magic number reacted. */
			readonly isAutomatic?: boolean | undefined;
	  }
	/** The agent added a tapback, or removed one. */
	| {
			readonly type: "tapback";
			readonly action: "add" | "remove";
			readonly reaction: string;
			readonly messageId: string;
			readonly partIndex?: number | undefined;
	  }
	| { readonly type: "mapping_reset" }
	| { readonly type: "mapping_limit"; readonly before: number; readonly after: number }
	| { readonly type: "mapping_deleted" };

/** An entry with its place and time. */
export type HistoryEntry = HistoryDetails & {
	readonly sequence: number;
	readonly conversationKey: string;
	readonly at: number;
};

/** An entry that was kept or dropped. */
export interface HistoryItem {
	readonly type: "entry";
	readonly entry: HistoryEntry;
}

const MAX_ENTRIES = 1_000;

/** The events besides messages, for writing a conversation as a test; the oldest are dropped. */
export class History {
	readonly #entries: BoundedMap<number, HistoryEntry>;
	readonly #stamp: (() => { readonly sequence: number; readonly at: number }) | undefined;
	readonly #feed: ChangeSink<HistoryItem>;

	/** @param stamp - returns the place and time of an entry; without it, nothing is kept. */
	constructor(feed: ChangeSink<HistoryItem>, stamp: (() => { sequence: number; at: number }) | undefined) {
		this.#feed = feed;
		this.#stamp = stamp;
		this.#entries = new BoundedMap(MAX_ENTRIES, (entry) => feed.dropped({ type: "entry", entry }));
	}

	/** Whether entries are kept. */
	get isOn(): boolean {
		return this.#stamp !== undefined;
	}

	add(conversationKey: string, details: HistoryDetails): void {
		if (this.#stamp !== undefined) this.keep({ ...details, conversationKey, ...this.#stamp() });
	}

	/** Adds an existing entry, for example one of an earlier run. */
	keep(entry: HistoryEntry): void {
		this.#entries.set(entry.sequence, entry);
		this.#feed.changed({ type: "entry", entry });
	}

	all(): HistoryEntry[] {
		return [...this.#entries.values()];
	}
}
