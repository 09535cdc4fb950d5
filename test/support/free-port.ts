import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";

/** A node of a Redis cluster also listens this far above its port. */
const BUS_OFFSET = 10_000;

/**
 * A port of 127.0.0.1 that is free, and so is its bus port. Both are below those that the system gives to outgoing connections, so
 * that nobody takes the port of a server that is down for a moment, not even a client that tries to reach it.
 */
export async function findFreePort(): Promise<number> {
	// `fetch` refuses a few ports up to 10080.
	const port = randomInt(11_000, 20_000);
	return (await isFree(port)) && (await isFree(port + BUS_OFFSET)) ? port : findFreePort();
}

async function isFree(port: number): Promise<boolean> {
	const server = createServer().listen(port, "127.0.0.1");
	try {
		await once(server, "listening");
	} catch {
		return false;
	}
	server.close();
	await once(server, "close");
	return true;
}
