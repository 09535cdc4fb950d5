import { once } from "node:events";
import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo, connect } from "node:net";
import type { Duplex } from "node:stream";

/** A proxy for networks that allow no other way out. */
export interface ForwardProxy extends AsyncDisposable {
	readonly port: number;
	/** The host and port of every requested tunnel, and the URL of every request without one. */
	readonly requested: readonly string[];
	/** `Proxy-Authorization` of the last one. */
	readonly authorization: string | undefined;
	/** Rejects the next tunnel with 407. */
	rejectNext(): void;
}

/**
 * Starts a proxy through which every name leads to one port of this machine.
 * @param rejection - the status with which it rejects every request, e.g. `"403 Forbidden"`.
 */
export async function startForwardProxy(port: number, rejection?: string): Promise<ForwardProxy> {
	const requested: string[] = [];
	const sockets = new Set<Duplex>();
	let authorization: string | undefined;
	let rejections = 0;

	const record = ({ url = "", headers }: IncomingMessage): void => {
		requested.push(url);
		authorization = headers["proxy-authorization"];
	};
	const openTunnel = (request: IncomingMessage, client: Duplex): void => {
		record(request);
		const status = rejections > 0 ? "407 Proxy Authentication Required" : rejection;
		if (status !== undefined) {
			rejections--;
			client.end(`HTTP/1.1 ${status}\r\nContent-Length: 0\r\n\r\n`);
			return;
		}
		const target = connect(port, "127.0.0.1");
		for (const socket of [client, target]) sockets.add(socket.on("error", () => target.destroy()));
		client.write("HTTP/1.1 200 Connection Established\r\n\r\n");
		client.pipe(target).pipe(client);
	};
	/** Some versions of Node request plain http without a tunnel. */
	const passOn = (request: IncomingMessage, response: ServerResponse): void => {
		record(request);
		if (rejection !== undefined) {
			response.writeHead(Number.parseInt(rejection, 10)).end();
			return;
		}
		const { method, headers } = request;
		const { pathname, search } = new URL(request.url ?? "");
		const onward = httpRequest({ port, host: "127.0.0.1", path: pathname + search, method, headers });
		onward.on("response", (incoming) =>
			incoming.pipe(response.writeHead(incoming.statusCode ?? 502, incoming.headers)),
		);
		request.pipe(onward);
	};

	const server = createServer(passOn).on("connect", openTunnel);
	server.listen(0, "127.0.0.1");
	await once(server, "listening");
	return {
		port: (server.address() as AddressInfo).port,
		requested,
		get authorization() {
			return authorization;
		},
		rejectNext() {
			rejections++;
		},
		async [Symbol.asyncDispose]() {
			for (const socket of sockets) socket.destroy();
			server.close();
			server.closeAllConnections();
			await once(server, "close");
		},
	};
}
