/** The compressions of HTTP that a body can be recognized by, or that its header names. */
export type Compression = "gzip" | "deflate" | "Brotli" | "Zstandard";

/** The names of `Content-Encoding` (RFC 9110, section 8.4.1). */
const CODINGS: Readonly<Record<string, Compression>> = {
	gzip: "gzip",
	"x-gzip": "gzip",
	deflate: "deflate",
	br: "Brotli",
	zstd: "Zstandard",
};

/** How the bytes are compressed: by their first bytes, and for bytes that are no text by `Content-Encoding`. */
export function findCompression(
	bytes: Uint8Array,
	text: string | undefined,
	contentEncoding: string | undefined,
): Compression | undefined {
	const [first = 0, second = 0, third, fourth] = bytes;
	if (first === 0x1f && second === 0x8b) return "gzip";
	if (first === 0x28 && second === 0xb5 && third === 0x2f && fourth === 0xfd) return "Zstandard";
	if (text !== undefined) return undefined;
	// The header of zlib, a multiple of 31; its first byte is "x" in a text.
	if (first === 0x78 && (first * 256 + second) % 31 === 0) return "deflate";
	return namedCompression(contentEncoding);
}

/** The compression that `Content-Encoding` names, the last one applied. */
export function namedCompression(contentEncoding: string | undefined): Compression | undefined {
	const coding = contentEncoding?.split(",").at(-1)?.trim().toLowerCase() ?? "";
	return Object.hasOwn(CODINGS, coding) ? CODINGS[coding] : undefined;
}
