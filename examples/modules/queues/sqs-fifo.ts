/**
 * Webhooks through SQS FIFO: pass `publish` to `enqueue`, and deploy `handler` as the consumer. It is compiled against the client's
 * types, and has not run against a server.
 *
 * After `maxReceiveCount` a message moves to the dead letter queue, which is FIFO too, and its group goes on. `StartMessageMoveTask`
 * puts it back, behind the later ones.
 */
import { SendMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import type { SQSBatchItemFailure, SQSBatchResponse, SQSEvent } from "aws-lambda";
import type { WebhookEvent } from "messaging-gateway/webhooks";
import { digest, orderingKey, processOnce, work } from "./process-once.ts";

const client = new SQSClient({});

/** Resolves when the queue has the event. */
export async function publish(event: WebhookEvent): Promise<void> {
	const command = new SendMessageCommand({
		QueueUrl: process.env.QUEUE_URL, // ends in .fifo
		MessageBody: JSON.stringify(event),
		MessageGroupId: orderingKey(event),
		MessageDeduplicationId: digest(event.eventId),
	});
	await client.send(command);
}

/** The consumer: a function with `ReportBatchItemFailures`. Messages that it does not name are deleted. */
export async function handler({ Records }: SQSEvent): Promise<SQSBatchResponse> {
	const failed = new Set<string | undefined>();
	const batchItemFailures: SQSBatchItemFailure[] = [];
	for (const { messageId, body, attributes } of Records) {
		const group = attributes.MessageGroupId;
		try {
			if (failed.has(group)) throw new Error("an earlier message of the conversation failed");
			await processOnce(JSON.parse(body), work);
		} catch {
			failed.add(group); // later messages of the group wait behind it
			batchItemFailures.push({ itemIdentifier: messageId });
		}
	}
	return { batchItemFailures };
}
