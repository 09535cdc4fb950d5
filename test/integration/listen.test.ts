import { once } from "node:events";
import { createServer, request as httpRequest } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { text as readText } from "node:stream/consumers";
import { signRequest } from "messaging-gateway/signing";
import { createLocalGateway } from "messaging-gateway/testing";
import { type ListeningGateway, listen } from "messaging-gateway/testing/node";
import { verifyWebhook } from "messaging-gateway/webhooks";
import { expect, test } from "vitest";
import { ASSUMED_LIMITS } from "../../src/library/catalogue/limits.ts";
import { maxRequestBytes } from "../../src/tools/local-gateway/incoming.ts";
import { respondToUnparsable } from "../../src/tools/local-gateway/unparsable-request.ts";
import { eventually } from "../support/eventually.ts";
import { serve } from "../support/serve.ts";
import { sendThenRead } from "./support/send-then-read.ts";

const ALICE = "+15551234567";

function sign(server: ListeningGateway, method: string, path: string, body?: unknown) {
	const { appId, appSecret } = server.clientOptions;
	return signRequest({ method, url: server.url + path, body, appId, appSecret });
}

async function send(
	server: ListeningGateway,
	method: string,
	path: string,
	body?: unknown,
): Promise<Response> {
	const signed = sign(server, method, path, body);
	return fetch(server.url + path, { method, headers: { ...signed.headers }, body: signed.body ?? null });
}

const text = { to: ALICE, text: "Hello" };

test("a free port, signed requests, the gateway's own headers", async () => {
	await using server = await listen();
	expect(server.url).toBe(`http://127.0.0.1:${server.port}`);
	expect(server.clientOptions).not.toHaveProperty("fetch");
	const response = await send(server, "POST", "/message/text", text);
	expect(response.status).toBe(202);
	const body = await response.json();
	expect(response.headers.get("X-Request-Id")).toBe(body.meta.requestId);
	expect(server.local.sent).toMatchObject([{ text: "Hello" }]);
	expect((await fetch(`${server.url}/health`)).status).toBe(200);
});

test("only the client closes idle connections, so that none is closed under its next request", async () => {
	await using server = await listen();
	const { headers } = await fetch(`${server.url}/health`);
	// If Node closed them, it would put the time-out into Keep-Alive.
	expect([headers.get("Connection"), headers.get("Keep-Alive")]).toEqual(["keep-alive", null]);
});

test("a gateway with a base path, on another loopback address", async () => {
	await using local = createLocalGateway({
		baseUrl: "http://gateway.localhost/api/v1",
		profile: { signing: { path: "without_base_path" } },
	});
	await using server = await listen(local, { host: "::1" });
	expect(server.url).toBe(`http://[::1]:${server.port}/api/v1`);
	const { appId, appSecret, profile = {} } = server.clientOptions;
	const url = `${server.url}/agent`;
	const signed = signRequest({ method: "GET", url, basePath: "/api/v1", appId, appSecret, profile });
	expect((await fetch(url, { headers: { ...signed.headers } })).status).toBe(200);
});

test("the Date header follows the gateway's clock", async () => {
	await using server = await listen();
	await server.local.clock.advance(86_400_000);
	const beforeMs = 1000 * Math.floor(Date.now() / 1000);
	const date = (await fetch(`${server.url}/health`)).headers.get("Date") ?? "";
	expect(Date.parse(date)).toBeGreaterThanOrEqual(beforeMs + 86_400_000);
});

test("a GET may carry {}", async () => {
	await using server = await listen();
	const { headers } = sign(server, "GET", "/agent", {});
	const status = await new Promise((resolve, reject) => {
		const request = httpRequest(`${server.url}/agent`, { headers: { ...headers, "Content-Length": "2" } });
		request.on("response", (response) => resolve(response.resume().statusCode)).on("error", reject);
		request.end("{}");
	});
	expect(status).toBe(200);
});

test("a dropped connection really breaks", async () => {
	await using server = await listen();
	for (const when of ["before", "after"] as const) {
		server.local.faults.dropConnection({ when });
		await expect(send(server, "POST", "/message/text", text)).rejects.toThrow(TypeError);
	}
	expect(server.local.sent).toHaveLength(1);
});

/** A request of the assumed limits would be large. */
const LIMITS = { ...ASSUMED_LIMITS, attachments: 1, attachmentBytes: 1_000_000 };

