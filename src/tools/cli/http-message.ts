import { Buffer } from "node:buffer";
import { usageError } from "./failure.ts";

/** A request or a webhook in a file: start line, headers, an empty line, and the raw body. */
export interface HttpMessage {
	/** The method of the start line; absent if the file begins with the headers. */
	readonly method?: string;
	/** The request target of the start line. */
	readonly url?: string;
	readonly headers: Headers;
	/** The bytes after the empty line, unchanged. */
	readonly body: Uint8Array;
}

/** Parses a message. Line ends may be CRLF or LF; the body is not changed. */
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
	// Latin-1 has one character per byte, so string positions are byte positions.
	const content = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1");
	const end = /\r?\n\r?\n/.exec(content);
	if (end === null) return { head: content, bodyAt: bytes.length };
	return { head: content.slice(0, end.index), bodyAt: end.index + end[0].length };
}

function addHeader(headers: Headers, line: string): void {
	const [, name = line, value] = /^([^:]*):(.*)$/s.exec(line) ?? [];
	try {
		if (value === undefined) throw new TypeError("missing colon");
		headers.append(name.trim(), value.trim());
	} catch {
		throw usageError(
			`invalid header line: ${name.slice(0, 40)}`,
			"Give the message as sent over the network: headers, an empty line, then the raw body.",
		);
	}
}
