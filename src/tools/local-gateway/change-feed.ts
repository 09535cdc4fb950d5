import type { AgentItem } from "./agents.ts";
import type { ChangeSink } from "./change-sink.ts";
import type { ConversationItem } from "./conversations.ts";
import type { DeliveryItem } from "./deliveries.ts";
import type { DestinationsItem } from "./destinations.ts";
import type { AttachmentItem } from "./kept-attachments.ts";
import type { MessageItem } from "./messages.ts";
import type { RulesItem } from "./rule-switch.ts";
import type { RequestItem } from "./traffic.ts";

/** A part of a gateway that can change; the class that owns it declares it. */
export type ChangedItem =
	| AgentItem
	| ConversationItem
	| MessageItem
	| DeliveryItem
	| AttachmentItem
	| DestinationsItem
	| RequestItem
	| RulesItem
	| { readonly type: "faults" }
	| { readonly type: "clock" };

/**
 * Called synchronously on each change, which may not be complete yet: it should only note the item, and read it
 * after the current task.
 */
export interface ChangeListener extends ChangeSink<ChangedItem> {
	/** The gateway was reset. */
	reset(): void;
}

/** Reports every mutation of a gateway's state to its listeners; there are none in users' tests. */
export class ChangeFeed implements ChangeListener {
	readonly #listeners = new Set<ChangeListener>();

	/** @returns a function that unsubscribes. */
	subscribe(listener: ChangeListener): () => void {
		this.#listeners.add(listener);
		return () => this.#listeners.delete(listener);
	}

	changed(item: ChangedItem): void {
		for (const listener of this.#listeners) listener.changed(item);
	}

	dropped(item: ChangedItem): void {
		for (const listener of this.#listeners) listener.dropped(item);
	}

	reset(): void {
		for (const listener of this.#listeners) listener.reset();
	}
}
