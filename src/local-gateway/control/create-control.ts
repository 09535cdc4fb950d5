import type { GatewayCore } from "../create-gateway-core.ts";
import type { KeptAttachment } from "../kept-attachments.ts";
import { parseAction } from "./actions.ts";
import { ChangeNotes } from "./change-notes.ts";
import type { ActionDone, Change, ClientCredentials, Snapshot } from "./contract.ts";
import { ControlRefusal } from "./control-refusal.ts";
import { perform } from "./perform.ts";
import { writeTestSource } from "./test-source/write-test-source.ts";
import { toSnapshot } from "./views.ts";

/** A gateway from outside: what is in it, what changes, and what one can do to it. */
export interface GatewayControl {
	/** Everything as it is now. */
	snapshot(): Snapshot;
	/**
	 * Calls a listener with every change from now on, when the task that made it is over.
	 * @returns a function that ends it.
	 */
	subscribe(listener: (change: Change) => void): () => void;
	/**
	 * Does something to the gateway, for which see `Action`.
	 * @throws ControlRefusal when it is no action, or cannot be done.
	 */
	act(action: unknown): Promise<ActionDone["result"]>;
	/** Makes one more attempt at a delivery. @throws ControlRefusal when there is no such one, or it is under way. */
	redeliver(eventId: string): Promise<void>;
	/** What a client signs with. It is in no snapshot: only who asks for it gets it. */
	credentials(): ClientCredentials;
	/** The bytes of an attachment. @throws ControlRefusal when they are not kept. */
	attachment(id: string): KeptAttachment;
	/** The conversation as a vitest test. @throws ControlRefusal when there is no such one. */
	testSource(conversationKey: string): string;
}

/** Makes the control of a gateway. */
export function createControl(core: GatewayCore): GatewayControl {
	const listeners = new Set<(change: Change) => void>();
	const notes = new ChangeNotes(core, (change) => {
		for (const listener of listeners) listener(change);
	});
	let stopListening = (): void => {};
	const act: GatewayControl["act"] = async (action) => perform(core, await parseAction(action));

	return {
		snapshot: () => toSnapshot(core),
		subscribe(listener) {
			if (listeners.size === 0) stopListening = core.feed.subscribe(notes);
			// One that is given twice is told twice.
			const own = (change: Change): void => listener(change);
			listeners.add(own);
			return () => {
				if (listeners.delete(own) && listeners.size === 0) stopListening();
			};
		},
		act,
		redeliver: async (eventId) => {
			await act({ type: "redeliver", eventId });
		},
		credentials() {
			const { appId, appSecret } = core.settings;
			return { appId, appSecret };
		},
		attachment(id) {
			const attachment = core.getWorld().attachments.find(id);
			if (attachment !== undefined) return attachment;
			throw new ControlRefusal(
				"not_found",
				"The bytes are not kept: the oldest are dropped where there are too many.",
			);
		},
		testSource: (conversationKey) => writeTestSource(core.getWorld(), conversationKey),
	};
}
