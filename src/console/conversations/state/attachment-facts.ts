import type { ReceivedAttachment } from "../../../catalogue/shared.ts";

/** How an attachment is shown. */
export type AttachmentForm = "image" | "audio" | "video" | "file";

/** What the page knows of an attachment. */
export interface AttachmentFacts {
	readonly name: string;
	readonly form: AttachmentForm;
	/** As people read it; `null` where it is not known. */
	readonly size: string | null;
	/** Where its bytes are: kept by the gateway, elsewhere on the web, or nowhere. */
	readonly source:
		| { readonly kind: "kept"; readonly id: string }
		| { readonly kind: "linked"; readonly url: string }
		| { readonly kind: "none" };
}

/** Images that every browser shows; SVG can hold scripts, so it is a file like any other. */
const IMAGES = /^image\/(png|jpe?g|gif|webp|avif|bmp)$/i;

/** Reads an attachment; nothing is sure about its shape, which the specification does not show. */
export function readAttachment(item: ReceivedAttachment): AttachmentFacts {
	const { id, url, name, mimeType, size } = item;
	const link = typeof url === "string" && isWebAddress(url) ? url : null;
	return {
		name: typeof name === "string" && name !== "" ? name : nameOfUrl(link),
		form: typeof mimeType === "string" ? formOf(mimeType) : "file",
		size: typeof size === "number" ? describeSize(size) : null,
		source:
			typeof id === "string"
				? { kind: "kept", id }
				: link !== null
					? { kind: "linked", url: link }
					: { kind: "none" },
	};
}

/** A size in bytes, as people read it. */
export function describeSize(bytes: number): string {
	if (bytes < 1024) return `${bytes} B`;
	if (bytes < 1024 ** 2) return `${Math.round(bytes / 1024)} kB`;
	return `${(bytes / 1024 ** 2).toFixed(1).replace(".0", "")} MB`;
}

function formOf(mimeType: string): AttachmentForm {
	if (IMAGES.test(mimeType)) return "image";
	if (/^audio\//i.test(mimeType)) return "audio";
	return /^video\//i.test(mimeType) ? "video" : "file";
}

/** Only what may stand in a link: no `javascript:`. */
function isWebAddress(url: string): boolean {
	return URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
}

function nameOfUrl(url: string | null): string {
	const last = url === null ? undefined : new URL(url).pathname.split("/").pop();
	return last === undefined || last === "" ? "attachment" : last;
}
