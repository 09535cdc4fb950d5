import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import type { AttachmentByBytes } from "../client/attachments.ts";
import { guessMediaType, MAX_ENCODED_BYTES } from "../client/media-types.ts";
import { toSafeCause } from "../client/safe-cause.ts";
import { InputError } from "../errors.ts";
import { loadBuiltin } from "../host.ts";
import { collectBytes } from "../signing/bytes.ts";

/**
 * Reads a file from disk as an attachment.
 *
 * @param file - its path, or a `file:` URL.
 * @param options - `name` defaults to the last part of the path, `mimeType` to a guess from the name.
 * @throws InputError (`invalid_input`) if it cannot be read, is not a regular file or is over 256 MiB.
 * @example
 * ```ts
 * const photo = await attachmentFromFile("./photo.jpg");
 * await gateway.messages.sendAttachments({ to: "+15551234567", attachments: [photo] });
 * ```
 */
export async function attachmentFromFile(
	file: string | URL,
	options: { name?: string; mimeType?: string } = {},
): Promise<AttachmentByBytes> {
	const path = toPath(file);
	const { name = basename(path), mimeType = guessMediaType(name) } = options;
	return { data: await readBounded(path), name, mimeType };
}

function toPath(file: unknown): string {
	if (typeof file === "string") return file;
	try {
		// By its string, since `instanceof URL` would miss a URL of another realm.
		return fileURLToPath(String(file));
	} catch {
		throw invalidFile("must be a path or a file: URL");
	}
}

async function readBounded(path: string): Promise<Uint8Array> {
	const { open, stat } = loadBuiltin<typeof import("node:fs/promises")>("node:fs/promises");
	// Checked before opening: opening a pipe waits for its writer.
	const stats = await stat(path).catch(rejectUnreadable);
	if (!stats.isFile()) throw invalidFile("must be a regular file");
	if (stats.size > MAX_ENCODED_BYTES) throw tooLarge();
	const file = await open(path).catch(rejectUnreadable);
	try {
		// The size is checked again while reading: files grow, and those in /proc report size 0.
		const collected = await collectBytes(file.createReadStream({ autoClose: false }), MAX_ENCODED_BYTES);
		if ("bytes" in collected) return collected.bytes;
		if (collected.problem === "broken") rejectUnreadable(collected.error);
		throw tooLarge();
	} finally {
		await file.close();
	}
}

/** Hides the system's error: it quotes the path, which could contain a name or a number. */
function rejectUnreadable(error: unknown): never {
	const cause = toSafeCause(error);
	throw invalidFile(`couldn't be read (${cause.message})`, { cause });
}

function tooLarge(): InputError {
	return invalidFile("must be at most 256 MiB: use a url for larger files");
}

function invalidFile(message: string, options?: ErrorOptions): InputError {
	return new InputError(`The file ${message}`, [{ path: "path", message }], options);
}
