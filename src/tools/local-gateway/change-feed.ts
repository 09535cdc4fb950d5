import type { AgentThing } from "./agents.ts";
import type { ChangeSink } from "./change-sink.ts";
import type { ConversationThing } from "./conversations.ts";
import type { DeliveryThing } from "./deliveries.ts";
import type { DestinationsThing } from "./destinations.ts";
import type { HappeningThing } from "./history.ts";
import type { AttachmentThing } from "./kept-attachments.ts";
import type { MessageThing } from "./messages.ts";
import type { RequestThing } from "./traffic.ts";

/** A part of a gateway that can change; the class that owns it declares it. */
export type Thing =
	| AgentThing
	| ConversationThing
	| MessageThing
	| DeliveryThing
	| AttachmentThing
	| HappeningThing
	| DestinationsThing
	| RequestThing
	| { readonly type: "faults" }
	| { readonly type: "clock" };

/**
 * Called synchronously on each change, which may not be complete yet: it should only note the thing, and read it
 * after the current task.
 */
export interface ChangeListener extends ChangeSink<Thing> {
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
