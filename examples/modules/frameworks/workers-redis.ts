/** A Cloudflare Worker with its records in a Redis that has an HTTP address, such as Upstash's. */
import { MessagingGateway } from "messaging-gateway";
import { redisStore } from "messaging-gateway/stores/redis";
import { createWebhookHandler, type WebhookHandler } from "messaging-gateway/webhooks";

type Env = Record<
	"BASE_URL" | "APP_ID" | "APP_SECRET" | "WEBHOOK_SECRET" | "REDIS_URL" | "REDIS_TOKEN",
	string
>;

let webhooks: WebhookHandler | undefined;

export default {
	fetch(request: Request, env: Env): Promise<Response> {
		webhooks ??= createWebhooks(env);
		return webhooks.fetch(request);
	},
};

function createWebhooks(env: Env): WebhookHandler {
	const gateway = new MessagingGateway({
		baseUrl: env.BASE_URL,
		appId: env.APP_ID,
		appSecret: env.APP_SECRET,
	});
	const redis = async (...command: (string | number)[]) => {
		const headers = { Authorization: `Bearer ${env.REDIS_TOKEN}` };
		const response = await fetch(env.REDIS_URL, { method: "POST", headers, body: JSON.stringify(command) });
		if (!response.ok) throw new Error(`Redis responded with ${response.status}`);
		const { result } = (await response.json()) as { result: unknown };
		return result;
	};
	return createWebhookHandler({
		secret: env.WEBHOOK_SECRET,
		store: redisStore({ eval: (script, keys, args) => redis("EVAL", script, keys.length, ...keys, ...args) }),
		on: {
			inbound_message: ({ data }) => gateway.messages.markRead({ to: data.from }),
			unknown: ({ eventId }, { readBody }) => redis("HSETNX", "unknown_events", eventId, readBody()),
		},
	});
}
