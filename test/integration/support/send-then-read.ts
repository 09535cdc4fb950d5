import { once } from "node:events";
import { connect } from "node:net";

/** More than any of our servers accepts, and than both ends can buffer. */
const BODY_BYTES = 24 * 1024 * 1024;

/** Sends a request like blocking clients: reads nothing before all of it is written. @returns the status. */
export async function sendThenRead(url: string, headers: Iterable<[string, string]> = []): Promise<number> {
	const { hostname, port, pathname } = new URL(url);
	const socket = connect(Number(port), hostname).setEncoding("utf8").pause();
	const lines = [`POST ${pathname} HTTP/1.1`, `Host: ${hostname}`, `Content-Length: ${BODY_BYTES}`];
	for (const [name, value] of headers) lines.push(`${name}: ${value}`);
	await once(socket, "connect");
	const broken = once(socket, "error").then(([error]) => Promise.reject(error));
	broken.catch(() => undefined);
	const written = new Promise<void>((resolve) => {
		socket.write(`${lines.join("\r\n")}\r\n\r\n`);
		socket.write(Buffer.alloc(BODY_BYTES), () => resolve());
	});
	await Promise.race([written, broken]);
	const received = socket.toArray();
	const response = (await Promise.race([received, broken])).join("");
	return Number(/^HTTP\/1\.1 (\d{3}) /.exec(response)?.[1]);
}
