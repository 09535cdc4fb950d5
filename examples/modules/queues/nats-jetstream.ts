/**
 * Webhooks through NATS JetStream 2.9 or later: pass `publish` to `enqueue`, and run `consume` for each shard. One message of a shard
 * is under way at a time, in all processes together, so each conversation keeps its order.
 *
 * After `max_deliver` attempts a message is no longer delivered, and its shard goes on. It stays in the stream: read it with
 * `manager.streams.getMessage`, publish it again, and delete it. The server announces each such message on
 * `$JS.EVENT.ADVISORY.CONSUMER.MAX_DELIVERIES.>`.
 */
import { AckPolicy, jetstream, jetstreamManager, RetentionPolicy } from "@nats-io/jetstream";
import { connect, nanos } from "@nats-io/transport-node";
import type { WebhookEvent } from "messaging-gateway/webhooks";
import { processOnce, shardOf, work } from "./process-once.ts";

const SHARDS = 8;
const connection = await connect({ servers: (process.env.NATS_URL ?? "localhost:4222").split(",") });
const manager = await jetstreamManager(connection);
await manager.streams.add({
	name: "webhooks",
	subjects: ["webhooks.*"],
	retention: RetentionPolicy.Workqueue,
	num_replicas: 3,
});
const client = jetstream(connection);

/** Resolves when the stream has the event. */
export async function publish(event: WebhookEvent): Promise<void> {
	const subject = `webhooks.${shardOf(event, SHARDS)}`;
	await client.publish(subject, JSON.stringify(event), { msgID: event.eventId });
}

export async function consume(shard: number): Promise<void> {
	const durable = `worker-${shard}`;
	await manager.consumers.add("webhooks", {
		durable_name: durable,
		filter_subject: `webhooks.${shard}`,
		ack_policy: AckPolicy.Explicit,
		ack_wait: nanos(60_000), // then it is delivered again: longer than the work takes
		max_ack_pending: 1, // in all processes together
		max_deliver: 20,
	});
	const consumer = await client.consumers.get("webhooks", durable);
	for await (const message of await consumer.consume({ max_messages: 1 })) {
		try {
			await processOnce(message.json(), work);
			await message.ackAck(); // resolves when the server has noted it
		} catch {
			message.nak(5_000); // later ones of the shard wait, too
		}
	}
}
