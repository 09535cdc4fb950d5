/**
 * Runs a module of examples/modules/queues as its two programs. Arguments: the module, then `receive`, which listens on PORT and hands
 * each delivery to its `publish`, or `work`, which consumes until it is killed.
 */
import { createServer } from "node:http";
import { createWebhookHandler, memoryStore, type WebhookEvent } from "messaging-gateway/webhooks";
import { toNode } from "messaging-gateway/webhooks/node";

interface Queue {
	publish(event: WebhookEvent): Promise<void>;
	/** Some consume one of eight shards. */
	consume(shard: number): Promise<void>;
}

const [path = "", role] = process.argv.slice(2);
const { publish, consume }: Queue = await import(path);
if (role === "receive") {
	const webhooks = createWebhookHandler({ store: memoryStore(), enqueue: publish });
	createServer(toNode(webhooks)).listen(Number(process.env["PORT"]), "127.0.0.1", () => console.log("ready"));
} else {
	console.log("ready");
	const shards = consume.length === 0 ? [0] : Array.from({ length: 8 }, (_, shard) => shard);
	await Promise.all(shards.map((shard) => consume(shard)));
}
