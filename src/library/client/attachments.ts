import type { AttachmentByUrl, EncodedAttachment, WireAttachment } from "../catalogue/attachments.ts";
import type { Flat } from "../catalogue/flat.ts";
import type {
	ContactTarget,
	GroupTarget,
	ParticipantsTarget,
	WithOneTarget,
} from "../catalogue/input-fields.ts";
import { invalidInput } from "../catalogue/invalid-input.ts";
import type { SendAttachmentsFields, SendOptions, SendVoiceNoteFields } from "../catalogue/sends.ts";
import type { InputError } from "../errors.ts";
import { encodeBase64 } from "../signing/base64.ts";
import { collectBytes, viewAttachedBytes } from "../signing/bytes.ts";

import { guessMediaType, MAX_ENCODED_BYTES } from "./media-types.ts";
import { normalizeInput } from "./request.ts";

/** An attachment given as bytes. */
export interface AttachmentByBytes {
	/** The bytes. The client reads a stream once. */
	data: Uint8Array | ArrayBuffer | Blob | ReadableStream<Uint8Array>;
	/** Leave it out: only `data` that is a string has an encoding. */
	encoding?: undefined;
	/** The file name to show. */
	name: string;
	/**
	 * The media type.
	 * @default the blob's type, or the type for the name's extension
	 */
	mimeType?: string | undefined;
}

/** An attachment given as a base64 string. */
export interface AttachmentByBase64 {
	/** The bytes in base64. */
	data: string;
	/** The encoding of the string. Without it the client rejects a string, which could be plain text or a path. */
	encoding: "base64";
	/** The file name to show. */
	name: string;
	/**
	 * The media type.
	 * @default the type for the name's extension
	 */
	mimeType?: string | undefined;
}

/** An attachment: a URL, bytes with a name, a string in base64 with a name, or a `File`. */
export type Attachment = AttachmentByUrl | AttachmentByBytes | AttachmentByBase64 | File;

/** Fields of {@link SendAttachmentsInput}. */
export interface SendAttachmentsInputFields extends Omit<SendAttachmentsFields, "attachments"> {
	/** One attachment or more. `profile.limits` sets how many and how large they may be. */
	attachments: readonly Attachment[];
}

/** Attachments to send, with exactly one of `to`, `groupId` and `participants`. */
export type SendAttachmentsInput = WithOneTarget<SendAttachmentsInputFields>;

interface WithText {
	/** The text, up to `profile.limits.textLength`. An empty one counts as none. */
	text: string;
}

interface WithAttachments {
	/** The attachments, alone or with the text. An empty list counts as none. */
	attachments: readonly Attachment[];
}

/** A text, attachments or both to send, with exactly one of `to`, `groupId` and `participants`. */
export type SendMessageInput = (
	| (Flat<WithText> & Flat<WithAttachments>)
	| (Flat<WithAttachments> & { text?: undefined })
	// The compiler names the last one if both are missing.
	| (Flat<WithText> & { attachments?: undefined })
) &
	Flat<SendOptions> &
	(Flat<ParticipantsTarget> | Flat<GroupTarget> | Flat<ContactTarget>);

/** Fields of {@link SendVoiceNoteInput}. */
export interface SendVoiceNoteInputFields extends Omit<SendVoiceNoteFields, "attachment"> {
	/** The audio: MP3, M4A, AAC, CAF, WAV, AIFF or AMR (assumed). */
	attachment: Attachment;
}

/** A voice note to send, with exactly one of `to`, `groupId` and `participants`. */
export type SendVoiceNoteInput = WithOneTarget<SendVoiceNoteInputFields>;

/** The fields of an input of {@link SendMessageInput}, without what counts as none. */
export function dropEmptyContent(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
	const { attachments, text, ...rest } = fields;
	const isNone = (value: unknown) =>
		value === undefined || value === "" || (Array.isArray(value) && value.length === 0);
	return { ...rest, ...(!isNone(text) && { text }), ...(!isNone(attachments) && { attachments }) };
}

/** The error for an input without a text and attachments. */
export function noContent(): InputError {
	return invalidInput("text", "or attachments is required: an empty text or list counts as none");
}

/**
 * The input with its attachments encoded.
 * @param maxBytes - the limit of one attachment.
 */
export async function encodeAttachments(
	input: SendAttachmentsInput,
	maxBytes: number | undefined,
): Promise<WithOneTarget<SendAttachmentsFields>> {
	const { attachments, ...rest } = normalizeInput(input) as object as SendAttachmentsInput;
	if (!Array.isArray(attachments)) {
		throw invalidInput(
			"attachments",
			attachments == null ? "is required" : "must be a list of attachments: wrap the attachment in [ ]",
		);
	}
	const encoded = attachments.map((attachment: Attachment, at) =>
		encodeAttachment(attachment, `attachments.${at}`, maxBytes),
	);
	return { ...rest, attachments: await Promise.all(encoded) };
}

export async function encodeVoiceNote(
	input: SendVoiceNoteInput,
	maxBytes: number | undefined,
): Promise<WithOneTarget<SendVoiceNoteFields>> {
	const { attachment, ...rest } = normalizeInput(input) as object as SendVoiceNoteInput;
	return { ...rest, attachment: await encodeAttachment(attachment, "attachment", maxBytes) };
}

