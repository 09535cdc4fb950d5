import type { AgentRecord } from "./agents.ts";
import type { Conversation } from "./conversations.ts";
import type { Delivery } from "./deliveries.ts";
import type { Happening } from "./history.ts";
import type { KeptAttachment } from "./kept-attachments.ts";
import type { MessageRecord } from "./messages.ts";

/** A part of a gateway that can change. */
export type Thing =
	| { readonly type: "agent"; readonly agent: AgentRecord }
	| { readonly type: "conversation"; readonly conversation: Conversation }
	| { readonly type: "message"; readonly record: MessageRecord }
	| { readonly type: "delivery"; readonly delivery: Delivery }
	| { readonly type: "attachment"; readonly attachment: KeptAttachment }
	| { readonly type: "happening"; readonly happening: Happening }
	| { readonly type: "destinations" }
	| { readonly type: "faults" }
	| { readonly type: "clock" };

/** Receives the mutations of a gateway's parts. */
export interface ChangeSink {
	/** A thing was added or changed. */
	changed(thing: Thing): void;
	/** A thing was deleted, or dropped as the oldest of too many. */
	dropped(thing: Thing): void;
}

/**
 * Is called on each change while it happens. It should only note the thing, and read it when the current task
 * is over.
 */
export interface ChangeListener extends ChangeSink {
	/** The gateway was reset. */
	reset(): void;
}

/** Reports every mutation of a gateway's state. Without listeners, as in users' tests, it costs nothing. */
export class ChangeFeed implements ChangeListener {
	readonly #listeners = new Set<ChangeListener>();

	/** @returns a function that unsubscribes. */
	subscribe(listener: ChangeListener): () => void {
		this.#listeners.add(listener);
		return () => this.#listeners.delete(listener);
	}

	changed(thing: Thing): void {
		for (const listener of this.#listeners) listener.changed(thing);
	}

	dropped(thing: Thing): void {
		for (const listener of this.#listeners) listener.dropped(thing);
	}

	reset(): void {
		for (const listener of this.#listeners) listener.reset();
	}
}
