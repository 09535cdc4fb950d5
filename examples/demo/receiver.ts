import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { verifyWebhook, type WebhookEvent, WebhookVerificationError } from "messaging-gateway/webhooks";

/** A server of an application that receives webhooks: verifies each over its raw bytes, and keeps the events. */
export async function startReceiver(secret: string) {
	/** By event id, because a repeated event has a known one. */
	const events = new Map<string, WebhookEvent>();
	const server = createServer(async (request, response) => {
		try {
			const event = verifyWebhook({ body: await readRawBody(request), headers: request.headers }, { secret });
			events.set(event.eventId, event);
			response.writeHead(200).end();
		} catch (error) {
			const isRejected = error instanceof WebhookVerificationError;
			response.writeHead(isRejected ? error.status : 500).end(isRejected ? error.code : "failed");
		}
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	const { port } = server.address() as AddressInfo;
	return {
		url: `http://127.0.0.1:${port}/webhooks`,
		events,
		close: () => new Promise((resolve) => server.close(resolve)),
	};
}

async function readRawBody(request: IncomingMessage): Promise<Uint8Array> {
	const chunks: Uint8Array[] = [];
	for await (const chunk of request) chunks.push(chunk);
	return Buffer.concat(chunks);
}
