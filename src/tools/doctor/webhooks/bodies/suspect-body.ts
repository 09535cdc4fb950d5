import { decodeBase64 } from "../../../decode-base64.ts";
import type { Mistake } from "../explanation.ts";
import { MAX_TRANSFORMED_BYTES, toRawBody, VERIFY_RAW_BYTES } from "./raw-body.ts";

/** Likely but unproven changes of the body. */
export function suspectBody(
	bytes: Uint8Array | undefined,
	header: (name: string) => string | undefined,
): Mistake[] {
	if (bytes === undefined) return [];
	const contentLength = header("Content-Length");
	const encoding = header("Content-Encoding");
	const isGzip = bytes[0] === 0x1f && bytes[1] === 0x8b;
	const isLarge = bytes.length > MAX_TRANSFORMED_BYTES;
	const text = isLarge ? undefined : toRawBody(bytes).text;
	const suspicions: (Mistake | false)[] = [
		isGzip && COMPRESSED,
		text?.includes("\ufffd") === true && REPLACED,
		text !== undefined && decodeBase64(text)?.[0] === OPENING_BRACE && IN_BASE64,
		bytes.length > 0 &&
			encoding === undefined &&
			/^\d{1,15}$/.test(contentLength ?? "") &&
			Number(contentLength) !== bytes.length && {
				cause: "body_length_changed",
				message: `The body has ${bytes.length} bytes, but Content-Length is ${Number(contentLength)}.`,
				fix: VERIFY_RAW_BYTES,
			},
	];
	return suspicions.filter((suspicion) => suspicion !== false);
}

const OPENING_BRACE = 0x7b;

const COMPRESSED: Mistake = {
	cause: "body_compressed",
	message: "The body is compressed with gzip, so something on its way compressed it or did not unpack it.",
	fix: "Unpack the body to the bytes that the sender signed before verifying it.",
};

const REPLACED: Mistake = {
	cause: "characters_replaced",
	message:
		"The body holds the replacement character U+FFFD, which decoding puts in place of bytes that are not UTF-8.",
	fix: "Collect the chunks as bytes and join them before decoding anything.",
};

const IN_BASE64: Mistake = {
	cause: "body_in_base64",
	message: "The body looks like base64 of JSON.",
	fix: "Decode the body to bytes first; in Lambda, do so where event.isBase64Encoded is true.",
};
