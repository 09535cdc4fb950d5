import { once } from "node:events";
import { createServer as createHttpsServer } from "node:https";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { Duplex } from "node:stream";
import { createSecureContext, getCACertificates, setDefaultCACertificates, TLSSocket } from "node:tls";
import { MessagingGateway } from "messaging-gateway";
import { afterEach, describe, expect, test } from "vitest";
import { catchRejection } from "../support/catch-error.ts";
import { startServer } from "../support/http-server.ts";
import { isNodeHttp, transport } from "../support/transport.ts";
import { MESSAGE, REQUEST_ID, USER } from "../support/wire.ts";
import { type Certificate, createCertificate } from "./support/certificate.ts";

const BODY = JSON.stringify({
	ok: true,
	data: { message: MESSAGE },
	meta: { requestId: REQUEST_ID, timestamp: "2026-01-01T00:00:00.000Z" },
});

const opened: Server[] = [];
const sockets = new Set<Socket>();
const systemCertificates = getCACertificates("default");

afterEach(() => {
	setDefaultCACertificates(systemCertificates);
	for (const server of opened.splice(0)) server.close();
	for (const socket of sockets) socket.destroy();
	sockets.clear();
});

/** Listens until the end of the test. */
async function listen(server: Server): Promise<string> {
	opened.push(server);
	server.on("connection", (socket: Socket) => sockets.add(socket.on("error", () => undefined)));
	server.listen(0, "127.0.0.1");
	await once(server, "listening");
	return `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A gateway over TLS, which counts the requests that reach it. */
async function startGateway(certificate: Certificate) {
	let requests = 0;
	const server = createHttpsServer(certificate, (_, response) => {
		requests += 1;
		response.end(BODY);
	});
	return { url: await listen(server), received: () => requests };
}

function send(baseUrl: string): Promise<unknown> {
	const credentials = { appId: "app-1", appSecret: "secret-1" };
	const gateway = new MessagingGateway({ baseUrl, ...credentials, maxRetries: 1, ...transport });
	return gateway.messages.sendText({ to: USER, text: "Hello" });
}

const NOT_SENT = { code: "connection_failed", outcome: "not_sent", attempts: 2 };

describe("a TLS handshake that fails was not sent, and is tried again", () => {
	test("with a port that speaks plain HTTP", async () => {
		await using server = await startServer();
		const error = await catchRejection(send(server.url.replace("http:", "https:")));
		expect(error).toMatchObject({
			...NOT_SENT,
			cause: { code: isNodeHttp ? "EPROTO" : "ERR_SSL_WRONG_VERSION_NUMBER" },
		});
		expect(server.received).toHaveLength(0);
	});

	test("with a port that closes the connection", async () => {
		const url = await listen(createServer((socket) => socket.once("data", () => socket.end())));
		expect(await catchRejection(send(url))).toMatchObject({ ...NOT_SENT, cause: { code: "ECONNRESET" } });
	});

	test.each<[title: string, code: string, create: () => Certificate, isTrusted: boolean]>([
		["that nobody vouches for", "DEPTH_ZERO_SELF_SIGNED_CERT", () => createCertificate(["127.0.0.1"]), false],
		["that is over", "CERT_HAS_EXPIRED", () => createCertificate(["127.0.0.1"], Date.now() - 1_000), true],
		["for another name", "ERR_TLS_CERT_ALTNAME_INVALID", () => createCertificate(["gateway.example"]), true],
	])("with a certificate %s", async (_title, code, create, isTrusted) => {
		const certificate = create();
		if (isTrusted) setDefaultCACertificates([certificate.cert]);
		const server = await startGateway(certificate);
		expect(await catchRejection(send(server.url))).toMatchObject({ ...NOT_SENT, cause: { code } });
		expect(server.received()).toBe(0);
	});

	test("while the same certificate with everything right is fine", async () => {
		const certificate = createCertificate(["127.0.0.1"]);
		setDefaultCACertificates([certificate.cert]);
		const server = await startGateway(certificate);
		expect(await send(server.url)).toMatchObject({ message: MESSAGE });
		expect(server.received()).toBe(1);
	});
});

/** Speaks TLS, responds to so many requests on each connection, and then writes plain bytes into it and ends it. */
function createBreakingServer(certificate: Certificate, maxRequests: number, bytes: Uint8Array): Server {
	return createServer((raw) => {
		const ciphered = new Duplex({
			read: () => undefined,
			write: (chunk: Uint8Array, _, done) => raw.write(chunk, done),
			final: (done) => done(),
		});
		raw.on("data", (chunk) => ciphered.push(chunk));
		const secureContext = createSecureContext(certificate);
		const plain = new TLSSocket(ciphered, { isServer: true, secureContext }).on("error", () => undefined);
		let requests = 0;
		plain.on("data", (chunk: Buffer) => {
			if (!chunk.includes("Hello")) return;
			requests += 1;
			if (requests <= maxRequests)
				plain.write(`HTTP/1.1 200 OK\r\nContent-Length: ${BODY.length}\r\n\r\n${BODY}`);
			else raw.end(bytes);
		});
	});
}

describe("TLS that breaks after the request is unknown, and a send is not repeated", () => {
	test.each<[title: string, maxRequests: number, bytes: Uint8Array]>([
		["by plain HTTP", 0, Buffer.from("HTTP/1.1 400 Bad Request\r\n\r\n")],
		["by an alert", 0, Buffer.from([21, 3, 3, 0, 2, 2, 40])],
		["by a record of another version", 0, Buffer.from([23, 9, 9, 0, 1, 0])],
		["by plain HTTP on a connection that served a call before", 1, Buffer.from("HTTP/1.1 400 Bad\r\n\r\n")],
	])("%s", async (_title, maxRequests, bytes) => {
		const certificate = createCertificate(["127.0.0.1"]);
		setDefaultCACertificates([certificate.cert]);
		const url = await listen(createBreakingServer(certificate, maxRequests, bytes));
		// A connection serves a further call once it is idle, which the next call may be too early for.
		let error: unknown;
		for (let calls = 0; error === undefined && calls < 20; calls++) {
			error = await send(url).then(
				() => undefined,
				(reason: unknown) => reason,
			);
		}
		expect(error).toMatchObject({ code: "connection_failed", outcome: "unknown", attempts: 1 });
	});
});
