import { createWebhookHandler, memoryStore, type WebhookEvent } from "messaging-gateway/webhooks";
import { CaptureError, captureFailures, readCapture } from "messaging-gateway/webhooks/capture";

const files = new Map<string, Uint8Array>();
const captures = captureFailures({ key: new Uint8Array(32), write: (name, file) => files.set(name, file) });

export const webhooks = createWebhookHandler({
	store: memoryStore(),
	on: { unknown: () => undefined },
	hooks: captures.hooks,
});

export async function bodyOf(file: Uint8Array): Promise<Uint8Array | string | undefined> {
	try {
		const capture = await readCapture(file, new Uint8Array(32));
		return capture.type === "failure" ? capture.body : capture.code;
	} catch (error) {
		if (error instanceof CaptureError) return error.code;
		throw error;
	}
}

export function keep(event: WebhookEvent, error: unknown): Promise<void> {
	return captures.keep(event, error, { attempt: 2 });
}