/**
 * Reads an attachment's bytes and encodes them for the wire.
 * @throws InputError if it cannot be read or is too large; the operation's schema checks the rest.
 */
async function encodeAttachment(
	attachment: Attachment,
	path: string,
	maxBytes = MAX_ENCODED_BYTES,
): Promise<WireAttachment> {
	if (typeof attachment === "string") {
		throw invalidInput(
			path,
			"is a string: pass { url }, { data, name }, a File, or `await attachmentFromFile(path)` of messaging-gateway/node",
		);
	}
	if (readBytes(attachment, path) !== undefined || isStream(attachment)) {
		throw invalidInput(path, "is bytes without a name: pass { data, name }");
	}
	assertNoNodeStream(attachment, path);
	if (typeof attachment !== "object" || attachment === null) return attachment;
	if ("then" in attachment) throw invalidInput(path, "is a promise: await it");
	if (isBlob(attachment)) {
		const name = "name" in attachment ? String(attachment.name) : "attachment";
		return encodeBytes({ data: attachment, name }, path, maxBytes);
	}
	if (!("data" in attachment)) return attachment;
	return isInBase64(attachment)
		? passBase64(attachment, path, maxBytes)
		: encodeBytes(attachment, path, maxBytes);
}

function isInBase64(attachment: AttachmentByBytes | AttachmentByBase64): attachment is AttachmentByBase64 {
	return typeof attachment.data === "string";
}

/** A base64 string is sent unchanged; the schema checks that it is base64. */
function passBase64(
	{ data, encoding, ...rest }: AttachmentByBase64,
	path: string,
	maxBytes: number,
): EncodedAttachment {
	if (encoding !== "base64") {
		throw invalidInput(
			`${path}.data`,
			'is a string: for base64 pass { data, encoding: "base64" }, for plain text new TextEncoder().encode(text)',
		);
	}
	// Four digits hold three bytes.
	if ((data.length / 4) * 3 > maxBytes + 2) throw tooLarge(path, maxBytes);
	return { ...rest, data, mimeType: rest.mimeType ?? guessMediaType(String(rest.name)) };
}

async function encodeBytes(
	attachment: AttachmentByBytes,
	path: string,
	maxBytes: number,
): Promise<EncodedAttachment> {
	const { data, encoding, mimeType, ...rest } = attachment;
	if (encoding !== undefined) throw invalidInput(`${path}.encoding`, "is only allowed with a string as data");
	const blob = isBlob(data) ? data : undefined;
	let bytes = readBytes(data, `${path}.data`);
	if ((bytes?.length ?? blob?.size ?? 0) > maxBytes) throw tooLarge(path, maxBytes);
	// Without an await if possible, so that later changes to the bytes are not sent.
	bytes ??= await readStream(blob === undefined ? data : openBlob(blob, path), path, maxBytes);
	return {
		...rest,
		data: encodeBase64(bytes),
		mimeType: mimeType ?? (blob?.type.split(";")[0] || guessMediaType(String(attachment.name))),
	};
}

function openBlob(blob: Blob, path: string): unknown {
	try {
		return blob.stream();
	} catch {
		throw invalidInput(path, "couldn't be read to its end");
	}
}

function readBytes(data: unknown, path: string): Uint8Array | undefined {
	try {
		return viewAttachedBytes(data);
	} catch {
		throw invalidInput(path, "is in a buffer that was transferred elsewhere: pass a copy");
	}
}

async function readStream(stream: unknown, path: string, maxBytes: number): Promise<Uint8Array> {
	assertNoNodeStream(stream, `${path}.data`);
	if (!isStream(stream)) {
		throw invalidInput(`${path}.data`, "must be bytes, a Blob, a stream, or a string with its encoding");
	}
	const collected = await collectBytes(stream, maxBytes);
	if ("bytes" in collected) return collected.bytes;
	if (collected.problem === "too_large") throw tooLarge(path, maxBytes);
	throw invalidInput(
		path,
		collected.problem === "not_bytes" ? "must be a stream of bytes" : "couldn't be read to its end",
	);
}

/** Rejects what `fs.createReadStream` returns: the package runs where there are no such streams. */
function assertNoNodeStream(value: unknown, path: string): void {
	const { pipe } = (value ?? {}) as { pipe?: unknown };
	if (typeof pipe !== "function") return;
	throw invalidInput(
		path,
		"is a Node stream: pass { data: Readable.toWeb(stream), name }, or `await attachmentFromFile(path)` of messaging-gateway/node",
	);
}

/** By its shape, as below: one from another realm or a library is not an instance of the platform's class. */
function isStream(value: unknown): value is ReadableStream<unknown> {
	const { getReader } = (value ?? {}) as Partial<ReadableStream>;
	return typeof getReader === "function";
}

function isBlob(value: unknown): value is Blob {
	const { size, type, stream } = (value ?? {}) as Partial<Blob>;
	return typeof size === "number" && typeof type === "string" && typeof stream === "function";
}

function tooLarge(path: string, maxBytes: number): InputError {
	return invalidInput(path, `must be at most ${maxBytes} bytes: use a url for larger files`);
}
