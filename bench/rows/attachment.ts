import * as crypto from "node:crypto";
import { request } from "node:http";
import { MessagingGateway } from "messaging-gateway";
import { nodeHttpFetch } from "messaging-gateway/node";
import type { Figures, MeasuredContender, OpenCases, Role } from "../cases.ts";
import { CREDENTIALS, createHandSigner } from "../hand-signer.ts";
import { startServer } from "../receivers/start.ts";
import { recordResponseBody } from "../response-body.ts";
import { ATTACHMENT } from "../settings.ts";

const FILE = { name: "table.mp4", mimeType: "video/mp4" } as const;
const TO = "+15551234567";

/** What sending a large attachment takes, and for how long it blocks: meanwhile nothing else runs in its process. */
export const openAttachment: OpenCases = async function* (atEnd) {
	const { url } = await startServer({ route: "fixed response", body: await recordResponseBody() }, atEnd);
	const createSend = (options: object) => {
		const gateway = new MessagingGateway({ baseUrl: url, ...CREDENTIALS, ...options });
		return (data: Uint8Array) =>
			gateway.messages.sendAttachments({ to: TO, attachments: [{ ...FILE, data }] });
	};
	const senders: readonly (readonly [string, Role, (data: Uint8Array) => Promise<unknown>])[] = [
		["messaging-gateway, nodeHttpFetch", "ours", createSend({ fetch: nodeHttpFetch })],
		["messaging-gateway, fetch", "ours", createSend({})],
		["node:http, signed by hand", "floor", (data) => sendByHand(url, data)],
	];
	for (const mebibytes of ATTACHMENT.mebibytes) {
		const data = crypto.randomBytes(mebibytes * 2 ** 20);
		const contenders = senders.map(
			([name, role, send]): MeasuredContender => ({ name, role, measure: () => watch(() => send(data)) }),
		);
		yield { name: `${mebibytes} MiB`, rounds: ATTACHMENT.rounds, contenders };
	}
};

async function sendByHand(url: string, data: Uint8Array): Promise<void> {
	const attachment = {
		...FILE,
		data: Buffer.from(data.buffer, data.byteOffset, data.length).toString("base64"),
	};
	const body = JSON.stringify({ attachments: [attachment], to: TO });
	const headers = {
		"Content-Type": "application/json",
		"Content-Length": Buffer.byteLength(body),
		...createHandSigner(crypto)(body),
	};
	await new Promise<void>((resolve, reject) => {
		const sent = request(`${url}/message/attachments`, { method: "POST", headers }, (response) => {
			response.resume().once("end", resolve);
		});
		sent.once("error", reject).end(body);
	});
}

/** How long something takes, and the longest time without a turn of the event loop. */
async function watch(work: () => Promise<unknown>): Promise<Figures> {
	const start = performance.now();
	let [last, blockedMs] = [start, 0];
	const look = () => {
		const now = performance.now();
		blockedMs = Math.max(blockedMs, now - last);
		last = now;
	};
	const timer = setInterval(look, 1);
	await work();
	look();
	clearInterval(timer);
	return { cost: (performance.now() - start) * 1e6, more: { blockedMs } };
}
