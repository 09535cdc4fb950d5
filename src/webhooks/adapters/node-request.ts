import { viewBytes } from "../../signing/bytes.ts";
import type { HeadersInput } from "../headers.ts";

/** A body that is still on its way, as streams of Node are. */
export interface NodeStream {
	/** Whether somebody read of it. */
	readonly readableDidRead: boolean;
	/** Whether its end was read. */
	readonly readableEnded: boolean;
	iterator(options: { destroyOnReturn: boolean }): AsyncIterable<unknown>;
}

/** What is needed of a request of `node:http`, and of the frameworks that are built on it. */
export interface NodeRequest extends NodeStream {
	readonly method?: string | undefined;
	readonly headers: Exclude<HeadersInput, Headers>;
	/** Whether all of it has arrived. */
	readonly complete: boolean;
	/** What a parser made of the body. */
	readonly body?: unknown;
	/** The raw body, where the platform or a parser kept it. */
	readonly rawBody?: unknown;
}

/**
 * The raw body of a request: the bytes that somebody kept, else the unread stream. Where there is neither, what
 * a parser left is handed on, to be refused with the framework's hint.
 */
export function chooseRawBody(request: NodeRequest): unknown {
	const { rawBody, body } = request;
	if (isRaw(rawBody)) return rawBody;
	if (isRaw(body)) return body;
	return unreadBody(request) ?? body;
}

/** The stream where it is unread, else `null`: a stream that was read would hang, or lack its beginning. */
export function unreadBody(stream: NodeStream): AsyncIterable<unknown> | null {
	if (stream.readableDidRead || stream.readableEnded) return null;
	// Node takes the socket from a request that is destroyed, and loggers ask it who sent what was refused.
	return stream.iterator({ destroyOnReturn: false });
}

function isRaw(body: unknown): boolean {
	return typeof body === "string" || viewBytes(body) !== undefined;
}
