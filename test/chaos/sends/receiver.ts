/** A process that receives status events, verifies them and observes them. It prints its port. */
import { buffer } from "node:stream/consumers";
import { observeSend } from "messaging-gateway/sends";
import { verifyWebhook } from "messaging-gateway/webhooks";
import { serve } from "../../support/serve.ts";
import { openParts } from "./open-parts.ts";
import { WEBHOOK_SECRET } from "./settings.ts";

process.stdin.on("close", () => process.exit()).resume();

const { clock, store } = await openParts();
const { url } = await serve(async (request, response) => {
	try {
		const delivery = { body: await buffer(request), headers: request.headers };
		await observeSend(store, await verifyWebhook(delivery, { secret: WEBHOOK_SECRET, clock }));
		response.writeHead(204).end();
	} catch {
		// It is delivered again.
		response.writeHead(500).end();
	}
});
console.log(new URL(url).port);
