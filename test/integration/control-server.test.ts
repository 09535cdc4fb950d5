import { once } from "node:events";
import { type ClientRequest, request as httpRequest, type IncomingMessage } from "node:http";
import { connect } from "node:net";
import { MessagingGateway } from "messaging-gateway";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ASSUMED_LIMITS } from "../../src/library/catalogue/limits.ts";
import type { Snapshot } from "../../src/tools/control/contract.ts";
import {
	type ControlledGateway,
	createControlledGateway,
} from "../../src/tools/control/create-controlled-gateway.ts";
import { createControlRoutes } from "../../src/tools/control/http/create-control-routes.ts";
import { LOOPBACK_HOSTS, underHosts } from "../../src/tools/control/http/hosts.ts";
import { type HttpServer, serveGateway } from "../../src/tools/local-gateway/http-server.ts";
import { maxRequestBytes } from "../../src/tools/local-gateway/incoming.ts";
import { inOrder } from "../../src/tools/local-gateway/routes.ts";
import { sendThenRead } from "./support/send-then-read.ts";

const ALICE = "+15551234567";
/** A request of the assumed limits would be large. */
const LIMITS = { ...ASSUMED_LIMITS, attachments: 1, attachmentBytes: 1_000_000 };
const HEADERS = { Authorization: "Bearer token" };

let controlled: ControlledGateway;
let server: HttpServer;
/** The listeners to changes. */
let listeners: Set<object>;

beforeEach(async () => {
	controlled = createControlledGateway({ deliverTo: () => new Response(), profile: { limits: LIMITS } });
	const present = new Set<object>();
	listeners = present;
	const { control } = controlled;
	const counted = {
		...control,
		subscribe: (listener: Parameters<typeof control.subscribe>[0]) => {
			const end = control.subscribe(listener);
			present.add(listener);
			return () => {
				present.delete(listener);
				end();
			};
		},
	};
	const pages = underHosts(LOOPBACK_HOSTS, ({ url }) =>
		new URL(url).pathname === "/" ? Promise.resolve(new Response("page")) : undefined,
	);
	const routes = inOrder(createControlRoutes(counted, { token: "token", hosts: LOOPBACK_HOSTS }), pages);
	server = await serveGateway(controlled.local, { port: 0, host: "127.0.0.1", routes });
});

afterEach(async () => {
	await server.close();
	await controlled.local[Symbol.asyncDispose]();
});

/** Opens a request whose response is read by hand. */
function open(
	path: string,
	headers: Record<string, string> = HEADERS,
): Promise<[ClientRequest, IncomingMessage]> {
	return new Promise((resolve, reject) => {
		const request = httpRequest(server.origin + path, { headers }, (response) =>
			resolve([request, response]),
		);
		request.on("error", reject).end();
	});
}

test("the API, the pages and the control under one address", async () => {
	const { appId, appSecret } = controlled.local;
	const gateway = new MessagingGateway({ baseUrl: server.origin, appId, appSecret });
	await gateway.messages.sendText({ to: ALICE, text: "Hello" });
	expect(await (await fetch(`${server.origin}/`)).text()).toBe("page");
	const snapshot: Snapshot = await (
		await fetch(`${server.origin}/_local/snapshot`, { headers: HEADERS })
	).json();
	expect(snapshot.messages).toMatchObject([{ text: "Hello" }]);
	expect((await fetch(`${server.origin}/_local/snapshot`)).status).toBe(401);
});

test("another name of the same address is rejected, for pages as well", async () => {
	for (const [path, status] of [
		["/", 403],
		["/_local/snapshot", 403],
		["/health", 200],
	] as const) {
		const [, response] = await open(path, { ...HEADERS, Host: "rebound.example" });
		expect([path, response.resume().statusCode]).toEqual([path, status]);
	}
});

test("changes arrive while the response is still under way", async () => {
	const [request, response] = await open("/_local/stream");
	response.setEncoding("utf8");
	let text = "";
	response.on("data", (piece: string) => {
		text += piece;
	});
	await expect.poll(() => text).toMatch(/^event: snapshot\ndata: .*\n\n$/);
	await controlled.control.act({ type: "reply", from: ALICE, text: "live" });
	await expect.poll(() => text).toContain('"text":"live"');
	expect(text.match(/^event: change$/gm)?.length).toBeGreaterThan(1);
	expect(response.complete).toBe(false);
	request.destroy();
});

test("when a reader disconnects, no listener is left", async () => {
	const [request] = await open("/_local/stream");
	expect(listeners.size).toBe(1);
	request.destroy();
	await expect.poll(() => listeners.size).toBe(0);
});

test("a reader that reads nothing is dropped", async () => {
	const socket = connect(server.port, "127.0.0.1");
	socket.on("error", () => {});
	const lines = ["GET /_local/stream HTTP/1.1", "Host: localhost", "Authorization: Bearer token", "", ""];
	socket.write(lines.join("\r\n"));
	await expect.poll(() => listeners.size).toBe(1);
	socket.pause();
	const text = "x".repeat(18_000);
	for (let times = 0; times < 4_000 && listeners.size > 0; times++) {
		await controlled.control.act({ type: "reply", from: ALICE, text });
	}
	expect(listeners.size).toBe(0);
	// It does not delay the others.
	expect((await fetch(`${server.origin}/_local/snapshot`, { headers: HEADERS })).status).toBe(200);
	socket.destroy();
});

test("an action arrives whole, in whatever chunks", async () => {
	const action = JSON.stringify({ type: "reply", from: ALICE, text: "ünï".repeat(5_000) });
	const status = await new Promise((resolve, reject) => {
		const options = { method: "POST", headers: HEADERS };
		const request = httpRequest(`${server.origin}/_local/actions`, options, (response) =>
			resolve(response.resume().statusCode),
		);
		request.on("error", reject);
		const bytes = Buffer.from(action);
		for (let at = 0; at < bytes.length; at += 1_001) request.write(bytes.subarray(at, at + 1_001));
		request.end();
	});
	expect(status).toBe(200);
	expect(controlled.control.snapshot().messages[0]?.text).toHaveLength(15_000);
});

test("one that is too large is rejected while it is on its way, and the server lives on", async () => {
	const request = httpRequest(`${server.origin}/_local/actions`, { method: "POST", headers: HEADERS });
	request.write(Buffer.alloc(maxRequestBytes(LIMITS) + 1)); // And it never ends.
	const [response] = await once(request, "response");
	request.destroy();
	expect(response.statusCode).toBe(413);
	expect((await fetch(`${server.origin}/`)).status).toBe(200);
});

test("its 413 reaches a sender that writes all of it before it reads", async () => {
	expect(await sendThenRead(`${server.origin}/_local/actions`, Object.entries(HEADERS))).toBe(413);
});

test("methods that Fetch forbids are left to the gateway", async () => {
	const response = await new Promise<string>((resolve) => {
		const socket = connect(server.port, "127.0.0.1", () =>
			socket.end("TRACE /_local/snapshot HTTP/1.1\r\nHost: localhost\r\n\r\n"),
		);
		socket.once("data", (data) => resolve(String(data)));
	});
	expect(response).toMatch(/^HTTP\/1\.1 404 /);
});

test("closing ends the streams", async () => {
	const [, response] = await open("/_local/stream");
	const ended = new Promise((resolve) => response.once("close", resolve));
	response.on("error", () => {}).resume();
	await server.close();
	await ended;
	await expect.poll(() => listeners.size).toBe(0);
});
