import { Buffer } from "node:buffer";
import { Transform, type TransformCallback } from "node:stream";
import {
	INVALID_REQUEST,
	isJSONRPCNotification,
	isJSONRPCRequest,
	isJSONRPCResponse,
	PARSE_ERROR,
} from "@modelcontextprotocol/server";
import { isJsonObject } from "../../../library/is-object.ts";

/** The longest line that is read, in bytes. */
const MAX_LINE_BYTES = 10 * 1024 * 1024 - 1;

const LINE_FEED = 0x0a;

/** The client sent a line that is too long to be read. */
export class LineTooLongError extends Error {
	override readonly name = "LineTooLongError";
}

/**
 * Passes lines on that are messages of JSON-RPC 2.0, and responds to the others with the errors of its section 5.1: the
 * server's own transport drops them without a word.
 * @param respond - writes a line to the client.
 * @throws LineTooLongError, as the stream's error.
 */
export function messageLines(respond: (line: string) => void): Transform {
	let held: Buffer[] = [];
	let heldBytes = 0;

	function isMessage(line: string): boolean {
		if (line.trim() === "") return false;
		const rejection = findRejection(line);
		if (rejection !== undefined) respond(JSON.stringify({ jsonrpc: "2.0", ...rejection }));
		return rejection === undefined;
	}

	return new Transform({
		transform(chunk: Buffer, _encoding, done: TransformCallback) {
			let rest = chunk;
			for (let end = rest.indexOf(LINE_FEED); end >= 0; end = rest.indexOf(LINE_FEED)) {
				// As it came: what is decoded and encoded again may be longer than the transport reads.
				const line = Buffer.concat([...held, rest.subarray(0, end + 1)]);
				if (isMessage(line.toString())) this.push(line);
				held = [];
				heldBytes = 0;
				rest = rest.subarray(end + 1);
			}
			held.push(rest);
			heldBytes += rest.length;
			const isTooLong = heldBytes > MAX_LINE_BYTES;
			done(
				isTooLong
					? new LineTooLongError(`the client sent a message of more than ${MAX_LINE_BYTES} bytes`)
					: null,
			);
		},
	});
}

/** Why a line is no message of JSON-RPC; `undefined` if it is one. */
function findRejection(line: string) {
	let message: unknown;
	try {
		message = JSON.parse(line);
	} catch {
		return { id: null, error: { code: PARSE_ERROR, message: "Parse error: the line isn't JSON" } };
	}
	if (isJSONRPCRequest(message) || isJSONRPCNotification(message) || isJSONRPCResponse(message))
		return undefined;
	const id = isJsonObject(message) ? message["id"] : undefined;
	return {
		id: typeof id === "string" || typeof id === "number" ? id : null,
		error: { code: INVALID_REQUEST, message: "Invalid Request: the line is no message of JSON-RPC 2.0" },
	};
}
