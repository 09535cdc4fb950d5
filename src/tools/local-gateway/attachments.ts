import type { WireAttachment } from "../../library/catalogue/attachments.ts";
import type { Limits } from "../../library/catalogue/limits.ts";
import type { ReceivedAttachment } from "../../library/catalogue/shared.ts";
import { RequestRejection } from "./request-rejection.ts";

/** The voice notes that can be sent: MP3, M4A, AAC, CAF, WAV, AIFF, AMR. Assumed. */
const AUDIO_TYPES =
	/^audio\/(mpeg|mp3|mp4|m4a|x-m4a|aac|x-aac|x-caf|caf|wav|wave|x-wav|vnd\.wave|aiff|x-aiff|amr)$/i;
const AUDIO_EXTENSIONS = /\.(mp3|m4a|aac|caf|wav|aiff?|amr)$/i;

/** @throws RequestRejection when an attachment is not audio, judged by its media type or else its name. */
export function assertAudio(attachment: WireAttachment): void {
	const { mimeType, name } = attachment;
	const path = "url" in attachment ? new URL(attachment.url).pathname : "";
	const isAudio = mimeType === undefined ? AUDIO_EXTENSIONS.test(name ?? path) : AUDIO_TYPES.test(mimeType);
	if (isAudio) return;
	throw new RequestRejection(
		"UNSUPPORTED_MEDIA_TYPE",
		"A voice note must be MP3, M4A, AAC, CAF, WAV, AIFF or AMR: give its mimeType, or a name with such an extension.",
	);
}

/** @throws RequestRejection when an attachment is too large. */
export function assertSize(attachment: WireAttachment, { attachmentBytes }: Limits): void {
	if (!("data" in attachment) || decodedLength(attachment.data) <= attachmentBytes) return;
	throw new RequestRejection(
		"ATTACHMENT_TOO_LARGE",
		`An attachment may have up to ${attachmentBytes} bytes (profile.limits): give a URL instead.`,
	);
}

/** The attachment as messages and events show it, without its bytes. */
export function toReceivedAttachment(attachment: WireAttachment): ReceivedAttachment {
	if (!("data" in attachment)) return { ...attachment };
	const { data, name, mimeType } = attachment;
	return { name, mimeType, size: decodedLength(data) };
}

/** RFC 4648, section 4: four characters encode three bytes, and each padding character stands for a missing byte. */
export function decodedLength(base64: string): number {
	const padding = base64.endsWith("==") ? 2 : base64.endsWith("=") ? 1 : 0;
	return (base64.length / 4) * 3 - padding;
}
