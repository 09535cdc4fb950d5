import {
	createWebhookHandler,
	memoryStore,
	type WebhookHandler,
	WebhookVerificationError,
} from "messaging-gateway/webhooks";

/** The largest body that an observed handler reads, in bytes. */
export const MAX_BODY_BYTES = 10_000;

/** A handler as an application would deploy it: it reads its secret, and where its observer is, from the environment. */
export function createObservedHandler(): WebhookHandler {
	return createWebhookHandler({
		store: memoryStore(),
		maxBodyBytes: MAX_BODY_BYTES,
		on: { inbound_message: ({ eventId }) => post("/runs", { eventId }), unknown: () => undefined },
		onError: (error, { hint }) =>
			post("/reports", { hint, code: error instanceof WebhookVerificationError ? error.code : undefined }),
	});
}

async function post(path: string, what: object): Promise<void> {
	await fetch(`${process.env["OBSERVER_URL"]}${path}`, { method: "POST", body: JSON.stringify(what) });
}
