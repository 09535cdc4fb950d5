import type { ReceivedAttachment } from "../../../../library/catalogue/shared.ts";

export type AttachmentForm = "image" | "audio" | "video" | "file";

export interface AttachmentFacts {
	readonly name: string;
	readonly form: AttachmentForm;
	readonly size: string | null;
	/** The location of its bytes: kept by the gateway, at another URL, or unknown. */
	readonly source:
		| { readonly kind: "kept"; readonly id: string }
		| { readonly kind: "linked"; readonly url: string }
		| { readonly kind: "none" };
}

/** Images that every browser shows. SVG can contain scripts, so it is only offered as a file. */
const IMAGES = /^image\/(png|jpe?g|gif|webp|avif|bmp)$/i;

/** Reads an attachment. The specification does not document its shape, so every field is checked. */
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

export function describeSize(bytes: number): string {
	if (bytes < 1_000) return `${bytes} B`;
	if (bytes < 1_000_000) return `${Math.round(bytes / 1_000)} kB`;
	return `${(bytes / 1_000_000).toFixed(1).replace(".0", "")} MB`;
}

function formOf(mimeType: string): AttachmentForm {
	if (IMAGES.test(mimeType)) return "image";
	if (/^audio\//i.test(mimeType)) return "audio";
	return /^video\//i.test(mimeType) ? "video" : "file";
}

/** Accepts only http and https URLs as links, not `javascript:`. */
function isWebAddress(url: string): boolean {
	return URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
}

function nameOfUrl(url: string | null): string {
	const last = url === null ? undefined : new URL(url).pathname.split("/").pop();
	return last === undefined || last === "" ? "attachment" : last;
}
