import { assertOneOf } from "../check-options.ts";
import { SendError } from "../errors.ts";
import type { SendStore } from "../stores/send-store.ts";
import { guardStore } from "./guard-store.ts";
import type { SendInput } from "./input.ts";
import { type ListedSend, type ListSendsOptions, listSends } from "./list-sends.ts";
import { type ObservableEvent, type ObservedSend, observeEvent } from "./observe-event.ts";
import { resolveOptions, type SenderOptions, type SendKeyOptions } from "./options.ts";
import { assertKey, prepareSend } from "./prepare-send.ts";
import { decided } from "./record.ts";
import { runSend, type SendResult } from "./run-send.ts";
import { inProgress, tooEarly } from "./send-errors.ts";
import { change, readSend, toRow } from "./stored-record.ts";
import { type SendVerdict, sendAgainAfterMs, verdictOf } from "./verdict.ts";

/** A decision about a send that is unresolved or open. */
export type SendDecision = "accepted" | "send_again" | "give_up";

/** Makes each send once. */
export interface Sender {
	/**
	 * Sends a message, unless an earlier call with this key has sent it or may have.
	 *
	 * The key names the send for good, in every process that shares the store. With the same input a further call returns
	 * what is known, or goes on where an earlier one stopped.
	 * @param key - 1 to 256 visible ASCII characters, such as `"order-4711-shipped"`.
	 * @throws InputError (`invalid_input`) before anything is written.
	 * @throws SendError (`key_reused`, `send_in_progress`, `lease_ended`, `store_failed`): this call sent nothing.
	 * @throws what the gateway rejected, such as a `DuplicateMessageError` or a `RateLimitError` with its `retryAfterMs`:
	 * the message was not accepted, and the next call with this key makes a new attempt.
	 */
	send(key: string, input: SendInput, options?: SendKeyOptions): Promise<SendResult>;
	/**
	 * Writes the intent only; a later `send` with the same key and input makes the attempt.
	 * @param options - `store`: a store bound to a transaction of yours, from `postgresSendStore(pool).inTransaction(client)`.
	 * @throws SendError (`key_reused`, `store_failed`).
	 */
	prepare(key: string, input: SendInput, options?: { store?: SendStore | undefined }): Promise<void>;
	/**
	 * Takes in a status event: one that came by an attempt's own `status_callback` proves that it was accepted, whatever
	 * its status. Only pass events that `verifyWebhook`, `verifyWebhookRequest` or a webhook handler returned.
	 * @returns the send that the event belongs to, or `undefined` if it is not this sender's.
	 * @throws SendError (`store_failed`): let the delivery fail, so that it may be repeated.
	 */
	observe(event: ObservableEvent): Promise<ObservedSend | undefined>;
	/** The sends with a status, by their keys, read page by page. */
	list(options: ListSendsOptions): AsyncGenerator<ListedSend, void, undefined>;
	/**
	 * Decides on a send: a person's or a rule's decision. What is proven stays: an accepted send is accepted.
	 *
	 * - `"accepted"`: it counts as accepted.
	 * - `"send_again"`: the next `send` makes a new attempt, perhaps the second message. Not possible until ten minutes
	 *   after the last signing, since a delayed request could still be accepted.
	 * - `"give_up"`: it is not sent any more.
	 * @returns what is known afterwards.
	 * @throws SendError (`unknown_key`, `send_in_progress`, `too_early`, `store_failed`).
	 */
	resolve(key: string, decision: SendDecision): Promise<SendVerdict>;
}

/**
 * Creates a sender, which makes each send once: it writes down what it is about to do, and reports what is not known
 * instead of sending twice.
 *
 * @throws ConfigurationError (`configuration`) if an option is missing or invalid.
 * @example
 * ```ts
 * const sender = createSender({ gateway, store, digestSecret, statusCallback: (token) => `https://app.example/webhooks/${token}` });
 * const result = await sender.send("order-4711-shipped", { to: "+15551234567", text: "On its way" });
 * ```
 */
export function createSender(options: SenderOptions): Sender {
	const resolved = resolveOptions(options);
	const guard = (store: SendStore): SendStore => guardStore(store, resolved.storeTimeoutMs, resolved.clock);
	const sender = { ...resolved, store: guard(resolved.store) };
	const { store } = sender;

	return {
		send: (key, input, callOptions = {}) => runSend(sender, key, input, callOptions),

		async prepare(key, input, { store: given } = {}) {
			const prepared = await prepareSend(sender, key, input);
			const target = given === undefined ? store : guard(given);
			const found = await readSend(target, key);
			const isNew =
				found.record === undefined && (await target.insert(key, toRow(prepared.newRecord(found.now))));
			// Written by another process meanwhile, or before.
			if (!isNew) prepared.assertSame(found.record ?? (await readSend(target, key)).record);
		},

		observe: (event) => observeEvent(store, event),

		list: (listOptions) => listSends(store, listOptions),

		async resolve(key, decision) {
			assertKey(key);
			assertOneOf("the decision", String(decision), ["accepted", "send_again", "give_up"]);
			const found = await change(store, key, (record, now) => {
				const verdict = verdictOf(record, now);
				if (verdict.status === "in_progress") throw inProgress(verdict.retryAfterMs);
				if (verdict.status === "accepted" && verdict.proof !== "decision") return undefined;
				const retryAfterMs = sendAgainAfterMs(record, now);
				if (decision === "send_again" && retryAfterMs > 0) throw tooEarly(retryAfterMs);
				return decided(record, decision);
			});
			if (found === undefined) throw new SendError("unknown_key", "there is no send with this key");
			return verdictOf(found.record, found.now);
		},
	};
}
