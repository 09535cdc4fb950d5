import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Duplex } from "node:stream";
import { drain } from "../../library/webhooks/adapters/drain.ts";
import type { LocalGateway } from "./local-gateway.ts";
import type { Routes } from "./routes.ts";
import { respondToInvalidTarget, respondToUnparsable } from "./unparsable-request.ts";

/** Where and what to serve. */
export interface HttpServerOptions {
	/** 0 for a free one. */
	readonly port: number;
	readonly host: string;
	/** Tried before the gateway; their responses are streamed. */
	readonly routes?: Routes;
}

/** A gateway behind a port. */
export interface HttpServer {
	/** The address, without a path. */
	readonly origin: string;
	readonly port: number;
	/** Stops listening and closes open connections. */
	close(): Promise<void>;
}

/**
 * Serves a gateway over HTTP, after other routes if there are any.
 * @throws the system's error when the port is in use.
 */
export async function serveGateway(
	local: Pick<LocalGateway, "handle">,
	{ port, host, routes }: HttpServerOptions,
): Promise<HttpServer> {
	// The client closes idle connections: closing one here could break a request that is on its way.
	const server = createServer({ keepAliveTimeout: 0 });
	server.listen(port, host);
	await once(server, "listening");
	const address = server.address() as AddressInfo; // Never a pipe's name: it listens on a port.
	const origin = `http://${host.includes(":") ? `[${host}]` : host}:${address.port}`;
	const served = { local, routes, origin, usedSockets: new WeakSet<Socket>() };
	const responses = new WeakMap<Duplex, ServerResponse>();
	server.on("request", (request, response) => {
		responses.set(request.socket, response);
		void serve(served, request, response);
	});
	server.on("clientError", (error, socket) => respondToUnparsable(error, socket, responses.get(socket)));
	return { origin, port: address.port, close: () => closeServer(server) };
}

const NOTHING = new Uint8Array();

interface Served {
	readonly local: Pick<LocalGateway, "handle">;
	readonly routes: Routes | undefined;
	readonly origin: string;
	/** The connections that have carried a request. */
	readonly usedSockets: WeakSet<Socket>;
}

async function serve(served: Served, request: IncomingMessage, response: ServerResponse): Promise<void> {
	const url = served.origin + (request.url ?? "");
	if (!URL.canParse(url)) {
		respondToInvalidTarget(response);
		return;
	}
	try {
		const routed = await tryRoutes(served.routes, request, url);
		if (routed === undefined) await respondAsGateway(served, url, request, response);
		else await stream(routed, response);
	} catch {
		// A dropped connection breaks on the network, too.
		request.socket.destroy();
	}
}

/** Routes handle Fetch API requests, which cannot have a forbidden method. */
async function tryRoutes(
	routes: Routes | undefined,
	request: IncomingMessage,
	url: string,
): Promise<Response | undefined> {
	if (routes === undefined || FORBIDDEN_METHODS.has(request.method ?? "")) return undefined;
	return routes(toFetchRequest(request, url));
}

/** See https://fetch.spec.whatwg.org/#forbidden-method */
const FORBIDDEN_METHODS = new Set(["CONNECT", "TRACE", "TRACK"]);

async function respondAsGateway(
	{ local, usedSockets }: Served,
	url: string,
	request: IncomingMessage,
	response: ServerResponse,
): Promise<void> {
	const isConnectionReused = usedSockets.has(request.socket);
	usedSockets.add(request.socket);
	const handled = await local.handle({
		method: request.method ?? "GET",
		url,
		headers: readHeaders(request),
		body: readBody(request),
		isConnectionReused,
	});
	const body = new Uint8Array(await handled.arrayBuffer());
	if (!request.complete) {
		response.shouldKeepAlive = false;
		response.setHeader("Content-Length", body.length);
	}
	response.writeHead(handled.status, Object.fromEntries(handled.headers));
	await end(response, body);
}

/** A sender that is still writing receives the response before its connection is closed. */
async function end(response: ServerResponse, body: Uint8Array): Promise<void> {
	if (response.req.complete) {
		response.end(body);
		return;
	}
	response.write(body);
	await drain(response.req);
	response.end();
}

/** Streams a response until it ends or its reader disconnects. */
async function stream({ status, headers, body }: Response, response: ServerResponse): Promise<void> {
	if (!response.req.complete) response.shouldKeepAlive = false;
	response.writeHead(status, Object.fromEntries(headers));
	if (body === null) {
		await end(response, NOTHING);
		return;
	}
	response.flushHeaders();
	const reader = body.getReader();
	// The stream may fail while its slow reader is awaited below.
	reader.closed.catch(() => response.destroy());
	const cancel = (): Promise<void> => reader.cancel().catch(() => undefined);
	response.once("close", cancel);
	if (response.closed) await cancel();
	for (let read = await reader.read(); !read.done; read = await reader.read()) {
		if (!response.write(read.value)) await untilWritable(response);
	}
	await end(response, NOTHING);
}

function untilWritable(response: ServerResponse): Promise<void> {
	return new Promise((resolve) => {
		const goOn = (): void => {
			response.off("drain", goOn);
			response.off("close", goOn);
			resolve();
		};
		response.on("drain", goOn);
		response.on("close", goOn);
	});
}

/** The request for routes; its body is read only when they read it. */
function toFetchRequest(request: IncomingMessage, url: string): Request {
	const { method = "GET" } = request;
	const hasBody = method !== "GET" && method !== "HEAD";
	return new Request(url, {
		method,
		headers: readHeaders(request),
		...(hasBody ? { body: lazyStream(request), duplex: "half" } : {}),
	});
}

function lazyStream(request: IncomingMessage): ReadableStream<Uint8Array> {
	let chunks: AsyncIterator<Uint8Array> | undefined;
	return new ReadableStream<Uint8Array>(
		{
			async pull(controller) {
				chunks ??= readBody(request)[Symbol.asyncIterator]();
				const { done, value } = await chunks.next();
				if (done) controller.close();
				else controller.enqueue(value);
			},
			async cancel() {
				await chunks?.return?.();
			},
		},
		{ highWaterMark: 0 },
	);
}

/** Stopping early must not destroy the socket, which still carries the error response. */
function readBody(request: IncomingMessage): AsyncIterable<Uint8Array> {
	return request.iterator({ destroyOnReturn: false });
}

function readHeaders(request: IncomingMessage): Headers {
	const headers = new Headers();
	for (const [name, values] of Object.entries(request.headersDistinct)) {
		for (const value of values ?? []) headers.append(name, value);
	}
	return headers;
}

async function closeServer(server: Server): Promise<void> {
	if (!server.listening) return;
	const closed = once(server, "close");
	server.close();
	server.closeAllConnections();
	await closed;
}
