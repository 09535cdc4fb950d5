import type { ReceivedAttachment } from "../../library/catalogue/shared.ts";
import { BoundedMap } from "./bounded-map.ts";
import type { ChangeSink } from "./change-sink.ts";
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
export type StruckBy =
	| {
			readonly kind: "respond";
			readonly status: number;
			readonly retryAfterSeconds?: number | undefined;
	  }
	| { readonly kind: "drop"; readonly when: "before" | "after" }
	| { readonly kind: "corrupt"; readonly as: "html" | "truncated" | "empty" };

/** An event in a conversation that its messages do not show. */
export type HappeningDetails =
	/** A send was rejected; `blockedBy` is the message that opened the window. */
	| {
			readonly type: "rejected";
			readonly code: string;
			readonly content: SentContent;
			readonly blockedBy?: string | undefined;
	  }
	/** A fault affected a send; if the send was still processed, its result follows. */
	| { readonly type: "struck"; readonly fault: StruckBy; readonly content: SentContent }
	/** A contact read its chat. */
	| { readonly type: "read" }
	/** A contact reacted. */
	| {
			readonly type: "reaction";
			readonly by: string;
			readonly reaction: string;
			readonly messageId: string;
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

/** A happening with its place and time. */
export type Happening = HappeningDetails & {
	readonly sequence: number;
	readonly conversationKey: string;
	readonly at: number;
};

/** A happening that was kept or dropped. */
export interface HappeningThing {
	readonly type: "happening";
	readonly happening: Happening;
}

const MAX_HAPPENINGS = 1_000;

/** The events besides messages, for writing a conversation as a test; the oldest are dropped. */
export class History {
	readonly #happenings: BoundedMap<number, Happening>;
	readonly #stamp: (() => { readonly sequence: number; readonly at: number }) | undefined;
	readonly #feed: ChangeSink<HappeningThing>;

	/** @param stamp - returns the place and time of a happening; without it, nothing is kept. */
	constructor(feed: ChangeSink<HappeningThing>, stamp: (() => { sequence: number; at: number }) | undefined) {
		this.#feed = feed;
		this.#stamp = stamp;
		this.#happenings = new BoundedMap(MAX_HAPPENINGS, (happening) =>
			feed.dropped({ type: "happening", happening }),
		);
	}

	/** Whether happenings are kept. */
	get isOn(): boolean {
		return this.#stamp !== undefined;
	}

	add(conversationKey: string, details: HappeningDetails): void {
		if (this.#stamp !== undefined) this.keep({ ...details, conversationKey, ...this.#stamp() });
	}

	/** Adds an existing happening, for example one of an earlier run. */
	keep(happening: Happening): void {
		this.#happenings.set(happening.sequence, happening);
		this.#feed.changed({ type: "happening", happening });
	}

	all(): Happening[] {
		return [...this.#happenings.values()];
	}
}
