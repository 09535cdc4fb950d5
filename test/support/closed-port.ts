import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";

/** An address that refuses connections until it is disposed of. */
export interface ClosedPort extends AsyncDisposable {
	readonly url: string;
}

/** Holds a port without listening on it, as the end of a connection, so that no other process can listen there. */
export async function holdClosedPort(): Promise<ClosedPort> {
	const server = createServer().listen(0, "127.0.0.1");
	await once(server, "listening");
	const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
	await once(socket, "connect");
	return {
		url: `http://127.0.0.1:${socket.localPort}`,
		async [Symbol.asyncDispose]() {
			socket.destroy();
			server.close();
			await once(server, "close");
		},
	};
}
