import type { RawMessage } from "chat";
import type { InboundMessage } from "../catalogue/events.ts";
import type { Message as GatewayMessage } from "../catalogue/message.ts";
import type { SendResult } from "../sends/run-send.ts";

/**
 * What a message of Chat SDK is made of: what a contact wrote, of which a field that is not as documented is missing, a
 * message of the conversation, or the result of a post.
 */
export type GatewayRawMessage =
	| InboundMessage
	| (Partial<InboundMessage> & Pick<InboundMessage, "from" | "outbound">)
	| GatewayMessage
	| SendResult;

/** Options of `post`. */
export interface PostOptions {
	/**
	 * Names the post, instead of its event and its number there: 1 to 128 visible ASCII characters. A thread makes the post
	 * of a name once, also outside of an event.
	 */
	key?: string | undefined;
	/**
	 * What becomes of a key that was used for other words: `"throw"` is a `SendError` (`key_reused`), with `"keep"` the post
	 * that exists decides, unless it was certainly not accepted.
	 * @default "throw" with a key, "keep" for a post of an event
	 */
	ifReused?: "throw" | "keep" | undefined;
}

/** A post, and what became of it. */
export interface GatewayPost extends RawMessage<GatewayRawMessage> {
	/** The sender's key of the post, under which it is made once; `undefined` of a plain send, which is made each time. */
	readonly key: string | undefined;
	/** Whether an earlier post of its key stands, so that the words of this call were not sent. */
	readonly kept: boolean;
	/** The text that the contact got, also of a kept post; `undefined` if that is not known, as of an unresolved send. */
	readonly text: string | null | undefined;
}
