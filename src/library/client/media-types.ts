const MEDIA_TYPES: Readonly<Record<string, string>> = {
	aac: "audio/aac",
	aif: "audio/aiff",
	aiff: "audio/aiff",
	amr: "audio/amr",
	caf: "audio/x-caf",
	csv: "text/csv",
	gif: "image/gif",
	heic: "image/heic",
	jpeg: "image/jpeg",
	jpg: "image/jpeg",
	m4a: "audio/mp4",
	mov: "video/quicktime",
	mp3: "audio/mpeg",
	mp4: "video/mp4",
	pdf: "application/pdf",
	png: "image/png",
	txt: "text/plain",
	vcf: "text/vcard",
	wav: "audio/wav",
	webp: "image/webp",
	zip: "application/zip",
};

/** The media type for a file name's extension; `application/octet-stream` if it is unknown. */
export function guessMediaType(name: string): string {
	const extension = name.slice(name.lastIndexOf(".") + 1).toLowerCase();
	return (Object.hasOwn(MEDIA_TYPES, extension) && MEDIA_TYPES[extension]) || "application/octet-stream";
}

/** The largest attachment that is read into memory: in base64 it fits in one string of every runtime. */
export const MAX_ENCODED_BYTES = 0x1000_0000;
