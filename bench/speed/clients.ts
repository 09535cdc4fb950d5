import { type Fetch, loadPeer } from "./peers.ts";
import type { Role } from "./table.ts";

/** The text that every client sends. */
export const SENT_TEXT = {
	from: "+15550000001",
	text: "Your table for four is booked for Friday at half past seven. Reply to change it.",
	to: "+15551234567",
} as const;

const APP_ID = "app-1";
const SECRET = "a-secret-of-32-characters-length";

/** Where a client sends to. */
export interface ClientTarget {
	readonly baseUrl: string;
	/** @default the platform's */
	readonly fetch?: Fetch;
}

/** A client that sends one text by one POST, with its default time-outs and retries. */
export interface Client {
	readonly name: string;
	readonly role: Role;
	/** What it is imported from; the platform's own has none. */
	readonly module?: string;
	/** Loads and creates it; nothing of it is loaded before. @returns sends the text, and resolves to the response. */
	open(target: ClientTarget): Promise<() => Promise<unknown>>;
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
	{
		name: "@linqapp/sdk",
		role: "peer",
		module: "@linqapp/sdk",
		async open({ baseUrl: baseURL, ...rest }) {
			const { default: Linq } = await loadPeer("@linqapp/sdk");
			const linq = new Linq({ apiKey: SECRET, baseURL, ...rest });
			const { from, to, text } = SENT_TEXT;
			return () => linq.chats.create({ from, to: [to], message: { parts: [{ type: "text", value: text }] } });
		},
	},
	{
		name: "sendblue",
		role: "peer",
		module: "sendblue",
		async open({ baseUrl: baseURL, ...rest }) {
			const { default: Sendblue } = await loadPeer("sendblue");
			const sendblue = new Sendblue({ apiKey: APP_ID, apiSecret: SECRET, baseURL, ...rest });
			const { from, to, text } = SENT_TEXT;
			return () => sendblue.messages.send({ from_number: from, number: to, content: text });
		},
	},
	{
		name: "stripe on fetch",
		role: "peer",
		module: "stripe",
		async open({ baseUrl, fetch }) {
			const { default: Stripe } = await loadPeer("stripe");
			const { hostname, port } = new URL(baseUrl);
			const httpClient = Stripe.createFetchHttpClient(fetch);
			const stripe = new Stripe(SECRET, { httpClient, protocol: "http", host: hostname, port });
			const { from, to, text } = SENT_TEXT;
			return () => stripe.customers.create({ name: from, phone: to, description: text });
		},
	},
	{
		name: "openai",
		role: "peer",
		module: "openai",
		async open({ baseUrl: baseURL, ...rest }) {
			const { default: OpenAI } = await loadPeer("openai");
			const openai = new OpenAI({ apiKey: SECRET, baseURL, ...rest });
			const { from, text } = SENT_TEXT;
			return () =>
				openai.chat.completions.create({ model: from, messages: [{ role: "user", content: text }] });
		},
	},
	{
		name: "fetch, signed by hand",
		role: "peer",
		async open(target) {
			const { createHash, createHmac, randomUUID } = await import("node:crypto");
			function sign(text: string): Record<string, string> {
				const bodyHash = createHash("sha256").update(text).digest("hex");
				const timestamp = Date.now();
				const nonce = randomUUID();
				const toSign = `POST\n/message/text\n${bodyHash}\n${timestamp}\n${nonce}`;
				return {
					"X-App-Id": APP_ID,
					"X-Timestamp": String(timestamp),
					"X-Nonce": nonce,
					Authorization: `HMAC ${createHmac("sha256", SECRET).update(toSign).digest("hex")}`,
				};
			}
			return async () => {
				const text = JSON.stringify(SENT_TEXT);
				return (await post(target, text, sign(text))).json();
			};
		},
	},
	{
		name: "fetch",
		role: "floor",
		open: async (target) => async () => (await post(target, JSON.stringify(SENT_TEXT), {})).json(),
	},
];

async function post(
	{ baseUrl, fetch = globalThis.fetch }: ClientTarget,
	body: string,
	headers: Readonly<Record<string, string>>,
): Promise<Response> {
	const init = { method: "POST", headers: { "Content-Type": "application/json", ...headers }, body };
	const response = await fetch(`${baseUrl}/message/text`, init);
	if (!response.ok) throw new Error(`got ${response.status}`);
	return response;
}
