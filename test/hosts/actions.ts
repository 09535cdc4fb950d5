/** What users do with the package, run inside a host: each action is a cell of its row. */
import { MessagingGateway } from "messaging-gateway";
import { signRequest } from "messaging-gateway/signing";
import { createLocalGateway } from "messaging-gateway/testing";
import { createWebhookHandler, memoryStore, signWebhook, verifyWebhook } from "messaging-gateway/webhooks";

/** A gateway that the host reaches by its own `fetch`. */
export interface Gateway {
	readonly baseUrl: string;
	readonly appId: string;
	readonly appSecret: string;
}

/** What became of each action: `"works"`, or its error. */
export type Cells = Readonly<Record<Action, string>>;

export type Action = keyof typeof ACTIONS;

const SECRET = "the-secret-of-the-webhooks";
const BODY = new Uint8Array([0x7b, 0x7d]);

const ACTIONS = {
	/** First, since a hash that was made before must not be what makes it work. */
	send: async ({ baseUrl, appId, appSecret }: Gateway) => {
		const credentials = { baseUrl, appId, appSecret, dangerouslyAllowBrowser: true };
		const gateway = new MessagingGateway({ ...credentials, logLevel: "off", maxRetries: 0 });
		const { message } = await gateway.messages.sendText({ to: "+15551234567", text: "From a host" });
		expect(message.status === "queued", `the status is ${message.status}`);
	},
	sign: () => {
		const url = "https://gateway.example/message/text";
		const { headers } = signRequest({ method: "POST", url, appId: "a", appSecret: "s", body: { text: "é" } });
		expect(/^HMAC [0-9a-f]{64}$/.test(headers.Authorization), headers.Authorization);
	},
	verify: () => {
		const { kind } = verifyWebhook({ body: BODY, headers: sign() }, { secret: SECRET });
		expect(kind === "unknown", kind);
	},
	handle: async () => {
		const errors: unknown[] = [];
		const on = { unknown: () => undefined };
		const onError = (error: unknown) => errors.push(error);
		const webhooks = createWebhookHandler({ secret: SECRET, store: memoryStore(), on, onError });
		const { status } = await webhooks.handle({ headers: sign(), body: BODY });
		expect(status === 200, `${status} ${errors}`);
	},
	"local gateway": async () => {
		const local = createLocalGateway();
		const gateway = new MessagingGateway(local.clientOptions);
		await gateway.messages.sendText({ to: "+15551234567", text: "Hello" });
		await local.settled();
		expect(local.sent[0]?.status === "read", `the status is ${local.sent[0]?.status}`);
	},
	/** An App Secret, where strangers have the code. */
	guard: () => {
		new MessagingGateway({ baseUrl: "https://gateway.example", appId: "a", appSecret: "s" });
	},
};

function sign(): Record<string, string> {
	return signWebhook({ body: BODY, secret: SECRET });
}

function expect(condition: boolean, problem: string): void {
	if (!condition) throw new Error(problem);
}

/** Runs every action, one after the other. That it runs at all shows that the package can be imported. */
export async function runActions(gateway: Gateway): Promise<Cells> {
	const cells: Record<string, string> = {};
	for (const [name, action] of Object.entries(ACTIONS)) {
		try {
			await action(gateway);
			cells[name] = "works";
		} catch (error) {
			cells[name] = String(error);
		}
	}
	return cells as Cells;
}
