import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";

/** A server on a free port of this machine. */
export interface RunningServer extends AsyncDisposable {
	readonly url: string;
}

/** Serves a listener of `node:http`, such as an Express app, until it is disposed of. */
export async function serve(listener: RequestListener): Promise<RunningServer> {
	// The client closes idle connections: if the server did, a request could already be on its way.
	const server = createServer({ keepAliveTimeout: 0 }, listener);
	server.listen(0, "127.0.0.1");
	await once(server, "listening");
	const { port } = server.address() as AddressInfo;
	return {
		url: `http://127.0.0.1:${port}`,
		async [Symbol.asyncDispose]() {
			server.closeAllConnections();
			server.close();
			await once(server, "close");
		},
	};
}
