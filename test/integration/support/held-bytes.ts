import { Buffer } from "node:buffer";
import { once } from "node:events";
import type { RequestListener } from "node:http";
import { createServer } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import { getRequestListener } from "@hono/node-server";
import express from "express";
import fastify from "fastify";
import { Hono } from "hono";
import { MessagingGateway } from "messaging-gateway";
import { createWebhookRequest } from "messaging-gateway/testing";
import { createWebhookHandler, memoryStore, verifyWebhookRequest } from "messaging-gateway/webhooks";
import { toExpress } from "messaging-gateway/webhooks/express";
import { toFastify } from "messaging-gateway/webhooks/fastify";
import { toHono } from "messaging-gateway/webhooks/hono";
import { toNode } from "messaging-gateway/webhooks/node";
import { readLiveHeap } from "../../../bench/heap.ts";
import { readBody } from "../../../src/tools/local-gateway/incoming.ts";

/**
 * Measures what each reader of a body holds for each byte of one that a stranger sends in pieces of one byte and never
 * ends, and prints it as JSON. A process of its own, since it reads the memory of the process.
 */

const BYTES = 200_000;

/** The library's, and no stranger's secret. */
const webhooks = createWebhookHandler({
	secret: "held-bytes-secret",
	store: memoryStore(),
	on: { unknown: () => undefined },
	onError: () => undefined,
});

/** The headers of a delivery that pass all checks but that of the signature. */
const { headers } = createWebhookRequest("status", {}, { secret: "a stranger's" });

/** What is alive, buffers included. */
async function readHeld(): Promise<number> {
	const heap = await readLiveHeap();
	return heap + process.memoryUsage().arrayBuffers;
}

/** What grows for each byte from before the pieces to after the last one. */
async function measure(send: () => Promise<() => unknown>): Promise<number> {
	const before = await readHeld();
	const stop = await send();
	const held = ((await readHeld()) - before) / BYTES;
	await stop();
	return Math.round(held * 10) / 10;
}

/** Sends the pieces over a socket, where each is a chunk of HTTP of its own (RFC 9112, section 7.1). */
async function sendToServer(listener: RequestListener): Promise<number> {
	const sockets: Socket[] = [];
	const server = createServer(listener).on("connection", (socket) => sockets.push(socket));
	server.listen(0, "127.0.0.1");
	await once(server, "listening");
	const client = connect((server.address() as AddressInfo).port, "127.0.0.1").on("error", () => undefined);
	const head = [...headers].map(([name, value]) => `${name}: ${value}\r\n`).join("");
	client.write(`POST /webhooks HTTP/1.1\r\nHost: a\r\n${head}Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n`);
	await once(client, "ready");
	const pieces = Buffer.from("1\r\nx\r\n".repeat(1_000));
	const held = await measure(async () => {
		for (let sent = 0; sent < BYTES; sent += 1_000) if (!client.write(pieces)) await once(client, "drain");
		const total = client.bytesWritten;
		while (sockets[0]?.bytesRead !== total) await nextTurn();
		for (let turn = 0; turn < 100; turn++) await nextTurn();
		return () => client.destroy();
	});
	server.closeAllConnections();
	server.close();
	return held;
}

/** Hands the pieces over as a stream. */
function sendAsStream(read: (pieces: AsyncGenerator<Uint8Array>) => Promise<unknown>): Promise<number> {
	return measure(async () => {
		const sent = Promise.withResolvers<void>();
		const end = Promise.withResolvers<void>();
		async function* pieces() {
			for (let at = 0; at < BYTES; at++) yield new Uint8Array(1);
			sent.resolve();
			await end.promise;
		}
		const reading = read(pieces()).catch(() => undefined);
		await Promise.race([
			sent.promise,
			reading.then((early) => Promise.reject(new Error(`not read: ${early}`))),
		]);
		return async () => {
			end.resolve();
			await reading;
		};
	});
}

function toStream(pieces: AsyncGenerator<Uint8Array>): ReadableStream<Uint8Array> {
	return new ReadableStream<Uint8Array>({
		async pull(controller) {
			const { done, value } = await pieces.next();
			if (done) controller.close();
			else controller.enqueue(value);
		},
	});
}

function toRequest(pieces: AsyncGenerator<Uint8Array>): Request {
	// `duplex` is missing in the types of Node's own Request.
	const init = { method: "POST", headers, body: toStream(pieces), duplex: "half" };
	return new Request("http://a.example/webhooks", init);
}

const hono = new Hono().all("/webhooks", toHono(webhooks));
const fastifyApp = fastify().register(toFastify(webhooks), { prefix: "/webhooks" });
await fastifyApp.ready();
const gateway = (pieces: AsyncGenerator<Uint8Array>) =>
	new MessagingGateway({
		baseUrl: "http://gateway.example",
		appId: "app",
		appSecret: "secret",
		maxRetries: 0,
		attemptTimeoutMs: 300_000,
		timeoutMs: 300_000,
		fetch: async () => new Response(toStream(pieces)),
	});

console.log(
	JSON.stringify({
		node: await sendToServer(toNode(webhooks)),
		express: await sendToServer(express().all("/webhooks", toExpress(webhooks))),
		fastify: await sendToServer(fastifyApp.routing),
		"hono over HTTP": await sendToServer(getRequestListener(hono.fetch)),
		"fetch over HTTP": await sendToServer(getRequestListener((request) => webhooks.fetch(request))),
		hono: await sendAsStream(async (pieces) => hono.fetch(toRequest(pieces))),
		fetch: await sendAsStream((pieces) => webhooks.fetch(toRequest(pieces))),
		handle: await sendAsStream((body) => webhooks.handle({ headers, body })),
		verifyWebhookRequest: await sendAsStream((pieces) => verifyWebhookRequest(toRequest(pieces))),
		"a client": await sendAsStream((pieces) => gateway(pieces).health.check()),
		"the local gateway": await sendAsStream((pieces) => readBody(pieces, 2 * BYTES)),
	}),
);
process.exit();
