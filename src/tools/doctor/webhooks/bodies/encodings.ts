import { decodeBase64 } from "../../../decode-base64.ts";
import type { Candidate } from "../candidate.ts";
import { bodyBefore, type DecodedBody, decode } from "./raw-body.ts";

/** Windows-1252 from 0x80 to 0x9f, where Latin-1 has controls. Not every runtime's `TextDecoder` knows it. */
const WINDOWS_1252 = "€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ";

/** Text that was decoded or encoded in another charset than UTF-8. */
export function undoCharset({ bytes, text }: DecodedBody): Candidate<Uint8Array>[] {
	if (bytes.every((byte) => byte < 0x80 && byte !== 0)) return [];
	const latin1 = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
	const windows1252 = latin1.replace(
		/[\u0080-\u009f]/g,
		(control) => WINDOWS_1252[control.charCodeAt(0) - 0x80] ?? control,
	);
	return [
		...undoDecoding(text && encodeSingleBytes(text)),
		...changed(latin1, "encoded as Latin-1 instead of UTF-8"),
		...changed(windows1252, "encoded as Windows-1252 instead of UTF-8"),
		...(["utf-16le", "utf-16be"] as const).flatMap((charset) => [
			...changed(decode(bytes, charset)?.replace(/^\ufeff/, ""), "encoded as UTF-16 instead of UTF-8"),
			...changed(text && encodeUtf16(text, charset), "decoded as UTF-16 instead of UTF-8"),
		]),
	];
}

/** A body that is still in base64, as a Lambda event has it. */
export function undoBase64({ text }: DecodedBody): Candidate<Uint8Array>[] {
	const decoded = text === undefined ? undefined : decodeBase64(text);
	if (decoded === undefined) return [];
	return [
		bodyBefore(
			decoded,
			"body_in_base64",
			"The body is base64 of what was signed.",
			"Decode the body to bytes first; in Lambda, do so where event.isBase64Encoded is true.",
		),
	];
}

/** Text whose bytes were decoded as one character each, and which was encoded as UTF-8. */
function undoDecoding(bytes: Uint8Array | undefined | ""): Candidate<Uint8Array>[] {
	if (bytes === undefined || bytes === "") return [];
	const how = "decoded as Latin-1 or Windows-1252";
	const wasUtf8 = decode(bytes, "utf-8") !== undefined;
	return changed(
		bytes,
		wasUtf8 ? `${how} instead of UTF-8, and encoded again` : `${how}, and encoded as UTF-8`,
	);
}

function changed(body: string | Uint8Array | undefined, how: string): Candidate<Uint8Array>[] {
	if (body === undefined) return [];
	return [bodyBefore(body, "charset_changed", `The body was ${how} before it came here.`)];
}

/** The bytes that decode to this text as one character each; `undefined` if there are none. */
function encodeSingleBytes(text: string): Uint8Array | undefined {
	const codes = Array.from(text, (character) => {
		const at = WINDOWS_1252.indexOf(character);
		return at === -1 ? (character.codePointAt(0) ?? 0) : 0x80 + at;
	});
	return codes.some((code) => code > 0xff) ? undefined : Uint8Array.from(codes);
}

function encodeUtf16(text: string, charset: "utf-16le" | "utf-16be"): Uint8Array {
	const view = new DataView(new ArrayBuffer(text.length * 2));
	for (let at = 0; at < text.length; at++)
		view.setUint16(at * 2, text.charCodeAt(at), charset === "utf-16le");
	return new Uint8Array(view.buffer);
}
