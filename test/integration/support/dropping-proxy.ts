import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";

/** A proxy that can lose a response, and with it the connection. */
export interface DroppingProxy extends AsyncDisposable {
	/** The URL of the server behind it, through it. */
	readonly url: string;
	/** How many responses it has lost. */
	readonly dropped: number;
	/** Loses the next response of the server, or one of those after it: the request had its effect. */
	dropNext(nth?: number): void;
}

/** Starts a proxy in front of the server of a URL. */
export async function startDroppingProxy(target: string): Promise<DroppingProxy> {
	const { hostname, port } = new URL(target);
	/** How many responses there are up to the one that is lost; 0 if none is. */
	let left = 0;
	let dropped = 0;
	const server = createServer((near) => {
		const far = connect(Number(port), hostname);
		near.on("error", () => far.destroy()).on("close", () => far.destroy());
		far.on("error", () => near.destroy()).on("close", () => near.destroy());
		near.pipe(far);
		far.on("data", (chunk) => {
			if (left === 0 || --left > 0) return near.write(chunk);
			dropped++;
			return near.destroy();
		});
	}).listen(0, "127.0.0.1");
	await once(server, "listening");
	const url = new URL(target);
	url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
	return {
		url: url.href,
		get dropped() {
			return dropped;
		},
		dropNext(nth = 1) {
			left = nth;
		},
		async [Symbol.asyncDispose]() {
			server.close();
		},
	};
}
