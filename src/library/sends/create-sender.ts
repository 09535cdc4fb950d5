import { assertKnownKeys } from "../check-options.ts";
import type { SendStore } from "../stores/send-store.ts";
import {
	type ResolvedSenderOptions,
	resolveOptions,
	type SenderOptions,
	type SendKeyOptions,
} from "./options.ts";
import { keyReused, newToken, prepareSend, type SendInput } from "./prepare-send.ts";
import { runSend, type SendResult } from "./run-send.ts";
import { StoredRecords } from "./stored-record.ts";

/** Sends each message once. */
export interface Sender {
	/**
	 * Sends a message, unless an earlier call with this key has sent it, or may have.
	 *
	 * The key names the send for good, in every process that shares the store. With the same input a further call
	 * returns the known result, or goes on where an earlier one stopped.
	 * @param key - 1 to 256 visible ASCII characters, such as `"order-4711-shipped"`.
	 * @throws InputError (`invalid_input`) before anything is written.
	 * @throws SendError (`key_reused`, `send_in_progress`, `lease_ended`, `store_failed`): this call sent nothing.
	 * @throws what the gateway rejected, with a 4xx other than 408 and 499 (RFC 9110, section 15.5), such as a
	 * `DuplicateMessageError` or a `RateLimitError` with its `retryAfterMs`: the message was not accepted, and the next
	 * call with this key makes a new attempt. After a 5xx, which proves nothing, the send is unresolved.
	 */
	send(key: string, input: SendInput, options?: SendKeyOptions): Promise<SendResult>;
	/**
	 * Writes down a send, which a later `send` with the same key and input makes.
	 * @param options - `store`: a store bound to a transaction of yours, from `postgresSendStore(pool).inTransaction(client)`.
	 * @throws SendError (`key_reused`, `store_failed`).
	 */
	prepare(key: string, input: SendInput, options?: { store?: SendStore | undefined }): Promise<void>;
}

/**
 * Creates a sender, which sends each message once. It writes down each send before it makes it. If a send may have gone
 * out, the sender reports that instead of sending twice.
 *
 * @throws ConfigurationError (`configuration`) if an option is missing or invalid.
 * @example
 * ```ts
 * const sender = createSender({ gateway, store, digestSecret, statusCallback: (token) => `https://app.example/webhooks?send=${token}` });
 * const result = await sender.send("order-4711-shipped", { to: "+15551234567", text: "On its way" });
 * ```
 */
export function createSender(options: SenderOptions): Sender {
	const sender = resolveOptions(options);
	return {
		send: (key, input, callOptions = {}) => runSend(sender, key, input, callOptions),
		prepare: (key, input, callOptions = {}) => writeIntent(sender, key, input, callOptions),
	};
}

async function writeIntent(
	sender: ResolvedSenderOptions,
	key: string,
	input: SendInput,
	options: { store?: SendStore | undefined },
): Promise<void> {
	assertKnownKeys("The call's options", options, ["store"]);
	const { storeTimeoutMs, caller } = sender;
	const limit = { storeTimeoutMs, clock: caller.clock };
	const records = options.store === undefined ? sender.records : new StoredRecords(options.store, limit);
	const prepared = await prepareSend(sender, key, input, {});
	const { now, record } = await records.read(key);
	const intent = prepared.newRecord(now);
	// For its checks.
	await prepared.planAttempt(newToken(intent.id), intent.id);
	if (record === undefined && (await records.write(key, 0, intent))) return;
	// Written by another process meanwhile, or before.
	const written = record ?? (await records.read(key)).record;
	if (written !== undefined && !prepared.isOf(written)) throw keyReused();
}
