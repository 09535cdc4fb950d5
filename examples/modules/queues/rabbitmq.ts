/**
 * Webhooks through RabbitMQ 3.10 or later: pass `publish` to `enqueue`, and run `consume` in a worker. A quorum queue for each shard
 * keeps the order of a conversation until a message is delivered again, after a `nack` or a worker's death: those behind it overtake
 * it. So a failure is tried five times before the `nack`. If that order matters to you, use pg-boss or NATS.
 *
 * Bind a queue to the exchange `webhooks-dead` before you start: a dead letter without one stays in its queue. To replay, move its
 * messages with the shovel plugin.
 */
import { connect } from "amqplib";
import type { WebhookEvent } from "messaging-gateway/webhooks";
import { processOnce, retry, shardOf, work } from "./process-once.ts";

const SHARDS = 8;
const connection = await connect(process.env.AMQP_URL ?? "amqp://localhost");
connection.on("error", (error: Error) => console.error(error.message));
const publisher = await connection.createConfirmChannel();
const returned = new Set<string>();
publisher.on("return", ({ properties }) => returned.add(String(properties.messageId)));
for (let shard = 0; shard < SHARDS; shard++) {
	await publisher.assertQueue(`webhooks-${shard}`, {
		durable: true,
		arguments: {
			"x-queue-type": "quorum",
			"x-single-active-consumer": true, // the others take over when its connection ends
			"x-delivery-limit": 20,
			"x-dead-letter-exchange": "webhooks-dead",
			"x-dead-letter-strategy": "at-least-once", // the default may lose a dead letter
			"x-overflow": "reject-publish",
		},
	});
}

/** Resolves when a majority of the queue's replicas has the event. */
export function publish(event: WebhookEvent): Promise<void> {
	const body = Buffer.from(JSON.stringify(event));
	const options = { persistent: true, mandatory: true, messageId: event.eventId };
	return new Promise((resolve, reject) => {
		publisher.sendToQueue(`webhooks-${shardOf(event, SHARDS)}`, body, options, (error) => {
			// A message that reached no queue is returned, and then confirmed.
			if (error || returned.delete(event.eventId)) reject(error ?? new Error("there is no such queue"));
			else resolve();
		});
	});
}

export async function consume(): Promise<void> {
	for (let shard = 0; shard < SHARDS; shard++) {
		const channel = await connection.createChannel();
		await channel.prefetch(1);
		await channel.consume(`webhooks-${shard}`, async (message) => {
			if (message === null) return;
			try {
				await retry(() => processOnce(JSON.parse(message.content.toString()), work));
				channel.ack(message);
			} catch {
				channel.nack(message); // back into the queue, at once, up to the delivery limit
			}
		});
	}
}
