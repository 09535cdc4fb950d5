import type { KeptAttachment } from "../../kept-attachments.ts";
import { controlResponse } from "./responses.ts";

/** Media that browsers show without running anything in it. */
const SHOWN_TYPES = /^(image|audio|video)\/[\w.+-]+$/i;

/** Images that hold scripts. */
const SCRIPTABLE_TYPES = /svg|xml/i;

/** Serves bytes that anybody may have sent: they are shown or saved, and never run. */
export function attachmentResponse({ bytes, name, mimeType }: KeptAttachment): Response {
	const isShown = SHOWN_TYPES.test(mimeType) && !SCRIPTABLE_TYPES.test(mimeType);
	return controlResponse(200, bytes.slice(), {
		"Content-Type": isShown ? mimeType : "application/octet-stream",
		"Content-Disposition": `${isShown ? "inline" : "attachment"}; filename*=UTF-8''${encodeName(name)}`,
	});
}

/** RFC 8187, section 3.2.1: what `encodeURIComponent` leaves as it is, and the header does not take, is encoded too. */
function encodeName(name: string): string {
	return encodeURIComponent(name.toWellFormed()).replace(
		/['()*!]/g,
		(character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
	);
}