test("a body that is too large is rejected while it is still on its way", async () => {
	await using server = await listen({ profile: { limits: LIMITS } });
	const request = httpRequest(`${server.url}/message/text`, { method: "POST" });
	request.write(Buffer.alloc(maxRequestBytes(LIMITS) + 1)); // And it never ends.
	const [response] = await once(request, "response");
	request.destroy();
	expect(response.statusCode).toBe(413);
});

test("its 413 reaches a sender that writes all of the body before it reads", async () => {
	await using server = await listen({ profile: { limits: LIMITS } });
	expect(await sendThenRead(`${server.url}/message/text`)).toBe(413);
});

test.each([
	[400, "a target that is no path", "OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n"],
	[400, "a target that is no URL", "GET http://[ HTTP/1.1\r\nHost: a\r\n\r\n"],
	[400, "a line that is not HTTP", "GET two words HTTP/1.1\r\nHost: a\r\n\r\n"],
	[431, "a header that is too large", `GET / HTTP/1.1\r\nX-Long: ${"x".repeat(20_000)}\r\n\r\n`],
])("%i with the error envelope: %s", async (status, _title, request) => {
	await using server = await listen();
	const socket = connect(server.port, "127.0.0.1", () => socket.end(request));
	const [head = "", body = ""] = (await readText(socket)).split("\r\n\r\n");
	expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} [A-Z]`));
	const { ok, error } = JSON.parse(body);
	expect(ok).toBe(false);
	expect(error).toMatchObject({ code: "VALIDATION_ERROR", message: expect.stringMatching(/\.$/) });
	expect(head.toLowerCase()).toContain(`x-request-id: ${error.requestId}`);
});

test("a request that cannot be parsed does not interrupt the response before it", async () => {
	const server = createServer((request, response) => {
		server.on("clientError", (error, socket) => respondToUnparsable(error, socket, response));
		response.writeHead(200, { "Content-Length": 100 }).write("begun");
		expect(request.url).toBe("/");
	}).listen(0, "127.0.0.1");
	await once(server, "listening");
	const { port } = server.address() as AddressInfo;
	const socket = connect(port, "127.0.0.1", () => socket.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n"));
	const received: string[] = [];
	socket.on("data", (data) => {
		received.push(String(data));
		socket.write("not HTTP\r\n\r\n");
	});
	await once(socket, "close");
	expect(received.join("").match(/HTTP\/1\.1/g)).toHaveLength(1);
	server.close();
});

test("webhooks are sent over HTTP, and retried", async () => {
	const bodies: string[] = [];
	const kinds: string[] = [];
	const receiver = createServer(async (request, response) => {
		const chunks = await request.toArray();
		const body = Buffer.concat(chunks);
		bodies.push(String(body));
		kinds.push(verifyWebhook({ body, headers: request.headers }, { secret, clock: server.local.clock }).kind);
		response.writeHead(bodies.length === 1 ? 503 : 200).end("thanks");
	});
	await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
	const { port } = receiver.address() as AddressInfo;
	await using server = await listen({ deliverTo: `http://127.0.0.1:${port}/hooks` });
	const secret = server.local.webhookSecret;
	await server.local.contact(ALICE).reply("Hi");
	await server.local.settled();
	expect(kinds).toEqual(["inbound_message", "inbound_message"]);
	expect(bodies[0]).toBe(bodies[1]);
	receiver.closeAllConnections();
	receiver.close();
});

test("a receiver's response is read to its end", async () => {
	const endings: unknown[] = [];
	await using receiver = await serve((_request, response) => {
		response.on("close", () => endings.push(response.writableFinished));
		response.write("accep", () => setImmediate(() => response.end("ted")));
	});
	await using server = await listen({ deliverTo: receiver.url });
	await send(server, "POST", "/message/text", text);
	await server.local.settled();
	await eventually(() => expect(endings).toEqual([true, true, true]));
});

test("closing twice does nothing; a given gateway stays open, one that listen created does not", async () => {
	await using local = createLocalGateway();
	const server = await listen(local);
	await server.close();
	await server.close();
	await expect(fetch(`${server.url}/health`)).rejects.toThrow();
	const health = new Request(`${local.baseUrl}/health`);
	expect((await local.fetch(health)).status).toBe(200);
	const own = await listen({});
	await own.close();
	await expect(own.local.fetch(health)).rejects.toThrow(TypeError);
});

test("a port that is in use is an error", async () => {
	await using server = await listen();
	await expect(listen({}, { port: server.port })).rejects.toMatchObject({ code: "EADDRINUSE" });
});
