import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { MESSAGE, REQUEST_ID } from "../../support/wire.ts";

const BODY = JSON.stringify({
	ok: true,
	data: { message: MESSAGE },
	meta: { requestId: REQUEST_ID, timestamp: "2026-01-01T00:00:00.000Z" },
});

/** An accepted send, as bytes on the wire. @param lines - further header lines. */
export function accepted(...lines: readonly string[]): string {
	return response("202 Accepted", BODY, lines);
}

/** A response as bytes on the wire. */
export function response(status: string, body = "", lines: readonly string[] = []): string {
	const head = [`HTTP/1.1 ${status}`, `Content-Length: ${Buffer.byteLength(body)}`, ...lines];
	return `${head.join("\r\n")}\r\n\r\n${body}`;
}

/** A server of bytes. */
export interface RawServer extends AsyncDisposable {
	readonly url: string;
	/** Its connections, in the order in which they came. */
	readonly connections: readonly Socket[];
	/** How many requests had begun to arrive. */
	readonly requests: number;
}

/** Starts a server that answers the beginning of each request with bytes, or does something to its connection. */
export async function startRawServer(
	answer: string | ((connection: Socket, nth: number) => void),
): Promise<RawServer> {
	const connections: Socket[] = [];
	let requests = 0;
	const server = createServer((connection) => {
		connections.push(connection.on("error", () => undefined));
		connection.on("data", (bytes: Buffer) => {
			if (!/^(POST|GET) /.test(bytes.toString("latin1", 0, 5))) return;
			requests += 1;
			if (typeof answer === "string") connection.write(answer);
			else answer(connection, requests);
		});
	}).listen(0, "127.0.0.1");
	await once(server, "listening");
	return {
		url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
		connections,
		get requests() {
			return requests;
		},
		async [Symbol.asyncDispose]() {
			for (const connection of connections) connection.destroy();
			server.close();
			await once(server, "close");
		},
	};
}
