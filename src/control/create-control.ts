import type { Limits } from "../catalogue/limits.ts";
import type { GatewayCore } from "../local-gateway/create-gateway-core.ts";
import type { KeptAttachment } from "../local-gateway/kept-attachments.ts";
import { parseAction } from "./actions.ts";
import { ChangeNotes } from "./change-notes.ts";
import type { ActionDone, Change, ClientCredentials, Snapshot } from "./contract.ts";
import { ControlRejection } from "./control-rejection.ts";
import { perform } from "./perform.ts";
import { writeTestSource } from "./test-source/write-test-source.ts";
import { toSnapshot } from "./views.ts";

/** A gateway from outside: its state, its changes, and actions on it. */
export interface GatewayControl {
	/** The current state. */
	snapshot(): Snapshot;
	/**
	 * Calls a listener with every change from now on, when the task that made it is over.
	 * @returns a function that unsubscribes.
	 */
	subscribe(listener: (change: Change) => void): () => void;
	/**
	 * Performs an `Action` on the gateway.
	 * @throws ControlRejection when the action is invalid, or cannot be done.
	 */
	act(action: unknown): Promise<ActionDone["result"]>;
	/** Makes one more attempt at a delivery. @throws ControlRejection when it is unknown or pending. */
	redeliver(eventId: string): Promise<void>;
	/** The most that the gateway accepts. */
	readonly limits: Limits;
	/** The credentials of a client. No snapshot contains them. */
	credentials(): ClientCredentials;
	/** The bytes of an attachment. @throws ControlRejection when they are not kept. */
	attachment(id: string): KeptAttachment;
	/** The conversation as a vitest test. @throws ControlRejection when it is unknown or empty. */
	testSource(conversationKey: string): string;
}

/** Creates the control of a gateway. */
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
			// A listener that subscribes twice is called twice.
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
		limits: core.settings.limits,
		credentials() {
			const { appId, appSecret } = core.settings;
			return { appId, appSecret };
		},
		attachment(id) {
			const attachment = core.getWorld().attachments.find(id);
			if (attachment !== undefined) return attachment;
			throw new ControlRejection(
				"not_found",
				"The bytes are not kept: the oldest are dropped when there are too many.",
			);
		},
		testSource: (conversationKey) => writeTestSource(core.getWorld(), conversationKey),
	};
}
