import { MAX_ATTACHMENT_BYTES } from "../catalogue/attachment-limit.ts";
import type { AttachmentByUrl, EncodedAttachment, WireAttachment } from "../catalogue/attachments.ts";
import type { SendAttachmentsFields, SendVoiceNoteFields } from "../catalogue/sends.ts";
import type { WithOneTarget } from "../catalogue/targets.ts";
import { InputError } from "../errors.ts";
import { collectBytes } from "../signing/byte-stream.ts";
import { viewBytes } from "../signing/bytes.ts";
import { encodeBase64 } from "./base64.ts";
import { guessMediaType } from "./media-types.ts";
import { normalizeInput } from "./request.ts";

/** An attachment whose bytes are at hand. */
export interface AttachmentByBytes {
	/** The bytes, up to 10 MB; a stream is read once. */
	data: Uint8Array | ArrayBuffer | Blob | ReadableStream<Uint8Array>;
	/** A file name to show. */
	name: string;
	/**
	 * Its media type.
	 * @default the blob's own type, or what the name's ending says
	 */
	mimeType?: string | undefined;
}

/** An attachment: a URL, bytes with a name, a `File`, or bytes that are base64 already. */
export type Attachment = AttachmentByUrl | AttachmentByBytes | EncodedAttachment | File;

/** Fields of {@link SendAttachmentsInput}. */
export interface SendAttachmentsInputFields extends Omit<SendAttachmentsFields, "attachments"> {
	/** 1 to 10 attachments, up to 10 MB each. */
	attachments: readonly Attachment[];
}

/** Attachments to send, to exactly one target. */
export type SendAttachmentsInput = WithOneTarget<SendAttachmentsInputFields>;

/** Fields of {@link SendVoiceNoteInput}. */
export interface SendVoiceNoteInputFields extends Omit<SendVoiceNoteFields, "attachment"> {
	/** The audio: MP3, M4A, AAC, CAF, WAV, AIFF or AMR, up to 10 MB. */
	attachment: Attachment;
}

/** A voice note to send, to exactly one target. */
export type SendVoiceNoteInput = WithOneTarget<SendVoiceNoteInputFields>;

/** The input with its attachments encoded; what is not a list counts as an empty one, which the schema refuses. */
export async function encodeAttachments(
	input: SendAttachmentsInput,
): Promise<WithOneTarget<SendAttachmentsFields>> {
	const { attachments, ...rest } = normalizeInput(input) as object as SendAttachmentsInput;
	const list = Array.isArray(attachments) ? attachments : [];
	const encoded = list.map((attachment: Attachment, at) => encodeAttachment(attachment, `attachments.${at}`));
	return { ...rest, attachments: await Promise.all(encoded) };
}

/** The input with its attachment encoded. */
export async function encodeVoiceNote(
	input: SendVoiceNoteInput,
): Promise<WithOneTarget<SendVoiceNoteFields>> {
	const { attachment, ...rest } = normalizeInput(input) as object as SendVoiceNoteInput;
	return { ...rest, attachment: await encodeAttachment(attachment, "attachment") };
}

/**
 * Reads an attachment's bytes and encodes them for the wire.
 * @throws InputError when it cannot be read or is over 10 MB; what else is wrong with it, the operation's schema tells.
 */
async function encodeAttachment(attachment: Attachment, path: string): Promise<WireAttachment> {
	if (isBlob(attachment)) {
		return encode(
			{ data: attachment, name: "name" in attachment ? String(attachment.name) : "attachment" },
			path,
		);
	}
	if (typeof attachment !== "object" || attachment === null || !("data" in attachment)) return attachment;
	const { data, ...rest } = attachment;
	if (typeof data !== "string") return encode({ data, ...rest }, path);
	// Four digits hold three bytes.
	if ((data.length / 4) * 3 > MAX_ATTACHMENT_BYTES + 2) throw tooLarge(path);
	return attachment as EncodedAttachment;
}

async function encode(attachment: AttachmentByBytes, path: string): Promise<EncodedAttachment> {
	const { data, mimeType, ...rest } = attachment;
	// At once where they are at hand: what becomes of them after the call must not be sent.
	const bytes = readNow(data, path) ?? (await readBytes(data, path));
	const blobType = isBlob(data) ? data.type.split(";")[0] : undefined;
	return {
		...rest,
		data: encodeBase64(bytes),
		mimeType: mimeType ?? (blobType || guessMediaType(String(attachment.name))),
	};
}

function readNow(data: unknown, path: string): Uint8Array | undefined {
	const bytes = viewBytes(data);
	if (bytes !== undefined && bytes.length > MAX_ATTACHMENT_BYTES) throw tooLarge(path);
	return bytes;
}

async function readBytes(data: unknown, path: string): Promise<Uint8Array> {
	if (isBlob(data) && data.size > MAX_ATTACHMENT_BYTES) throw tooLarge(path);
	const stream: unknown = isBlob(data) ? data.stream() : data;
	if (!isStream(stream)) throw invalid(path, "must have bytes, a Blob, a stream or base64 text as its data");
	return readStream(stream, path);
}

/** By its shape, as below: that of another realm, or of a library, is no instance of the platform's class. */
function isBlob(value: unknown): value is Blob {
	const { size, type, stream } = (value ?? {}) as Partial<Blob>;
	return typeof size === "number" && typeof type === "string" && typeof stream === "function";
}

function isStream(value: unknown): value is ReadableStream<unknown> {
	const { getReader } = (value ?? {}) as Partial<ReadableStream>;
	return typeof getReader === "function";
}

async function readStream(stream: ReadableStream<unknown>, path: string): Promise<Uint8Array> {
	const collected = await collectBytes(stream, MAX_ATTACHMENT_BYTES);
	if ("bytes" in collected) return collected.bytes;
	switch (collected.problem) {
		case "too_large":
			throw tooLarge(path);
		case "not_bytes":
			throw invalid(path, "must be a stream of bytes");
		case "broken":
			throw invalid(path, "could not be read to its end");
	}
}

function tooLarge(path: string): InputError {
	return invalid(path, "must be at most 10 MB: give a url for more");
}

function invalid(path: string, message: string): InputError {
	return new InputError(`${path} ${message}`, [{ path, message }]);
}
