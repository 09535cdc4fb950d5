import { setTimeout as sleep } from "node:timers/promises";
import { WAIT_MS } from "../../../support/patience.ts";
import { callRedis, startRedis } from "../../../support/servers/redis-server.ts";

/** The slots of each master: all 16,384 together. */
const SLOTS = ["0 5460", "5461 10922", "10923 16383"];

/** A Redis cluster of three masters. */
export interface RedisCluster extends AsyncDisposable {
	readonly nodes: readonly { host: string; port: number }[];
}

/** Starts a cluster with an empty folder for each node, and waits until every node reports that it works. */
export async function startRedisCluster(): Promise<RedisCluster> {
	await using started = new AsyncDisposableStack();
	const ports: number[] = [];
	for (const slots of SLOTS) {
		const { port } = started.use(await startRedis({ clustered: true }));
		await execute(port, `CLUSTER ADDSLOTSRANGE ${slots}`);
		// Every two of them meet: hearing of a third one takes `redis-cli --cluster create` up to five seconds longer.
		for (const other of ports) {
			await execute(port, `CLUSTER MEET 127.0.0.1 ${other}`);
			await execute(other, `CLUSTER MEET 127.0.0.1 ${port}`);
		}
		ports.push(port);
	}
	await Promise.all(ports.map(waitUntilItWorks));
	const servers = started.move();
	return {
		nodes: ports.map((port) => ({ host: "127.0.0.1", port })),
		[Symbol.asyncDispose]: () => servers.disposeAsync(),
	};
}

async function execute(port: number, command: string): Promise<void> {
	const reply = await callRedis(port, command);
	if (!reply.startsWith("+OK")) throw new Error(`${command}: ${reply}`);
}

async function waitUntilItWorks(port: number): Promise<void> {
	const deadline = Date.now() + WAIT_MS;
	let info = "";
	while (!info.includes("cluster_state:ok")) {
		if (Date.now() > deadline) throw new Error(`the cluster does not work: ${info}`);
		await sleep(20);
		info = await callRedis(port, "CLUSTER INFO");
	}
}
