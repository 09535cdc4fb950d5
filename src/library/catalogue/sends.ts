import * as z from "zod/mini";
import { type WireAttachment, wireAttachment } from "./attachments.ts";
import { type KnownGatewayErrorCode, SEND_ERRORS } from "./gateway-errors.ts";
import {
	agentPhoneNumber,
	httpUrl,
	identifier,
	type TargetFields,
	targetFields,
	type WithOneTarget,
	withOneTarget,
} from "./input-fields.ts";
import { messageData } from "./message.ts";
import { type OperationDocs, operation } from "./operation.ts";
import { type OpenEnum, openEnum, schemaOf } from "./schema.ts";

const EFFECTS = [
	"slam",
	"loud",
	"gentle",
	"invisible",
	"confetti",
	"fireworks",
	"lasers",
	"balloons",
	"echo",
	"spotlight",
	"celebration",
] as const;

/** An effect that a text arrives with. Unknown values pass through. */
export type Effect = OpenEnum<(typeof EFFECTS)[number]>;

/** The options of every send. */
export interface SendOptions {
	/** The number of the agent that sends. @default the mapping's agent */
	from?: string | undefined;
	/** The effect that the message arrives with. */
	effect?: Effect | undefined;
	/** The `messageGuid` of the message that you reply to. */
	replyToGuid?: string | undefined;
	/** A URL for this message's status updates, instead of the registered one (`status_callback` on the wire). */
	statusCallback?: string | undefined;
}

/** The fields of `messages.sendText`. */
export interface SendTextFields extends TargetFields, SendOptions {
	/** The text, up to `profile.limits.textLength`. */
	text: string;
}

/** A text to send, with exactly one of `to`, `groupId` and `participants`. */
export type SendTextInput = WithOneTarget<SendTextFields>;

/** The fields of `messages.sendAttachments` on the wire. */
export interface SendAttachmentsFields extends TargetFields, SendOptions {
	/** One attachment or more, up to `profile.limits.attachments`. */
	attachments: readonly WireAttachment[];
	/** A text to go with them. */
	text?: string | undefined;
}

/** The fields of `messages.sendVoiceNote` on the wire. */
export interface SendVoiceNoteFields extends TargetFields, SendOptions {
	/** The audio: MP3, M4A, AAC, CAF, WAV, AIFF or AMR (assumed). */
	attachment: WireAttachment;
}

const sendOptions = {
	from: z.optional(agentPhoneNumber),
	effect: z.optional(openEnum(EFFECTS)),
	replyToGuid: z.optional(identifier),
	statusCallback: z.optional(httpUrl),
};

const text = identifier;
const send = {
	method: "POST",
	retry: "never",
	successStatus: 202,
	wireNames: { statusCallback: "status_callback" },
} as const;

export const sendText = operation({
	...send,
	id: "messages.sendText",
	path: "/message/text",
	input: withOneTarget(
		schemaOf<SendTextFields>("SendTextFields")(z.strictObject({ ...targetFields, ...sendOptions, text })),
	),
	data: messageData,
});

export const sendAttachments = operation({
	...send,
	id: "messages.sendAttachments",
	path: "/message/attachment",
	input: withOneTarget(
		schemaOf<SendAttachmentsFields>("SendAttachmentsFields")(
			z.strictObject({
				...targetFields,
				...sendOptions,
				attachments: z.readonly(z.array(wireAttachment).check(z.minLength(1))),
				text: z.optional(text),
			}),
		),
	),
	data: messageData,
});

export const sendVoiceNote = operation({
	...send,
	id: "messages.sendVoiceNote",
	path: "/message/voice",
	input: withOneTarget(
		schemaOf<SendVoiceNoteFields>("SendVoiceNoteFields")(
			z.strictObject({ ...targetFields, ...sendOptions, attachment: wireAttachment }),
		),
	),
	data: messageData,
});

const FILE_SEND_ERRORS = /* @__PURE__ */ errorsOfFiles();

function errorsOfFiles(): readonly KnownGatewayErrorCode[] {
	return [...SEND_ERRORS, "ATTACHMENT_TOO_LARGE", "UNSUPPORTED_MEDIA_TYPE"];
}

export const sendDocs = {
	"messages.sendText": { summary: "Sends a text to a contact or a group.", errors: SEND_ERRORS },
	"messages.sendAttachments": {
		summary: "Sends attachments, with or without a text.",
		errors: FILE_SEND_ERRORS,
	},
	"messages.sendVoiceNote": {
		summary: "Sends an audio file as a voice note.",
		errors: FILE_SEND_ERRORS,
	},
} satisfies Record<string, OperationDocs>;
