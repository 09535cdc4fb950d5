import { viewBytes } from "../../signing/bytes.ts";
import type { HeadersInput } from "../headers.ts";
import { readField } from "../read-body.ts";
import { hasMethod } from "../wrong-host.ts";

/** The part of a Node stream that the adapters use, for a body that is still arriving. */
export interface NodeStream {
	/** Whether any of it was read. */
	readonly readableDidRead: boolean;
	/** Whether its end was read. */
	readonly readableEnded: boolean;
	iterator(options: { destroyOnReturn: boolean }): AsyncIterable<unknown>;
}

/** The part of a `node:http` request that the adapters use, also from frameworks built on it. */
export interface NodeRequest extends NodeStream {
	readonly method?: string | undefined;
	readonly url?: string | undefined;
	/** The whole URL. A router that is mounted below a path takes that off `url`. */
	readonly originalUrl?: string | undefined;
	readonly headers: Exclude<HeadersInput, Headers>;
	/** Whether the whole request has arrived. */
	readonly complete: boolean;
	/** The parsed body. */
	readonly body?: unknown;
	/** The raw body, if the platform or a parser kept it. */
	readonly rawBody?: unknown;
}

/**
 * The raw body of a request: the bytes that the platform or a parser kept, else the unread stream. If there is neither,
 * the parsed body, which is rejected with the framework's hint, or what its getter throws.
 */
export function chooseRawBody(request: NodeRequest): unknown {
	const rawBody = readField(() => request.rawBody);
	if (isRaw(rawBody)) return rawBody;
	const body = readField(() => request.body);
	if (isRaw(body)) return body;
	return unreadBody(request) ?? request.body;
}

/** The stream if it is unread, else `null`: a stream that was read would hang, or lack its beginning. */
export function unreadBody(stream: NodeStream): AsyncIterable<unknown> | null {
	// A request that was made for a test may be no stream.
	if (stream.readableDidRead || stream.readableEnded || !hasMethod(stream, "iterator")) return null;
	// A destroyed request of Node has no socket, and loggers read the sender of a rejected request from it.
	return stream.iterator({ destroyOnReturn: false });
}

function isRaw(body: unknown): boolean {
	return typeof body === "string" || viewBytes(body) !== undefined;
}
