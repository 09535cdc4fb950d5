import { Buffer } from "node:buffer";
import { readFile } from "node:fs/promises";
import process from "node:process";
import { buffer } from "node:stream/consumers";
import { misused } from "./failure.ts";

/** A request or a delivery as it stands in a file: start line, headers, an empty line, and the raw body. */
export interface HttpMessage {
	/** Of the start line; absent where the file begins with the headers. */
	readonly method?: string;
	/** The request target of the start line. */
	readonly url?: string;
	readonly headers: Headers;
	/** The bytes after the empty line, as they are. */
	readonly body: Uint8Array;
}

/** Reads a file's bytes; `-` is standard input. */
export async function readBytes(file: string): Promise<Uint8Array> {
	try {
		return file === "-" ? await buffer(process.stdin) : await readFile(file);
	} catch (error) {
		throw misused(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
	}
}

/** Parses a message. Line ends may be CRLF or LF; the body is never touched. */
export function parseHttpMessage(bytes: Uint8Array): HttpMessage {
	const { head, bodyAt } = splitHead(bytes);
	const lines = head.split(/\r?\n/).filter((line) => line !== "");
	const start = /^([A-Za-z]+) (\/\S*|https?:\S+)( HTTP\/[\d.]+)?$/.exec(lines[0] ?? "");
	const headers = new Headers();
	for (const line of start === null ? lines : lines.slice(1)) addHeader(headers, line);
	const [, method, url] = start ?? [];
	const body = bytes.subarray(bodyAt);
	return method === undefined || url === undefined ? { headers, body } : { method, url, headers, body };
}

function splitHead(bytes: Uint8Array): { head: string; bodyAt: number } {
	// One character for each byte, so that positions are those of the bytes.
	const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1");
	const end = /\r?\n\r?\n/.exec(text);
	if (end === null) return { head: text, bodyAt: bytes.length };
	return { head: text.slice(0, end.index), bodyAt: end.index + end[0].length };
}

function addHeader(headers: Headers, line: string): void {
	const [name = "", value] = splitOnce(line, ":");
	try {
		if (value === undefined) throw new TypeError("it has no colon");
		headers.append(name.trim(), value.trim());
	} catch {
		throw misused(
			`this is no header: ${name.slice(0, 40)}`,
			"Give the message as it went over the wire: headers, an empty line, then the raw body.",
		);
	}
}

function splitOnce(text: string, separator: string): [string, string?] {
	const at = text.indexOf(separator);
	return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}
