/** A thread that claims events in a file which other threads claim from, and posts the numbers of those that it got. */
import { parentPort, workerData } from "node:worker_threads";
import { createClient } from "@libsql/client";
import { sqliteClientStore } from "messaging-gateway/stores/sqlite-client";

const { url, events }: { url: string; events: number } = workerData;
const client = createClient({ url, timeout: 30_000 });
const store = sqliteClientStore({ query: async (sql, args) => (await client.execute({ sql, args })).rows });

const claimed: number[] = [];
const times = { leaseMs: 600_000, retentionMs: 600_000 };
for (let event = 0; event < events; event++) {
	const binding = { digest: `${event}`, ttlMs: 600_000 };
	const { status } = await store.claim(`default:${crypto.randomUUID()}`, times, binding);
	if (status === "acquired") claimed.push(event);
}
client.close();
parentPort?.postMessage(claimed);
