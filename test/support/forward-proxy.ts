import { once } from "node:events";
import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo, connect } from "node:net";
import type { Duplex } from "node:stream";

/** A proxy as networks have one that let nothing else out. */
export interface ForwardProxy extends AsyncDisposable {
	readonly port: number;
	/** The host and port of every tunnel, and the URL of every request without one, that was asked for. */
	readonly asked: readonly string[];
	/** `Proxy-Authorization` of the last one. */
	readonly authorization: string | undefined;
	/** Refuses the next tunnel with 407. */
	refuse(): void;
}

/** Starts a proxy through which every name leads to one port of this machine. */
export async function startForwardProxy(port: number): Promise<ForwardProxy> {
	const asked: string[] = [];
	const sockets = new Set<Duplex>();
	let authorization: string | undefined;
	let refusals = 0;

	const note = ({ url = "", headers }: IncomingMessage): void => {
		asked.push(url);
		authorization = headers["proxy-authorization"];
	};
	const openTunnel = (request: IncomingMessage, client: Duplex): void => {
		note(request);
		if (refusals > 0) {
			refusals--;
			client.end("HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n");
			return;
		}
		const target = connect(port, "127.0.0.1");
		for (const socket of [client, target]) sockets.add(socket.on("error", () => target.destroy()));
		client.write("HTTP/1.1 200 Connection Established\r\n\r\n");
		client.pipe(target).pipe(client);
	};
	/** Some versions of Node ask for plain http without a tunnel. */
	const passOn = (request: IncomingMessage, response: ServerResponse): void => {
		note(request);
		const { method, headers } = request;
		const { pathname, search } = new URL(request.url ?? "");
		const onward = httpRequest({ port, host: "127.0.0.1", path: pathname + search, method, headers });
		onward.on("response", (answer) =>
			answer.pipe(response.writeHead(answer.statusCode ?? 502, answer.headers)),
		);
		request.pipe(onward);
	};

	const server = createServer(passOn).on("connect", openTunnel);
	server.listen(0, "127.0.0.1");
	await once(server, "listening");
	return {
		port: (server.address() as AddressInfo).port,
		asked,
		get authorization() {
			return authorization;
		},
		refuse() {
			refusals++;
		},
		async [Symbol.asyncDispose]() {
			for (const socket of sockets) socket.destroy();
			server.close();
			server.closeAllConnections();
			await once(server, "close");
		},
	};
}
