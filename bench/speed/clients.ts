import { createHash, createHmac, randomUUID } from "node:crypto";
import ky from "ky";
import { MessagingGateway } from "messaging-gateway";
import { createLocalGateway } from "messaging-gateway/testing";
import { type Fetch, loadPeer } from "./peers.ts";
import { prove } from "./prove.ts";
import type { Contender } from "./table.ts";

const TEXT = "Your table for four is booked for Friday at half past seven. Reply to change it.";
const AGENT = "+15550000001";
const CONTACT = "+15551234567";
const APP_ID = "app-1";
const SECRET = "a-secret-of-32-characters-length";

/** The response body for every client: that of the local gateway to the same send. */
export async function recordResponseBody(): Promise<string> {
	const local = createLocalGateway();
	let body = "";
	const gateway = new MessagingGateway({
		...local.clientOptions,
		async fetch(url, init) {
			const response = await local.clientOptions.fetch(url, init);
			body = await response.clone().text();
			return response;
		},
	});
	await gateway.messages.sendText({ to: CONTACT, text: TEXT });
	// Node 22 does not support `await using`.
	await local[Symbol.asyncDispose]();
	return body;
}

/**
 * Clients that send one text by one POST, each with its default time-outs and retries.
 * @param responseBody - the body of every response; each client must return it.
 */
export async function createClients(
	baseUrl: string,
	fetch: Fetch,
	responseBody: string,
): Promise<Contender[]> {
	const { hostname, port } = new URL(baseUrl);
	const { default: Linq } = await loadPeer("@linqapp/sdk");
	const { default: Sendblue } = await loadPeer("sendblue");
	const { default: Stripe } = await loadPeer("stripe");
	const { default: OpenAI } = await loadPeer("openai");
	const gateway = new MessagingGateway({ baseUrl, appId: APP_ID, appSecret: SECRET, fetch });
	const linq = new Linq({ apiKey: SECRET, baseURL: baseUrl, fetch });
	const sendblue = new Sendblue({ apiKey: APP_ID, apiSecret: SECRET, baseURL: baseUrl, fetch });
	const stripe = new Stripe(SECRET, {
		httpClient: Stripe.createFetchHttpClient(fetch),
		protocol: "http",
		host: hostname,
		port,
	});
	const openai = new OpenAI({ apiKey: SECRET, baseURL: baseUrl, fetch });
	const url = `${baseUrl}/message/text`;
	const body = { from: AGENT, text: TEXT, to: CONTACT };
	const post = async (text: string, headers: Readonly<Record<string, string>>): Promise<Response> => {
		const init = { method: "POST", headers: { "Content-Type": "application/json", ...headers }, body: text };
		const response = await fetch(url, init);
		if (!response.ok) throw new Error(`got ${response.status}`);
		return response;
	};

	const contenders: Contender[] = [
		{
			name: "messaging-gateway",
			role: "ours",
			run: async () => ({ data: await gateway.messages.sendText(body) }),
		},
		{
			name: "@linqapp/sdk",
			role: "peer",
			run: async () =>
				linq.chats.create({
					from: AGENT,
					to: [CONTACT],
					message: { parts: [{ type: "text", value: TEXT }] },
				}),
		},
		{
			name: "sendblue",
			role: "peer",
			run: async () => sendblue.messages.send({ from_number: AGENT, number: CONTACT, content: TEXT }),
		},
		{
			name: "stripe",
			role: "peer",
			run: async () => stripe.customers.create({ name: AGENT, phone: CONTACT, description: TEXT }),
		},
		{
			name: "openai",
			role: "peer",
			run: async () =>
				openai.chat.completions.create({ model: AGENT, messages: [{ role: "user", content: TEXT }] }),
		},
		{
			name: "ky",
			role: "peer",
			run: async () => {
				// With all of its features off it costs more.
				const response = await ky(url, {
					method: "POST",
					retry: 0,
					throwHttpErrors: false,
					timeout: false,
					fetch: () => post(JSON.stringify(body), {}),
				});
				return response.json();
			},
		},
		{
			name: "fetch, signed by hand",
			role: "peer",
			run: async () => {
				const text = JSON.stringify(body);
				return (await post(text, signByHand(text))).json();
			},
		},
		{ name: "fetch", role: "floor", run: async () => (await post(JSON.stringify(body), {})).json() },
	];
	const { message }: { message: { messageId: string } } = JSON.parse(responseBody).data;
	for (const { name, run } of contenders) {
		const result = JSON.stringify(await run());
		prove(result.includes(message.messageId), `${name} returns the response`);
	}
	return contenders;
}

function signByHand(text: string): Record<string, string> {
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
