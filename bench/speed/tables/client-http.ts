import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { createClients, recordAnswer } from "../clients.ts";
import type { SpeedTable } from "../table.ts";

/** A call of a client over HTTP, to a server of this machine in a process of its own. */
export const table: SpeedTable = {
	title: "A client's call, over local HTTP",
	async *openCases(atEnd) {
		const answer = await recordAnswer();
		const server = fork(fileURLToPath(new URL("../answering-server.ts", import.meta.url)));
		atEnd(() => {
			server.kill();
		});
		const port = await startAnswering(server, answer);
		const fetch = (url: string, init?: RequestInit) => globalThis.fetch(url, init);
		const contenders = await createClients(`http://127.0.0.1:${port}`, fetch, answer);
		yield { name: "1 in flight", contenders, isWaitCounted: true };
		yield { name: "16 in flight", contenders, isWaitCounted: true, concurrency: 16 };
	},
};

async function startAnswering(server: ChildProcess, answer: string): Promise<number> {
	server.send(answer);
	const [port] = await once(server, "message");
	return Number(port);
}
