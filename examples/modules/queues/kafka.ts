/**
 * Webhooks through Kafka: pass `publish` to `enqueue`, await `start` before you listen, and run `consume` in a worker. It is compiled
 * against the client's types, and has not run against a server.
 *
 * The topic needs `min.insync.replicas=2` with three replicas: with fewer, `acks: -1` confirms what one machine has. The partition
 * waits while an event is tried again, since Kafka counts no attempts. If the dead letter cannot be written, `eachBatch` throws, and
 * the message is read again. To replay, read `webhooks-dead` and write to `webhooks`.
 */
import { Kafka } from "kafkajs";
import type { WebhookEvent } from "messaging-gateway/webhooks";
import { orderingKey, processOnce, retry, work } from "./process-once.ts";

const kafka = new Kafka({ clientId: "webhooks", brokers: [process.env.KAFKA_BROKER ?? "localhost:9092"] });
const producer = kafka.producer({ idempotent: true, maxInFlightRequests: 1 });

/** Awaited by the receiver before it listens, and by `consume`. */
export async function start(): Promise<void> {
	await producer.connect();
}

/** Resolves when every in-sync replica has the event. */
export async function publish(event: WebhookEvent): Promise<void> {
	const message = { key: orderingKey(event), value: JSON.stringify(event) };
	await producer.send({ topic: "webhooks", acks: -1, messages: [message] });
}

export async function consume(): Promise<void> {
	const consumer = kafka.consumer({ groupId: "webhooks" });
	await start(); // for the dead letters
	await consumer.connect();
	await consumer.subscribe({ topic: "webhooks", fromBeginning: true });
	await consumer.run({
		eachBatchAutoResolve: false,
		eachBatch: async ({ batch, resolveOffset, heartbeat, isRunning, isStale }) => {
			for (const { key, value, offset } of batch.messages) {
				if (!isRunning() || isStale()) return; // what is not resolved is read again
				try {
					await retry(() => processOnce(JSON.parse(String(value)), work), heartbeat);
				} catch {
					await producer.send({ topic: "webhooks-dead", acks: -1, messages: [{ key, value }] });
				}
				resolveOffset(offset);
				await heartbeat();
			}
		},
	});
}
