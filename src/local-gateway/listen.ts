import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createLocalGateway } from "./create-local-gateway.ts";
import type { LocalClientOptions, LocalGateway } from "./local-gateway.ts";
import type { LocalGatewayOptions } from "./options.ts";

/** Where to listen. */
export interface ListenOptions {
	/** @default a free one */
	port?: number | undefined;
	/** @default "127.0.0.1" */
	host?: string | undefined;
}

/** A local gateway behind a port. Close it, or use `await using`. */
export interface ListeningGateway extends AsyncDisposable {
	/** The address, with the path of the gateway's `baseUrl`. */
	readonly url: string;
	readonly port: number;
	/** The gateway behind it. */
	readonly local: LocalGateway;
	/** Options of a client that talks to it over HTTP. */
	readonly clientOptions: Omit<LocalClientOptions, "fetch">;
	/** Stops listening and breaks what is open; a gateway that `listen` created is disposed of as well. */
	close(): Promise<void>;
}

/**
 * Serves a local gateway over HTTP.
 *
 * @example
 * ```ts
 * await using server = await listen(createLocalGateway());
 * const gateway = new MessagingGateway(server.clientOptions);
 * ```
 * @param gateway a gateway, or the options of one that is then created and disposed of with the server.
 * @throws the system's error when the port is taken.
 */
export async function listen(
	gateway: LocalGateway | LocalGatewayOptions = {},
	{ port = 0, host = "127.0.0.1" }: ListenOptions = {},
): Promise<ListeningGateway> {
	const isOwn = !("handle" in gateway);
	const local = isOwn ? createLocalGateway(gateway) : gateway;
	const server = createServer();
	server.listen(port, host);
	await once(server, "listening");
	const address = server.address() as AddressInfo; // Never a pipe's name: it listens on a port.
	const origin = `http://${host.includes(":") ? `[${host}]` : host}:${address.port}`;
	server.on("request", (request, response) => void serve(local, origin, request, response));

	const url = origin + new URL(local.baseUrl).pathname.replace(/\/$/, "");
	const { fetch: _, ...options } = local.clientOptions;
	const close = async (): Promise<void> => {
		if (isOwn) await local[Symbol.asyncDispose]();
		await closeServer(server);
	};
	return {
		url,
		port: address.port,
		local,
		clientOptions: { ...options, baseUrl: url },
		close,
		[Symbol.asyncDispose]: close,
	};
}

async function serve(
	local: LocalGateway,
	origin: string,
	request: IncomingMessage,
	response: ServerResponse,
): Promise<void> {
	const url = origin + (request.url ?? "");
	if (!URL.canParse(url)) {
		response.writeHead(400).end();
		return;
	}
	try {
		const answer = await local.handle({
			method: request.method ?? "GET",
			url,
			headers: readHeaders(request),
			// Stopping early must not destroy the socket: the answer that says why goes over it.
			body: request.iterator({ destroyOnReturn: false }),
		});
		const body = new Uint8Array(await answer.arrayBuffer());
		if (!request.complete) response.shouldKeepAlive = false;
		response.writeHead(answer.status, Object.fromEntries(answer.headers));
		response.end(body);
	} catch {
		// A dropped connection is one that really breaks.
		request.socket.destroy();
	}
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
