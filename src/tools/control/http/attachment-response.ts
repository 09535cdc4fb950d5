import type { AttachmentContent } from "../create-control.ts";
import { controlResponse } from "./responses.ts";

/** Media types that browsers show without running code. */
const SHOWN_TYPES = /^(image|audio|video)\/[\w.+-]+$/i;

/** Image types that may contain scripts. */
const SCRIPTABLE_TYPES = /svg|xml/i;

/** Serves untrusted bytes: browsers show or save them, and never run them. */
export function attachmentResponse({ bytes, name, mimeType }: AttachmentContent): Response {
	const isShown = SHOWN_TYPES.test(mimeType) && !SCRIPTABLE_TYPES.test(mimeType);
	return controlResponse(200, bytes.slice(), {
		"Content-Type": isShown ? mimeType : "application/octet-stream",
		"Content-Disposition": `${isShown ? "inline" : "attachment"}; filename*=UTF-8''${encodeName(name)}`,
	});
}

/** RFC 8187, section 3.2.1: also encodes what `encodeURIComponent` keeps, but the header does not allow. */
function encodeName(name: string): string {
	return encodeURIComponent(name.toWellFormed()).replace(
		/['()*!]/g,
		(character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
	);
}
