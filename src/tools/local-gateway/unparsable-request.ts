import { type ServerResponse, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { randomUuid, systemClock } from "../../library/runtime.ts";
import { utf8 } from "../../library/signing/bytes.ts";
import { RequestRejection } from "./request-rejection.ts";
import { wrapRejection } from "./responses.ts";

/** Responds to a request whose target is not a path. */
export function respondToInvalidTarget(response: ServerResponse): void {
	const { headers, body } = problemOf("The request target must be a path, such as /health.");
	response.writeHead(400, headers).end(body);
}

/** The status that Node itself would respond with, by the code of its parse error; 400 for all others. */
const STATUSES = new Map<unknown, number>([
	["ERR_HTTP_REQUEST_TIMEOUT", 408],
	["HPE_CHUNK_EXTENSIONS_OVERFLOW", 413],
	["HPE_HEADER_OVERFLOW", 431],
]);

/**
 * Responds on the connection of a request that Node cannot parse, and closes it.
 * @param current - the connection's last response: while it is being written, no other may be.
 */
export function respondToUnparsable(
	error: NodeJS.ErrnoException,
	socket: Duplex,
	current: ServerResponse | undefined,
): void {
	const isInterrupting = current?.headersSent === true && !current.writableFinished;
	if (!socket.writable || isInterrupting) {
		socket.destroy();
		return;
	}
	const status = STATUSES.get(error.code) ?? 400;
	const { headers, body } = problemOf(`The request can't be parsed (${error.code ?? "no code"}).`);
	const lines = Object.entries({ ...headers, Connection: "close" }).map(
		([name, value]) => `${name}: ${value}\r\n`,
	);
	socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("")}\r\n${body}`);
}

function problemOf(message: string): { headers: Readonly<Record<string, string>>; body: string } {
	const requestId = randomUuid();
	const rejection = new RequestRejection("VALIDATION_ERROR", message);
	const envelope = wrapRejection(rejection, { requestId, now: systemClock.now() });
	const body = JSON.stringify(envelope.body);
	const headers = {
		"Content-Type": "application/json",
		"Content-Length": String(utf8(body).length),
		"X-Request-Id": requestId,
	};
	return { headers, body };
}
