import type { AgentRecord } from "./agents.ts";
import type { Conversation } from "./conversations.ts";
import type { Delivery } from "./deliveries.ts";
import type { Happening } from "./history.ts";
import type { KeptAttachment } from "./kept-attachments.ts";
import type { MessageRecord } from "./messages.ts";

/** Something of a gateway that can change. */
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

/** Where a part of a gateway tells its mutations. */
export interface ChangeSink {
	/** A thing is new, or different. */
	changed(thing: Thing): void;
	/** A thing is gone: it was deleted, or was the oldest of too many. */
	dropped(thing: Thing): void;
}

/**
 * Is told what changed, while it changes: it takes a note of the thing, and looks at it when the current task
 * is over.
 */
export interface ChangeListener extends ChangeSink {
	/** Everything was set back to the start. */
	reset(): void;
}

/** Where every mutation of a gateway's state is told; nobody listens in tests of users, and then it costs nothing. */
export class ChangeFeed implements ChangeListener {
	readonly #listeners = new Set<ChangeListener>();

	/** @returns a function that ends it. */
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
