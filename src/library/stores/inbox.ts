import type { Clock } from "../runtime.ts";
import type { DeliveryBinding } from "./event-store.ts";

/**
 * How a transaction ends after its handler: all of it commits, only the event's record does, or nothing. After
 * `"abandon"` the handler still runs, so its connection must be destroyed.
 */
export type InboxEnding = "commit" | "undo" | "roll_back" | "abandon";

/** The result of a run. */
export type InboxResult =
	/** The work was done, and the transaction ended as the work requested. */
	| { readonly status: "ended" }
	/** The event was recorded before. */
	| { readonly status: "repeated" }
	/** Another worker works on the event. */
	| { readonly status: "in_flight" }
	/** The handler broke the transaction, e.g. it swallowed an SQL error or committed. The event is not acknowledged. */
	| { readonly status: "broken"; readonly error: Error }
	/** The delivery is bound to another key, whose event it is: nothing was done under this one. */
	| { readonly status: "bound_elsewhere"; readonly boundKey: string };

/** The times of a run. */
export interface InboxTimes {
	/** How long to keep the record, in milliseconds. */
	readonly retentionMs: number;
	/** The longest time to open the transaction, and to end it, in milliseconds. */
	readonly storeTimeoutMs: number;
	/** The longest time the work may take, in milliseconds. */
	readonly maxHandlerMs: number;
	readonly clock: Clock;
}

/** Records each event in the transaction of its handler, so both commit or neither does. */
export interface Inbox<Transaction> {
	/**
	 * Records the event in a transaction and does the work in it. First it binds the delivery to the first key that
	 * comes with it; if that is another one, nothing runs.
	 * @param work - never rejects. `lost` fires when the connection is lost, if the database's client shows it.
	 * @param binding - the delivery that the event came with. It is committed before the work starts, and stays bound whatever
	 * becomes of the transaction. Of concurrent runs with one delivery, one binds it.
	 * @throws if the database does not respond, or it is not known to have committed.
	 */
	run(
		key: string,
		work: (transaction: Transaction, lost?: AbortSignal) => Promise<InboxEnding>,
		times: InboxTimes,
		binding: DeliveryBinding,
	): Promise<InboxResult>;
}
