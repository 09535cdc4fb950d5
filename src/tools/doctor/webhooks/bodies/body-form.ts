import { isJsonObject } from "../../../../library/is-object.ts";
import type { Candidate } from "../candidate.ts";
import type { FailureCause, Mistake } from "../explanation.ts";
import { type Compression, findCompression } from "./compression.ts";
import { bodyBefore, type DecodedBody, decode, toDecodedBody } from "./raw-body.ts";

/** What a body is, if it is not a JSON object in UTF-8. */
interface BodyFinding {
	readonly cause: FailureCause;
	/** As it stands after "the body". */
	readonly is: string;
	/** What to do if these bytes were signed. */
	readonly fix: string;
	/** What to do if other bytes may have been signed; the same if it is left out. */
	readonly fixUnsigned?: string;
}

const VERIFY_BY_HAND = "until then, your code can verify the bytes with verifySignature";

/** For the bytes that the sender signed: why the event in them is rejected even with the right signature. */
export function describeSignedForm(
	bytes: Uint8Array,
	contentEncoding: string | undefined,
	isAsGiven: boolean,
): Mistake[] {
	return findForm(bytes, contentEncoding).map(({ cause, is, fix }) => ({
		cause,
		message: isAsGiven
			? `The signature is right, but the body ${is}: the event was rejected, and no handler got it.`
			: `The body that the sender signed ${is}: the event is rejected even if its signature is right.`,
		fix,
	}));
}

/** For bytes that may not be those that were signed: a form that the sender or something on the way gave them. */
export function suspectForm(bytes: Uint8Array, contentEncoding: string | undefined): Mistake[] {
	// Other bodies that are no JSON have causes of their own, such as base64.
	return findForm(bytes, contentEncoding)
		.filter(({ cause }) => cause !== "body_not_json")
		.map(({ cause, is, fix, fixUnsigned = fix }) => ({
			cause,
			message: `The body ${is}, and the signature doesn't match its bytes: the event was rejected.`,
			fix: fixUnsigned,
		}));
}

/** More than any sender adds to the field with the payload. */
const MAX_FIELDS = 3;

/** JSON that was put into a field of a form, e.g. `payload=`. */
export function undoForm({ text }: DecodedBody): Candidate<Uint8Array>[] {
	if (text === undefined || !URL_ENCODED.test(text)) return [];
	return [...new URLSearchParams(text).values()]
		.filter((value) => parse(value) !== undefined)
		.slice(0, MAX_FIELDS)
		.map((value) =>
			bodyBefore(
				value,
				"body_form",
				"The body is a form, and the signature covers the JSON in one of its fields: the event was rejected.",
				"Let the sender post that JSON itself, as application/json, or find what puts it into a form on its way.",
			),
		);
}

function findForm(bytes: Uint8Array, contentEncoding: string | undefined): BodyFinding[] {
	const { text } = toDecodedBody(bytes);
	const compression = findCompression(bytes, text, contentEncoding);
	if (compression !== undefined) return [compressed(compression)];
	if (text === undefined) return [inOtherCharset(bytes)];
	// The verification ignores a byte order mark, too.
	const value = parse(text.replace(/^\ufeff/, ""));
	if (value !== undefined)
		return isJsonObject(value) ? [] : [Array.isArray(value) ? ARRAY : notObject(value)];
	if (isUtf16(bytes)) return [inOtherCharset(bytes)];
	if (MULTIPART.test(text)) return [form("multipart/form-data")];
	if (URL_ENCODED.test(text)) return [form("application/x-www-form-urlencoded")];
	return [NOT_JSON];
}

/** A boundary, and the header that each part of a form has. */
const MULTIPART = /^\s*--[^\r\n]{1,70}\r?\n(?:[^\r\n]{1,200}\r?\n){0,4}?content-disposition:\s*form-data/i;

/** A first field whose value begins with something else than "=", which pads base64. */
const URL_ENCODED = /^[\w.~%+*[\]-]{1,100}=(?!=*\s*$)[^\s"{}<>]*\s*$/;

function compressed(compression: Compression): BodyFinding {
	return {
		cause: "body_compressed",
		is: `is compressed with ${compression}`,
		fix: `Let the sender send its webhooks uncompressed; ${VERIFY_BY_HAND}, and decompress and parse them afterwards.`,
		fixUnsigned:
			"Find what compresses the body on its way, or decompress it to the bytes that the sender signed before you verify it.",
	};
}

function inOtherCharset(bytes: Uint8Array): BodyFinding {
	const charset = isUtf16(bytes)
		? "is in UTF-16 instead of UTF-8"
		: parse(decode(bytes, "latin1")) === undefined
			? "isn't UTF-8"
			: "is in Latin-1 or Windows-1252 instead of UTF-8";
	return {
		cause: "body_not_utf8",
		is: charset,
		fix: "Let the sender encode its JSON as UTF-8, and sign and send those bytes.",
	};
}

function isUtf16(bytes: Uint8Array): boolean {
	// JSON begins with a character of ASCII, whose other byte is 0.
	if (!bytes.subarray(0, 4).some((byte) => byte === 0 || byte >= 0xfe)) return false;
	return ["utf-16le", "utf-16be"].some(
		(charset) => parse(decode(bytes, charset)?.replace(/^\ufeff/, "")) !== undefined,
	);
}

function form(type: string): BodyFinding {
	return {
		cause: "body_form",
		is: `is a form (${type})`,
		fix: `Let the sender post the JSON object itself, as application/json; ${VERIFY_BY_HAND}, and read the fields of the form.`,
	};
}

function notObject(value: unknown): BodyFinding {
	const type = value === null ? "null" : `a ${typeof value}`;
	return {
		cause: "body_not_json",
		is: `is JSON, but ${type} instead of an object`,
		fix:
			typeof value === "string"
				? "Let the sender write its payload as JSON once, not twice, and sign the bytes that it sends."
				: NOT_JSON.fix,
	};
}

/** The value of JSON; `undefined` if it is none. */
export function parse(text: string | undefined): unknown {
	try {
		return text === undefined ? undefined : JSON.parse(text);
	} catch {
		return undefined;
	}
}

const ARRAY: BodyFinding = {
	cause: "body_array",
	is: "is a JSON array instead of one object",
	fix: `Let the sender post each event by itself, as a JSON object; ${VERIFY_BY_HAND}, and process the entries one by one.`,
};

const NOT_JSON: BodyFinding = {
	cause: "body_not_json",
	is: "isn't JSON",
	fix: "Let the sender write a JSON object, and sign the bytes that it sends.",
};
