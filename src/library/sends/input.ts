import type { MessageData } from "../catalogue/message.ts";
import type { Operation } from "../catalogue/operation.ts";
import { type SendTextInput, sendAttachments, sendText, sendVoiceNote } from "../catalogue/sends.ts";
import {
	encodeAttachments,
	encodeVoiceNote,
	type SendAttachmentsInput,
	type SendVoiceNoteInput,
} from "../client/attachments.ts";
import { invalidInput, normalizeInput } from "../client/request.ts";

/** Each member of a union without a field. */
type Without<Union, Name extends string> = Union extends unknown ? Omit<Union, Name> : never;

/** What to send: a text, attachments or a voice note. The sender sets `statusCallback` itself. */
export type SendInput = Without<SendTextInput | SendAttachmentsInput | SendVoiceNoteInput, "statusCallback">;

export interface EncodedInput {
	readonly operation: Operation<unknown, MessageData>;
	readonly fields: Readonly<Record<string, unknown>>;
}

/**
 * Reads an input once, so that later changes to it, or a stream that is used up, do not matter.
 * @throws InputError if it is not an object, sets `statusCallback`, or an attachment cannot be read.
 */
export async function encodeInput(input: SendInput, maxBytes: number | undefined): Promise<EncodedInput> {
	const given: object = normalizeInput(input);
	if ("statusCallback" in given) throw invalidInput("statusCallback", "is an option of createSender");
	if ("attachments" in given)
		return {
			operation: sendAttachments,
			fields: { ...(await encodeAttachments(given as SendAttachmentsInput, maxBytes)) },
		};
	if ("attachment" in given)
		return {
			operation: sendVoiceNote,
			fields: { ...(await encodeVoiceNote(given as SendVoiceNoteInput, maxBytes)) },
		};
	return { operation: sendText, fields: { ...given } };
}
