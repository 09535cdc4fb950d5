import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** A proxy of bytes that can lose a response. */
export interface ResettingProxy extends AsyncDisposable {
	readonly url: string;
	/** How many responses were lost. */
	readonly lost: number;
	/**
	 * Passes the next request of a method on, and resets the connection when its response arrives.
	 * @param where - `"reused"`: only over a connection with an earlier response.
	 */
	loseNext(method: string, where: "anywhere" | "reused"): void;
}

/** Starts a proxy of bytes in front of a port of this machine. */
export async function startResettingProxy(port: number): Promise<ResettingProxy> {
	const sockets = new Set<Socket>();
	let next: { readonly method: string; readonly where: "anywhere" | "reused" } | undefined;
	let lost = 0;

	const server = createServer((client) => {
		const target = connect(port, "127.0.0.1");
		let isReused = false;
		let isLosing = false;
		for (const socket of [client, target]) {
			sockets.add(socket.setNoDelay(true));
			socket.on("error", () => undefined);
			socket.on("close", () => {
				sockets.delete(socket);
				client.destroy();
				target.destroy();
			});
		}
		client.on("data", (bytes) => {
			const isNext = next !== undefined && bytes.toString("latin1").startsWith(`${next.method} `);
			if (isNext && (isReused || next?.where === "anywhere")) {
				next = undefined;
				isLosing = true;
			}
			target.write(bytes);
		});
		target.on("data", (bytes) => {
			if (isLosing) {
				lost += 1;
				client.resetAndDestroy();
				return;
			}
			isReused = true;
			client.write(bytes);
		});
	});
	server.listen(0, "127.0.0.1");
	await once(server, "listening");
	return {
		url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
		get lost() {
			return lost;
		},
		loseNext(method, where) {
			next = { method, where };
		},
		async [Symbol.asyncDispose]() {
			server.close();
			for (const socket of sockets) socket.destroy();
			await once(server, "close");
		},
	};
}
