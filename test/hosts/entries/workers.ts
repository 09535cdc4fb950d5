/** Workers: responds with the cells, and to webhooks; an error is reported to another server, after a while. */
import { createWebhookHandler, memoryStore } from "messaging-gateway/webhooks";
import { type Gateway, runActions } from "../actions.ts";

/** Written into the code when it is bundled. */
declare const GATEWAY: Gateway;
declare const REPORTS_URL: string;

const webhooks = createWebhookHandler({
	secret: "the-secret-of-the-webhooks",
	store: memoryStore(),
	on: { unknown: () => undefined },
	onError: async (error) => {
		await new Promise((resolve) => setTimeout(resolve, 50));
		await fetch(REPORTS_URL, { method: "POST", body: String(error) });
	},
});

export default {
	async fetch(request: Request, env: unknown, context: unknown): Promise<Response> {
		const { pathname } = new URL(request.url);
		if (pathname === "/cells") return Response.json(await runActions(GATEWAY));
		return pathname === "/with-context" ? webhooks.fetch(request, env, context) : webhooks.fetch(request);
	},
};
