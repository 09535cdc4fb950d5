import { readFile, stat } from "node:fs/promises";
import { basename } from "node:path";
import { MAX_ATTACHMENT_BYTES } from "../catalogue/attachment-limit.ts";
import type { AttachmentByBytes } from "../client/attachments.ts";
import { guessMediaType } from "../client/media-types.ts";
import { InputError } from "../errors.ts";

/**
 * Reads a file from disk as an attachment.
 *
 * @param path - where the file is; its last part becomes the attachment's name.
 * @throws InputError (`invalid_input`) when it cannot be read or is over 10 MB.
 * @example
 * ```ts
 * const photo = await attachmentFromFile("./photo.jpg");
 * await gateway.messages.sendAttachments({ to: "+15551234567", attachments: [photo] });
 * ```
 */
export async function attachmentFromFile(
	path: string,
	options: { name?: string; mimeType?: string } = {},
): Promise<AttachmentByBytes> {
	const { name = basename(path), mimeType = guessMediaType(name) } = options;
	return { data: await readBounded(path), name, mimeType };
}

async function readBounded(path: string): Promise<Uint8Array> {
	const { size } = await stat(path).catch(refuseUnreadable);
	if (size > MAX_ATTACHMENT_BYTES) throw invalidFile("must be at most 10 MB: give a url for more");
	return readFile(path).catch(refuseUnreadable);
}

function refuseUnreadable(cause: unknown): never {
	throw invalidFile("could not be read", cause);
}

function invalidFile(message: string, cause?: unknown): InputError {
	return new InputError(`the file ${message}`, [{ path: "path", message }], { cause });
}
