import { getEventListeners } from "node:events";
import http from "node:http";
import https from "node:https";
import { Socket } from "node:net";
import {
	type ClientOptions,
	type CustomFetch,
	MessagingGateway,
	type MessagingGatewayError,
} from "messaging-gateway";
import { nodeHttpFetch } from "messaging-gateway/node";
import { afterEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { catchRejection } from "../support/catch-error.ts";
import { holdClosedPort } from "../support/closed-port.ts";
import { MESSAGE, USER } from "../support/wire.ts";
import { startForwardProxy } from "./support/forward-proxy.ts";
import { accepted, type RawServer, response, startRawServer } from "./support/raw-server.ts";

afterEach(() => {
	vi.restoreAllMocks();
	vi.useRealTimers();
});

function connect(baseUrl: string, options: ClientOptions = {}): MessagingGateway {
	return new MessagingGateway({
		baseUrl,
		appId: "app-1",
		appSecret: "secret-1",
		logLevel: "off",
		maxRetries: 0,
		fetch: nodeHttpFetch,
		...options,
	});
}

const send = (gateway: MessagingGateway) => gateway.messages.sendText({ to: USER, text: "Hello" });

async function failToSend(baseUrl: string, options?: ClientOptions): Promise<MessagingGatewayError> {
	return (await catchRejection(send(connect(baseUrl, options)))) as MessagingGatewayError;
}

/** What a response that is a success looks like to somebody who asks for the raw one. */
async function rawHeaders(server: { url: string }): Promise<Headers> {
	const { response: raw } = await send(connect(server.url)).withResponse();
	return raw.headers;
}

/** A request without the client. */
function request(url: string, further: Partial<Parameters<CustomFetch>[1]> = {}) {
	const { signal } = new AbortController();
	return nodeHttpFetch(url, { method: "POST", headers: {}, redirect: "manual", signal, ...further });
}

describe("what was written decides the outcome", () => {
	test("a connection that the server closes as it is used again: unknown, and sent once", async () => {
		await using server = await startRawServer((connection, nth) => {
			if (nth === 1) connection.write(accepted());
			else connection.destroy();
		});
		await send(connect(server.url));
		const error = await failToSend(server.url, { maxRetries: 2 });
		expect(error).toMatchObject({ code: "connection_failed", outcome: "unknown", attempts: 1 });
		expect([server.requests, server.connections.length]).toEqual([2, 1]);
	});

	test("a connection that is refused, by a port or by all addresses of a name: not_sent", async () => {
		await using closed = await holdClosedPort();
		const { port } = new URL(closed.url);
		for (const host of ["127.0.0.1", "[::1]", "localhost"])
			expect(await failToSend(`http://${host}:${port}`)).toMatchObject({ outcome: "not_sent" });
	});

	test("a connection that cannot be made, for whatever reason: not_sent, and tried again", async () => {
		await using server = await startRawServer(accepted());
		const opening = vi.spyOn(http.Agent.prototype, "createConnection");
		for (const code of ["EMFILE", "EADDRNOTAVAIL", "SOMETHING"]) {
			opening.mockImplementationOnce(() => {
				throw Object.assign(new Error("it is said otherwise"), { code });
			});
			const error = await failToSend(server.url);
			expect(error).toMatchObject({ outcome: "not_sent", cause: { code } });
		}
		opening.mockImplementationOnce(() => {
			throw new Error("it is said otherwise");
		});
		expect(await send(connect(server.url, { maxRetries: 1 }))).toMatchObject({ message: MESSAGE });
		expect(server.requests).toBe(1);
	});

	test("a handshake that takes longer than ten seconds: not_sent, before the attempt's own time is over", async () => {
		vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
		await using server = await startRawServer("");
		const failure = failToSend(server.url.replace("http:", "https:"));
		await expect.poll(() => server.connections).toHaveLength(1);
		// To the end of the attempt, whose own failure is of unknown outcome.
		await vi.advanceTimersByTimeAsync(15_000);
		expect(await failure).toMatchObject({ outcome: "not_sent", cause: { code: "ETIMEDOUT" } });
	});

	test("words that sound as if nothing was sent prove nothing after it was, also if nobody counted", async () => {
		await using server = await startRawServer((connection) => connection.destroy());
		const fetch: CustomFetch = (url, { headers: { "X-Nonce": _nonce, ...headers }, ...init }) =>
			nodeHttpFetch(url, { ...init, headers }).catch((error: Error) => {
				throw Object.assign(error, {
					code: "ECONNREFUSED",
					syscall: "connect",
					message: "connect ECONNREFUSED",
				});
			});
		expect(await failToSend(server.url, { fetch })).toMatchObject({ outcome: "unknown" });
		expect(server.requests).toBe(1);
	});

	test("a repeat that is refused after the first try was written: unknown", async () => {
		const server = await startRawServer((connection) => {
			void server[Symbol.asyncDispose]();
			connection.destroy();
		});
		const fetch: CustomFetch = (url, init) => nodeHttpFetch(url, init).catch(() => nodeHttpFetch(url, init));
		const error = await failToSend(server.url, { fetch });
		expect(error).toMatchObject({ outcome: "unknown", attempts: 1, cause: { code: "ECONNREFUSED" } });
		expect(server.requests).toBe(1);
	});

	test.each([
		["a header of the connection", { Expect: "100-continue" }],
		["a length", { "Content-Length": "5" }],
		["a header with a line break", { "X-A": "a\nb" }],
	])("%s is rejected, and nothing was sent", async (_title, headers) => {
		await using server = await startRawServer(accepted());
		const fetch: CustomFetch = (url, init) =>
			nodeHttpFetch(url, { ...init, headers: { ...init.headers, ...headers } });
		expect(await failToSend(server.url, { fetch })).toMatchObject({ outcome: "not_sent" });
		expect(server.requests).toBe(0);
	});

	test("a proxy that hangs up at the tunnel, or is not there: not_sent", async () => {
		const proxy = await startForwardProxy(1, "403 Forbidden");
		const proxyEnv = { ...process.env, HTTPS_PROXY: `http://127.0.0.1:${proxy.port}` };
		// As NODE_USE_ENV_PROXY does it.
		vi.spyOn(https, "globalAgent", "get").mockReturnValue(new https.Agent({ proxyEnv }));
		expect(await failToSend("https://gateway.example")).toMatchObject({ outcome: "not_sent" });
		expect(proxy.requested).toEqual(["gateway.example:443"]);
		await proxy[Symbol.asyncDispose]();
		expect(await failToSend("https://gateway.example")).toMatchObject({ outcome: "not_sent" });
	});
	describe("a handshake through a tunnel", () => {
		async function begin(): Promise<[target: RawServer, failure: Promise<MessagingGatewayError>]> {
			const target = await startRawServer("");
			const proxy = await startForwardProxy(Number(new URL(target.url).port));
			onTestFinished(async () => {
				await proxy[Symbol.asyncDispose]();
				await target[Symbol.asyncDispose]();
			});
			const proxyEnv = { ...process.env, HTTPS_PROXY: `http://127.0.0.1:${proxy.port}` };
			vi.spyOn(https, "globalAgent", "get").mockReturnValue(new https.Agent({ proxyEnv }));
			const fetch: CustomFetch = (url, init) =>
				nodeHttpFetch(url, init).catch((error: Error) => {
					throw Object.assign(error, { message: "write EPIPE" });
				});
			const failure = failToSend("https://gateway.example", { fetch });
			await expect.poll(() => target.connections).toHaveLength(1);
			return [target, failure];
		}

		test("that breaks: not_sent, whatever the words are", async () => {
			const [target, failure] = await begin();
			target.connections[0]?.destroy();
			expect(await failure).toMatchObject({ outcome: "not_sent" });
		});

		test("that takes longer than ten seconds: not_sent", async () => {
			vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
			const [, failure] = await begin();
			await vi.advanceTimersByTimeAsync(15_000);
			expect(await failure).toMatchObject({ outcome: "not_sent", cause: { code: "ETIMEDOUT" } });
		});
	});

	test("a kept connection that is destroyed as a request takes it: not_sent", async () => {
		await using server = await startRawServer(accepted());
		await send(connect(server.url));
		await new Promise((resolve) => setImmediate(resolve));
		vi.spyOn(http.Agent.prototype, "reuseSocket").mockImplementationOnce((socket) => socket.destroy());
		expect(await failToSend(server.url)).toMatchObject({ outcome: "not_sent" });
		expect(server.requests).toBe(1);
	});
});

describe("requests", () => {
	test("the URL, an address of IPv6 and the headers are given to Node as they are", async () => {
		const open = vi.spyOn(http, "request").mockImplementation(() => {
			throw new Error("it is enough");
		});
		const headers = { "User-Agent": "mine", Expected: "1", "X-Upgrade": "2" };
		await catchRejection(request("http://[::1]:81/a%20b?c=%2F", { headers }));
		await catchRejection(request("http://host.example"));
		expect(open.mock.calls).toMatchObject([
			[{ hostname: "::1", port: "81", path: "/a%20b?c=%2F", headers }],
			[{ hostname: "host.example", port: "", path: "/", headers: { "user-agent": "node" } }],
		]);
	});

	test.each([
		["ftp://host.example", "the URL must begin with http: or https:"],
		["host", "Invalid URL"],
	])("%s is rejected: %s", async (url, message) => {
		expect(await catchRejection(request(url))).toMatchObject({ name: "TypeError", message });
	});
});

describe("responses", () => {
	test.each<[title: string, answer: string]>([
		["100", `HTTP/1.1 100 Continue\r\n\r\n${accepted()}`],
		["103", `HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n${accepted()}`],
		["several 102", "HTTP/1.1 102 Processing\r\n\r\n".repeat(5) + accepted()],
	])("a %s before the response is passed over", async (_title, answer) => {
		await using server = await startRawServer(answer);
		expect(await send(connect(server.url))).toMatchObject({ message: MESSAGE });
	});

	test.each<[title: string, answer: string, outcome: string]>([
		["nothing", "", "unknown"],
		["no HTTP", "nonsense\r\n\r\n", "unknown"],
		[
			"another protocol",
			"HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: a\r\n\r\n",
			"unknown",
		],
		["a head, and no body", accepted().split("{")[0] ?? "", "unknown"],
		["half a body", accepted().slice(0, -20), "accepted"],
		["a body that is not gzip", response("202 Accepted", "abc", ["Content-Encoding: gzip"]), "unknown"],
	])("%s, and then the end: %s", async (_title, answer, outcome) => {
		await using server = await startRawServer((connection) => void connection.end(answer));
		expect(await failToSend(server.url)).toMatchObject({ code: "connection_failed", outcome });
	});

	test.each(["302 Found", "307 Temporary Redirect", "308 Permanent Redirect"])(
		"a %s is not followed",
		async (status) => {
			await using other = await startRawServer(accepted());
			await using server = await startRawServer(
				response(status, "", [`Location: ${other.url}/message/text`]),
			);
			expect(await failToSend(server.url)).toMatchObject({ status: Number.parseInt(status, 10) });
			expect([server.requests, other.requests]).toEqual([1, 0]);
		},
	);

	test("repeated headers are joined as fetch joins them, and cookies stay apart", async () => {
		const lines = [
			"X-A: 1",
			"x-a: 2",
			"Set-Cookie: a=1",
			"Set-Cookie: b=2, c",
			"Retry-After: 1",
			"Retry-After: 2",
		];
		await using server = await startRawServer(accepted(...lines));
		const ours = await rawHeaders(server);
		expect([...ours]).toEqual([...(await fetch(server.url, { method: "POST" })).headers]);
		expect(ours.get("X-A")).toBe("1, 2");
		const { headers } = await request(server.url);
		const each: string[] = [];
		headers.forEach((value, name) => void each.push(`${name}: ${value}`));
		expect(each.slice(1)).toEqual([
			"x-a: 1, 2",
			"set-cookie: a=1",
			"set-cookie: b=2, c",
			"retry-after: 1, 2",
		]);
		expect([headers.get("SET-COOKIE"), headers.has("x-b"), headers.get("x-b")]).toEqual([
			"a=1, b=2, c",
			false,
			null,
		]);
	});

	test("one that comes before the request was read ends the request, whose connection is not used again", async () => {
		await using server = await startRawServer((connection) => {
			connection.pause().write(response("413 Content Too Large"));
		});
		const gateway = connect(server.url);
		const text = "x".repeat(8_000_000);
		const call = gateway.request("POST", "/x", { body: { text } });
		expect(await catchRejection(call)).toMatchObject({ status: 413, outcome: "rejected" });
		server.connections[0]?.resume();
		await expect.poll(() => server.connections[0]?.closed).toBe(true);
	});

	test("one that is larger than maxResponseBytes ends its connection, also if it goes on", async () => {
		const chunk = `7d0\r\n${"x".repeat(2000)}\r\n`;
		await using server = await startRawServer(
			`HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${chunk}`,
		);
		const error = await failToSend(server.url, { maxResponseBytes: 1000 });
		expect(error).toMatchObject({ code: "unexpected_response" });
		await expect.poll(() => server.connections[0]?.closed).toBe(true);
	});

	test("text() reads a body whole", async () => {
		await using server = await startRawServer(response("200 OK", "Grüße"));
		const arrived = await request(server.url, { body: new Uint8Array(3) });
		expect([arrived.status, arrived.statusText, await arrived.text()]).toEqual([200, "OK", "Grüße"]);
	});
});

describe("connections", () => {
	test.each<[header: string, needed: number]>([
		["Keep-Alive: timeout=1", 2],
		["Keep-Alive: timeout=0", 2],
		["Keep-Alive: max=5, timeout=1", 2],
		["Connection: close", 2],
		["Keep-Alive: timeout=2, max=5", 1],
		["Keep-Alive: max=5", 1],
		["X-None: 1", 1],
	])("after %s two calls need %i of them", async (header, needed) => {
		await using server = await startRawServer(accepted(header));
		await send(connect(server.url));
		// What cannot be used again is closed at once.
		if (needed > 1) await expect.poll(() => server.connections[0]?.closed).toBe(true);
		await new Promise((resolve) => setImmediate(resolve));
		await send(connect(server.url));
		expect(server.connections).toHaveLength(needed);
	});

	test.each([
		["is used as long as its server keeps it", 58_000, 1],
		["that was idle for longer is not used, also if no timer ran", 59_500, 2],
	])("one %s", async (_title, idleMs, needed) => {
		await using server = await startRawServer(accepted("Keep-Alive: timeout=60"));
		await send(connect(server.url));
		await new Promise((resolve) => setImmediate(resolve));
		const now = Date.now();
		vi.spyOn(Date, "now").mockImplementation(() => now + idleMs);
		await send(connect(server.url));
		expect(server.connections).toHaveLength(needed);
	});

	test("one that was idle for too long is not used in the place of an older one that is kept for longer", async () => {
		await using server = await startRawServer((connection, nth) => {
			// All are open before the first of them is free.
			if (nth < 3) return;
			for (const each of nth === 3 ? server.connections : [connection])
				each.write(accepted(`Keep-Alive: timeout=${each === server.connections[2] ? 5 : 60}`));
		});
		const sendAll = async (count: number) => {
			await Promise.all(Array.from({ length: count }, () => send(connect(server.url))));
			await new Promise((resolve) => setImmediate(resolve));
		};
		await sendAll(3);
		const now = Date.now();
		const clock = vi.spyOn(Date, "now").mockImplementation(() => now + 10_000);
		await sendAll(1);
		expect(server.connections).toHaveLength(3);
		// One of the two that are left was used since, and the other one is over.
		clock.mockImplementation(() => now + 65_000);
		await sendAll(2);
		expect(server.connections).toHaveLength(4);
	});

	test("one is closed by a timer when its server would close it", async () => {
		await using server = await startRawServer(accepted("Keep-Alive: timeout=60"));
		const limit = vi.spyOn(Socket.prototype, "setTimeout");
		await send(connect(server.url));
		await new Promise((resolve) => setImmediate(resolve));
		expect(limit).toHaveBeenLastCalledWith(59_000);
	});

	test("one whose response takes longer than it may take to connect is left alone", async () => {
		vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
		await using server = await startRawServer(() => undefined);
		const sent = send(connect(server.url));
		await expect.poll(() => server.requests).toBe(1);
		await vi.advanceTimersByTimeAsync(14_000);
		server.connections[0]?.write(accepted());
		expect(await sent).toMatchObject({ message: MESSAGE });
	});
});

describe("a signal that aborts", () => {
	const reason = new Error("the user left");

	test("before the request: nothing is opened", async () => {
		await using server = await startRawServer(accepted());
		expect(await catchRejection(request(server.url, { signal: AbortSignal.abort(reason) }))).toBe(reason);
		expect(server.connections).toHaveLength(0);
	});

	/** Whether the connection was closed, and no listener is left on the signal. */
	async function expectReleased(server: RawServer, signal: AbortSignal): Promise<void> {
		await expect.poll(() => server.connections[0]?.closed).toBe(true);
		await expect.poll(() => getEventListeners(signal, "abort")).toEqual([]);
	}

	test("before the response: the connection is closed", async () => {
		const controller = new AbortController();
		await using server = await startRawServer(() => controller.abort(reason));
		expect(await catchRejection(request(server.url, { signal: controller.signal }))).toBe(reason);
		await expectReleased(server, controller.signal);
	});

	test("within the body: the connection is closed", async () => {
		const controller = new AbortController();
		await using server = await startRawServer("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc");
		const body = (await request(server.url, { signal: controller.signal })).text();
		controller.abort(reason);
		expect(await catchRejection(body)).toBe(reason);
		await expectReleased(server, controller.signal);
	});

	test("after the response: it changes nothing", async () => {
		const controller = new AbortController();
		await using server = await startRawServer(response("200 OK", "abc"));
		const arrived = await request(server.url, { signal: controller.signal });
		expect(await arrived.text()).toBe("abc");
		controller.abort(reason);
		expect(await (await request(server.url)).text()).toBe("abc");
		expect(server.connections).toHaveLength(1);
	});
});
