import { Buffer } from "node:buffer";
import { createReadStream } from "node:fs";
import process from "node:process";
import { messageOf, systemCodeOf, usageError } from "./failure.ts";

/** The most that is read, in MiB: a pipe or a device may never end. It is what the SDK encodes of an attachment. */
const MAX_MEBIBYTES = 256;

/**
 * Reads a file that the user named, or standard input (`-`).
 * @throws CommandFailure if it cannot be read, or has too much.
 */
export async function readInputFile(file: string): Promise<Buffer> {
	const chunks: Uint8Array[] = [];
	let mebibytes = 0;
	try {
		const source = file === "-" ? process.stdin : createReadStream(file);
		for await (const chunk of source) {
			const bytes: Uint8Array = typeof chunk === "string" ? Buffer.from(chunk) : chunk;
			mebibytes += bytes.length / 2 ** 20;
			if (mebibytes > MAX_MEBIBYTES) throw new Error(`it has more than ${MAX_MEBIBYTES} MiB`);
			chunks.push(bytes);
		}
	} catch (error) {
		const name = file === "-" ? "standard input" : file;
		const reason = systemCodeOf(error) === "ENOENT" ? "there is no such file" : messageOf(error);
		throw usageError(`${name} can't be read: ${reason}`);
	}
	return Buffer.concat(chunks);
}

/** Reads text as {@link readInputFile} does. */
export async function readTextInput(file: string): Promise<string> {
	return (await readInputFile(file)).toString();
}
