import { isJsonObject } from "../../../../library/is-object.ts";
import { decodeBase64 } from "../../../decode-base64.ts";
import type { Mistake } from "../explanation.ts";
import { parse, suspectForm } from "./body-form.ts";
import { type Compression, findCompression, namedCompression } from "./compression.ts";
import { MAX_TRANSFORMED_BYTES, toDecodedBody, VERIFY_RAW_BYTES } from "./raw-body.ts";

/** Likely but unproven changes of the body. */
export function suspectBody(
	bytes: Uint8Array | undefined,
	header: (name: string) => string | undefined,
): Mistake[] {
	if (bytes === undefined) return [];
	const contentLength = header("Content-Length");
	const encoding = header("Content-Encoding");
	const isLarge = bytes.length > MAX_TRANSFORMED_BYTES;
	const text = isLarge ? undefined : toDecodedBody(bytes).text;
	const named = namedCompression(encoding);
	const suspicions: (Mistake | false)[] = [
		...(isLarge ? [] : suspectForm(bytes, encoding)),
		named !== undefined &&
			text !== undefined &&
			text !== "" &&
			findCompression(bytes, text, encoding) === undefined &&
			decompressed(named),
		text !== undefined && hasSortedNames(text) && IN_ORDER,
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

/** So many names are rarely in order by chance. */
const MANY_NAMES = 5;

function hasSortedNames(text: string): boolean {
	const value = parse(text);
	if (!isJsonObject(value)) return false;
	const names = Object.keys(value);
	return names.length >= MANY_NAMES && names.every((name, at) => at === 0 || name > (names[at - 1] ?? ""));
}

const OPENING_BRACE = 0x7b;

function decompressed(compression: Compression): Mistake {
	return {
		cause: "body_decompressed",
		message: `Content-Encoding names ${compression}, but the body isn't compressed: if the sender signed the compressed bytes, something decompressed them on their way, and the event was rejected.`,
		fix: "Let the sender send its webhooks uncompressed, or sign the bytes before it compresses them.",
	};
}

const IN_ORDER: Mistake = {
	cause: "body_reserialized",
	message:
		"The names in the body are in alphabetical order, as a map of Go and sort_keys of Python write them: unless the sender writes them so, the body was parsed and written again.",
	fix: VERIFY_RAW_BYTES,
};

const REPLACED: Mistake = {
	cause: "characters_replaced",
	message:
		"The body holds the replacement character U+FFFD, which decoding puts in place of bytes that aren't UTF-8.",
	fix: "Collect the chunks as bytes and join them before decoding anything.",
};

const IN_BASE64: Mistake = {
	cause: "body_in_base64",
	message: "The body looks like base64 of JSON.",
	fix: "Decode the body to bytes first; in Lambda, do so where event.isBase64Encoded is true.",
};
