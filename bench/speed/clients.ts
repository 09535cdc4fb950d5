import type { Role } from "../cases.ts";
import { type Fetch, loadPeer } from "../peers/load.ts";

const FROM = "+15550000001";
const TO = "+15551234567";
const TEXT = "Your table for four is booked for Friday at half past seven. Reply to change it.";

/** The text that every client sends. */
export const SENT_TEXT = { from: FROM, text: TEXT, to: TO } as const;

const APP_ID = "app-1";
const SECRET = "a-secret-of-32-characters-length";

/** Where a client sends to, with the platform's fetch by default. */
export interface ClientTarget {
	readonly baseUrl: string;
	readonly fetch?: Fetch;
}

/** A client that sends one text by one POST, with its default time-outs and retries. */
interface Client {
	readonly name: string;
	readonly role: Role;
	/** What it is imported from; the platform's own has none. */
	readonly module?: string;
	/** Loads and creates it; nothing of it is loaded before. @returns sends the text, and resolves to the response. */
	readonly open: (target: ClientTarget) => Promise<() => Promise<unknown>>;
}

/** Every client that is measured. */
export const CLIENTS: readonly Client[] = [
	{
		name: "messaging-gateway",
		role: "ours",
		module: "messaging-gateway",
		async open(target) {
			const { MessagingGateway } = await import("messaging-gateway");
			const gateway = new MessagingGateway({ ...target, appId: APP_ID, appSecret: SECRET });
			return async () => ({ data: await gateway.messages.sendText(SENT_TEXT) });
		},
	},
	peer("@linqapp/sdk", async ({ baseUrl: baseURL, ...rest }) => {
		const { default: Linq } = await loadPeer("@linqapp/sdk");
		const linq = new Linq({ apiKey: SECRET, baseURL, ...rest });
		const message = { parts: [{ type: "text", value: TEXT }] };
		return () => linq.chats.create({ from: FROM, to: [TO], message });
	}),
	peer("sendblue", async ({ baseUrl: baseURL, ...rest }) => {
		const { default: Sendblue } = await loadPeer("sendblue");
		const sendblue = new Sendblue({ apiKey: APP_ID, apiSecret: SECRET, baseURL, ...rest });
		return () => sendblue.messages.send({ from_number: FROM, number: TO, content: TEXT });
	}),
	{
		...peer("stripe", async ({ baseUrl, fetch }) => {
			const { default: Stripe } = await loadPeer("stripe");
			const { hostname: host, port } = new URL(baseUrl);
			const httpClient = Stripe.createFetchHttpClient(fetch);
			const stripe = new Stripe(SECRET, { httpClient, protocol: "http", host, port });
			return () => stripe.customers.create({ name: FROM, phone: TO, description: TEXT });
		}),
		name: "stripe on fetch",
	},
	peer("openai", async ({ baseUrl: baseURL, ...rest }) => {
		const { default: OpenAI } = await loadPeer("openai");
		const openai = new OpenAI({ apiKey: SECRET, baseURL, ...rest });
		const messages = [{ role: "user", content: TEXT }];
		return () => openai.chat.completions.create({ model: FROM, messages });
	}),
	{
		name: "fetch, signed by hand",
		role: "peer",
		async open(target) {
			const sign = createHandSigner(await import("node:crypto"));
			return () => {
				const body = JSON.stringify(SENT_TEXT);
				return post(target, body, sign(body));
			};
		},
	},
	{ name: "fetch", role: "floor", open: async (target) => () => post(target, JSON.stringify(SENT_TEXT), {}) },
];

function peer(name: string, open: Client["open"]): Client {
	return { name, role: "peer", module: name, open };
}

/** Signs a POST of a text as the gateway checks it, with the runtime's own functions. */
export function createHandSigner({ createHash, createHmac, randomUUID }: typeof import("node:crypto")) {
	return (body: string | Uint8Array): Record<string, string> => {
		const bodyHash = createHash("sha256").update(body).digest("hex");
		const timestamp = Date.now();
		const nonce = randomUUID();
		const toSign = `POST\n/message/text\n${bodyHash}\n${timestamp}\n${nonce}`;
		return {
			"X-App-Id": APP_ID,
			"X-Timestamp": String(timestamp),
			"X-Nonce": nonce,
			Authorization: `HMAC ${createHmac("sha256", SECRET).update(toSign).digest("hex")}`,
		};
	};
}

async function post(
	{ baseUrl, fetch = globalThis.fetch }: ClientTarget,
	body: string,
	headers: Readonly<Record<string, string>>,
): Promise<unknown> {
	const init = { method: "POST", headers: { "Content-Type": "application/json", ...headers }, body };
	const response = await fetch(`${baseUrl}/message/text`, init);
	if (!response.ok) throw new Error(`got ${response.status}`);
	return response.json();
}
