import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { createClients, recordResponseBody } from "../clients.ts";
import type { SpeedTable } from "../table.ts";

/** A call of a client over HTTP, to a server in its own process on this machine. */
export const table: SpeedTable = {
	title: "A client's call, over local HTTP",
	async *openCases(atEnd) {
		const body = await recordResponseBody();
		const server = fork(fileURLToPath(new URL("../fixed-server.ts", import.meta.url)));
		atEnd(() => {
			server.kill();
		});
		const port = await startServer(server, body);
		const fetch = (url: string, init?: RequestInit) => globalThis.fetch(url, init);
		const contenders = await createClients(`http://127.0.0.1:${port}`, fetch, body);
		yield { name: "1 in flight", contenders, isWaitCounted: true };
		yield { name: "16 in flight", contenders, isWaitCounted: true, concurrency: 16 };
	},
};

async function startServer(server: ChildProcess, body: string): Promise<number> {
	server.send(body);
	const [port] = await once(server, "message");
	return Number(port);
}
