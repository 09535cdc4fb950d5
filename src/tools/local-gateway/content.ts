import type { WireAttachment } from "../../library/catalogue/attachments.ts";
import { hashBody } from "../../library/signing/sign-request.ts";
import type { MessageKind } from "./records.ts";
import type { Rules } from "./settings.ts";

/** The content of a send. */
export interface MessageContent {
	readonly kind: MessageKind;
	readonly text: string;
	readonly attachments: readonly WireAttachment[];
}

/** The content of a `messages.sendText`. */
export function textContent({ text }: { readonly text: string }): MessageContent {
	return { kind: "text", text, attachments: [] };
}

/** The content of a `messages.sendAttachments`. */
export function attachmentsContent({
	attachments,
	text = "",
}: {
	readonly attachments: readonly WireAttachment[];
	readonly text?: string | undefined;
}): MessageContent {
	return { kind: "attachments", text, attachments };
}

/** The content of a `messages.sendVoiceNote`. */
export function voiceContent({ attachment }: { readonly attachment: WireAttachment }): MessageContent {
	return { kind: "voice", text: "", attachments: [attachment] };
}

/** Equal for messages with the same kind, text and attachments in the same order. Assumed. */
export function contentSignature(content: MessageContent, { compareText }: Rules): string {
	const text = compareText === "trimmed" ? content.text.trim() : content.text;
	return hashBody({ ...content, text });
}
