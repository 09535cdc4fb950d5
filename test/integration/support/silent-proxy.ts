import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** A proxy whose connections can die without a sign, as behind a firewall that forgets them. */
export interface SilentProxy extends AsyncDisposable {
	/** The URL of the server behind it, through it. */
	readonly url: string;
	/** From now on nothing passes over the connections that are open; new ones work. */
	silence(): void;
}

/** Starts a proxy in front of the server of a URL. */
export async function startSilentProxy(target: string): Promise<SilentProxy> {
	const { hostname, port } = new URL(target);
	const sockets = new Set<Socket>();
	const server = createServer((near) => {
		const far = connect(Number(port), hostname);
		for (const [from, to] of [
			[near, far],
			[far, near],
		] as const) {
			sockets.add(from);
			from.on("error", () => to.destroy()).on("close", () => to.destroy());
			from.pipe(to);
		}
	}).listen(0, "127.0.0.1");
	await once(server, "listening");
	const url = new URL(target);
	url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
	return {
		url: url.href,
		silence() {
			for (const socket of sockets) socket.unpipe().resume();
		},
		async [Symbol.asyncDispose]() {
			for (const socket of sockets) socket.destroy();
			server.close();
			await once(server, "close");
		},
	};
}
