import type { RawMessage } from "chat";
import type { InboundMessage } from "../catalogue/events.ts";
import type { Message as GatewayMessage } from "../catalogue/message.ts";
import type { SendResult } from "../sends/run-send.ts";

/**
 * The source of a Chat SDK message: a contact's message, a message of the conversation, or the result of a post. A
 * contact's message lacks the fields that are not as documented.
 */
export type GatewayRawMessage =
	| InboundMessage
	| (Partial<InboundMessage> & Pick<InboundMessage, "from" | "outbound">)
	| GatewayMessage
	| SendResult;

/** The options of `post`. */
export interface PostOptions {
	/**
	 * Names the post, instead of its event and its number there: 1 to 128 visible ASCII characters. A thread makes the
	 * post of a name once, also outside an event.
	 */
	key?: string | undefined;
	/**
	 * Decides what to do if the key was used for other words. `"throw"` throws a `SendError` (`key_reused`). With
	 * `"keep"` the existing post decides, unless it was certainly not accepted.
	 * @default "throw" with a key, "keep" for a post of an event
	 */
	ifReused?: "throw" | "keep" | undefined;
}

/** A post, with its result. */
export interface GatewayPost extends RawMessage<GatewayRawMessage> {
	/**
	 * The sender's key of the post, which makes it once. It is `undefined` for a plain send, which is made each time.
	 */
	readonly key: string | undefined;
	/** Whether an earlier post with its key stands, so the words of this call were not sent. */
	readonly kept: boolean;
	/**
	 * The text that the contact got, also of a kept post. It is `undefined` if that isn't known, as for an unresolved
	 * send.
	 */
	readonly text: string | null | undefined;
}
