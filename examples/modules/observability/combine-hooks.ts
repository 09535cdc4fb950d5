/** Hooks of a webhook handler that trace each event, log each response, and keep each failed delivery. */
import { writeFile } from "node:fs/promises";
import { traceEvents } from "messaging-gateway/opentelemetry";
import type { WebhookHooks } from "messaging-gateway/webhooks";
import { captureFailures } from "messaging-gateway/webhooks/capture";

const spans = traceEvents();
const captures = captureFailures({ write: (name, file) => writeFile(`/var/captures/${name}`, file) });

export const hooks: WebhookHooks = {
	// Both run the same handler once. The first to call it is the outermost.
	aroundHandler: (...run) =>
		Promise.all([spans.aroundHandler?.(...run), captures.hooks.aroundHandler(...run)]),
	onResponse: (info, ...readers) => {
		console.info(JSON.stringify(info));
		return captures.hooks.onResponse(info, ...readers);
	},
};
