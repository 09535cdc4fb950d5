import { namesPath } from "../../catalogue/known-path.ts";
import type { MessageData } from "../../catalogue/message.ts";
import {
	type CapabilityData,
	checkCapability,
	getMessage,
	type MarkReadData,
	type MarkReadInput,
	markRead,
	type StartTypingInput,
	type StopTypingInput,
	type TapbackData,
	type TapbackInput,
	type TypingData,
	tapback,
	typing,
} from "../../catalogue/messages.ts";
import { type SendTextInput, sendAttachments, sendText, sendVoiceNote } from "../../catalogue/sends.ts";
import {
	dropEmptyContent,
	encodeAttachments,
	encodeVoiceNote,
	noContent,
	type SendAttachmentsInput,
	type SendMessageInput,
	type SendVoiceNoteInput,
} from "../attachments.ts";
import { callerOf } from "../bound-caller.ts";
import type { GatewayCall } from "../gateway-call.ts";
import type { CallOptions } from "../options.ts";
import { normalizeInput } from "../request.ts";

/** Sends messages, reactions, typing indicators and read receipts. */
export class Messages {
	/**
	 * Sends a text, attachments or both, to one contact or group.
	 *
	 * It calls `sendAttachments` if there are attachments, otherwise `sendText`, and behaves like that method. For a
	 * voice note, call `sendVoiceNote`.
	 * @throws InputError (`invalid_input`) if there is neither a text nor an attachment, before anything is sent.
	 * @throws DuplicateMessageError (`duplicate_message`) if the gateway reports a duplicate (assumed).
	 * @example
	 * ```ts
	 * await gateway.messages.send({ to: "+15551234567", text: "The map", attachments: [{ url }] });
	 * ```
	 * @experimental
	 */
	send(input: SendMessageInput, options?: CallOptions): GatewayCall<MessageData> {
		const caller = callerOf(this);
		let fields: Record<string, unknown>;
		try {
			fields = dropEmptyContent(normalizeInput(input));
		} catch {
			// A call rejects, and never throws: this one does so for the same reason.
			const reject = async (given: unknown): Promise<never> => {
				normalizeInput(given);
				throw noContent();
			};
			return caller.callWhenRead(sendText, input, reject, options);
		}
		// The operations check the fields.
		if ("attachments" in fields)
			return this.sendAttachments(fields as object as SendAttachmentsInput, options);
		// A text may have been given under another name, which the operation reports.
		const isKnown = (name: string) => namesPath(sendText.input, name);
		if ("text" in fields || !Object.keys(fields).every(isKnown))
			return this.sendText(fields as object as SendTextInput, options);
		return caller.callWhenRead(sendText, fields, () => Promise.reject(noContent()), options);
	}

	/**
	 * Sends a text to a contact or a group.
	 *
	 * It resolves when the gateway has accepted the message, with status `queued`. Status events report the delivery.
	 * The client retries only if the message was certainly not accepted: after a 429 or without a connection. On an
	 * error, `error.outcome` says whether the message may have been accepted.
	 * @throws DuplicateMessageError (`duplicate_message`) if the gateway reports a duplicate (assumed).
	 * @example
	 * ```ts
	 * const { message } = await gateway.messages.sendText({ to: "+15551234567", text: "Hello" });
	 * ```
	 * @experimental
	 */
	sendText(input: SendTextInput, options?: CallOptions): GatewayCall<MessageData> {
		return callerOf(this).call(sendText, input, options);
	}

	/**
	 * Sends attachments, with or without a text.
	 *
	 * Give a URL, a `File`, or bytes with a name. On Node, `attachmentFromFile` of `messaging-gateway/node` reads one
	 * from disk. The client reads a stream once, before the first attempt.
	 * @throws InputError (`invalid_input`) if an attachment cannot be read or is too large.
	 * @throws DuplicateMessageError (`duplicate_message`) if the gateway reports a duplicate (assumed).
	 * @experimental
	 */
	sendAttachments(input: SendAttachmentsInput, options?: CallOptions): GatewayCall<MessageData> {
		return callerOf(this).callWhenRead(sendAttachments, input, encodeAttachments, options);
	}

	/**
	 * Sends an audio file as a voice note.
	 * @throws InputError (`invalid_input`) if the file cannot be read or is too large.
	 * @throws DuplicateMessageError (`duplicate_message`) if the gateway reports a duplicate (assumed).
	 * @experimental
	 */
	sendVoiceNote(input: SendVoiceNoteInput, options?: CallOptions): GatewayCall<MessageData> {
		return callerOf(this).callWhenRead(sendVoiceNote, input, encodeVoiceNote, options);
	}

	/**
	 * Adds a reaction to a message.
	 * @throws NotFoundError (`not_found`) if the message does not exist.
	 * @experimental
	 */
	addTapback(input: TapbackInput, options?: CallOptions): GatewayCall<TapbackData> {
		return callerOf(this).call(tapback, { ...input, action: "add" }, options);
	}

	/**
	 * Removes a reaction from a message.
	 * @throws NotFoundError (`not_found`) if the message does not exist.
	 * @experimental
	 */
	removeTapback(input: TapbackInput, options?: CallOptions): GatewayCall<TapbackData> {
		return callerOf(this).call(tapback, { ...input, action: "remove" }, options);
	}

	/**
	 * Shows the typing indicator in a chat.
	 * @throws NotFoundError (`not_found`) if the chat does not exist.
	 * @experimental
	 */
	startTyping(input: StartTypingInput, options?: CallOptions): GatewayCall<TypingData> {
		return callerOf(this).call(typing, { ...input, state: "start" }, options);
	}

	/**
	 * Stops the typing indicator in a chat.
	 * @throws NotFoundError (`not_found`) if the chat does not exist.
	 * @experimental
	 */
	stopTyping(input: StopTypingInput, options?: CallOptions): GatewayCall<TypingData> {
		return callerOf(this).call(typing, { ...input, state: "stop" }, options);
	}

	/**
	 * Sends a read receipt for a chat.
	 * @throws NotFoundError (`not_found`) if the chat does not exist.
	 * @experimental
	 */
	markRead(input: MarkReadInput, options?: CallOptions): GatewayCall<MarkReadData> {
		return callerOf(this).call(markRead, input, options);
	}

	/**
	 * Checks whether a contact can use the native messaging network.
	 * @experimental
	 */
	checkCapability(toNumber: string, options?: CallOptions): GatewayCall<CapabilityData> {
		return callerOf(this).call(checkCapability, { toNumber }, options);
	}

	/**
	 * Gets one message and its delivery status.
	 * @throws NotFoundError (`not_found`) if the message does not exist.
	 * @experimental
	 */
	get(messageId: string, options?: CallOptions): GatewayCall<MessageData> {
		return callerOf(this).call(getMessage, { messageId }, options);
	}
}
