import { type ChildProcess, spawn } from "node:child_process";
import { type AtEnd, prove, type Role } from "../cases.ts";
import { CREDENTIALS } from "../hand-signer.ts";
import { TEXT_BODY } from "../inputs.ts";
import { PEERS_FOLDER } from "../peers/load.ts";
import { converse } from "../processes.ts";

const ROOT = new URL("../..", import.meta.url).pathname;

/** What every sender has: `url` is that of the server. */
const HEAD = `
const [url] = process.argv.slice(1);
const { from, to, text } = ${JSON.stringify(TEXT_BODY)};
const { appId, appSecret } = ${JSON.stringify(CREDENTIALS)};
`;

/**
 * A program that sends one text by one POST. It is plain JavaScript, in a process where nothing else is loaded, since
 * the start of the process is measured, too, and its memory.
 */
export interface Sender {
	readonly name: string;
	readonly role: Role;
	/** Where its imports are looked for. */
	readonly folder: string;
	/** Makes `send`. */
	readonly code: string;
}

const client = (name: string, transport: string, options: string): Sender => ({
	name,
	role: "ours",
	folder: ROOT,
	code: `
import { MessagingGateway } from "messaging-gateway";
${transport}
const gateway = new MessagingGateway({ baseUrl: url, appId, appSecret, ${options} });
const send = () => gateway.messages.sendText({ from, text, to });
`,
});

export const SENDERS = {
	nodeHttp: client(
		"messaging-gateway, nodeHttpFetch",
		`import { nodeHttpFetch } from "messaging-gateway/node";`,
		"fetch: nodeHttpFetch",
	),
	fetch: client("messaging-gateway, fetch", "", ""),
	stripe: {
		name: "stripe",
		role: "peer",
		folder: PEERS_FOLDER,
		code: `
import Stripe from "stripe";
const { hostname: host, port } = new URL(url);
const stripe = new Stripe(appSecret, { protocol: "http", host, port });
const send = () => stripe.customers.create({ name: from, phone: to, description: text });
`,
	},
	resend: {
		name: "resend",
		role: "peer",
		folder: PEERS_FOLDER,
		code: `
import { Resend } from "resend";
const resend = new Resend(appSecret, { baseUrl: url });
const send = () => resend.emails.send({ from: "table@app.example", to: "ana@app.example", subject: to, text });
`,
	},
	byHand: {
		name: "node:http, signed by hand",
		role: "floor",
		folder: ROOT,
		code: `
import { createHash, createHmac, randomUUID } from "node:crypto";
import { Agent, request } from "node:http";
const agent = new Agent({ keepAlive: true });
function send() {
	const body = JSON.stringify({ from, text, to });
	const bodyHash = createHash("sha256").update(body).digest("hex");
	const [timestamp, nonce] = [Date.now(), randomUUID()];
	const toSign = \`POST\\n/message/text\\n\${bodyHash}\\n\${timestamp}\\n\${nonce}\`;
	const headers = {
		"Content-Type": "application/json",
		"Content-Length": Buffer.byteLength(body),
		"X-App-Id": appId,
		"X-Timestamp": timestamp,
		"X-Nonce": nonce,
		Authorization: \`HMAC \${createHmac("sha256", appSecret).update(toSign).digest("hex")}\`,
	};
	return new Promise((resolve, reject) => {
		const sent = request(url + "/message/text", { method: "POST", headers, agent }, (response) => {
			const chunks = [];
			response.on("data", (chunk) => chunks.push(chunk));
			response.once("end", () => resolve(JSON.parse(Buffer.concat(chunks).toString())));
		});
		sent.once("error", reject).end(body);
	});
}
`,
	},
} as const satisfies Record<string, Sender>;

/** Reports the time from the start of the process to the end of the first send, in nanoseconds. */
const FIRST_SEND = `
const response = await send();
process.send({ ns: performance.now() * 1e6, response }, () => process.exit());
`;

/**
 * For each number that it gets, it sends so many texts, 16 in flight, and reports the processor time of each, in
 * nanoseconds, and the most memory that the process had so far, in bytes.
 */
const MANY_SENDS = `
process.on("message", async (count) => {
	const before = process.cpuUsage();
	let left = count;
	const work = async () => { while (left-- > 0) await send(); };
	await Promise.all(Array.from({ length: 16 }, work));
	const { user, system } = process.cpuUsage(before);
	process.send({ cpuNs: ((user + system) * 1000) / count, rss: process.resourceUsage().maxRSS * 1024 });
});
process.once("disconnect", () => process.exit());
process.send({ response: await send() });
`;

/** Starts a process that sends once. @returns the time to the end of the send, in nanoseconds. */
export async function sendFirst(sender: Sender, url: string, messageId: string): Promise<number> {
	const ask = converse<{ ns: number; response: unknown }>(start(sender, FIRST_SEND, url), sender.name);
	const { ns, response } = await ask();
	proveResponse(sender, response, messageId);
	return ns;
}

/** What a process reports about the texts that it sent. */
interface Report {
	readonly cpuNs: number;
	readonly rss: number;
	/** Of the first one. */
	readonly response?: unknown;
}

/** Starts a process that sends as many texts as it is told. */
export async function openSender(sender: Sender, url: string, messageId: string, atEnd: AtEnd) {
	const child = start(sender, MANY_SENDS, url);
	atEnd(() => child.kill());
	const ask = converse<Report>(child, sender.name);
	proveResponse(sender, (await ask()).response, messageId);
	return (count: number): Promise<Report> => ask(count);
}

function start({ folder, code }: Sender, end: string, url: string): ChildProcess {
	const args = ["--no-warnings", "--input-type=module", "--eval", HEAD + code + end, url];
	return spawn(process.execPath, args, { cwd: folder, stdio: ["ignore", "inherit", "inherit", "ipc"] });
}

function proveResponse({ name }: Sender, response: unknown, messageId: string): void {
	prove(JSON.stringify(response).includes(messageId), `${name} returns the response`);
}
