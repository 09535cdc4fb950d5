import { execFile } from "node:child_process";
import http, { type ServerResponse } from "node:http";
import type { Transform } from "node:stream";
import { promisify } from "node:util";
import { createBrotliCompress, createDeflate, createGzip } from "node:zlib";
import { trace } from "@opentelemetry/api";
import { type ClientOptions, MessagingGateway } from "messaging-gateway";
import { nodeHttpFetch } from "messaging-gateway/node";
import { traceCalls } from "messaging-gateway/opentelemetry";
import { createLocalGateway } from "messaging-gateway/testing";
import { gatewayHandlers } from "messaging-gateway/testing/msw";
import { setupServer } from "msw/node";
import { afterEach, describe, expect, test, vi } from "vitest";
import { catchRejection } from "../support/catch-error.ts";
import { reply, startServer } from "../support/http-server.ts";
import { recordSpans } from "../support/recorded-spans.ts";
import { MESSAGE, REQUEST_ID, USER } from "../support/wire.ts";
import { startForwardProxy } from "./support/forward-proxy.ts";

afterEach(() => void vi.restoreAllMocks());

const BODY = {
	ok: true,
	data: { message: MESSAGE },
	meta: { requestId: REQUEST_ID, timestamp: "2026-01-01T00:00:00.000Z" },
};
const accepted = reply(202, BODY);

function send(baseUrl: string, options: ClientOptions = {}): Promise<unknown> {
	const credentials = { appId: "app-1", appSecret: "secret-1" };
	const fixed: ClientOptions = {
		baseUrl,
		...credentials,
		logLevel: "off",
		maxRetries: 0,
		fetch: nodeHttpFetch,
	};
	return new MessagingGateway({ ...fixed, ...options }).messages.sendText({ to: USER, text: "Hello" });
}

describe.each<[coding: string, create: () => Transform]>([
	["gzip", createGzip],
	["br", createBrotliCompress],
	["deflate", createDeflate],
])("a body in %s", (coding, create) => {
	function encode(write: (encoder: Transform) => void, header = coding) {
		return (response: ServerResponse) => {
			response.writeHead(202, { "Content-Type": "application/json", "Content-Encoding": header });
			const encoder = create();
			encoder.pipe(response);
			response.on("close", () => encoder.destroy());
			write(encoder);
		};
	}

	test("is decoded", async () => {
		await using server = await startServer(encode((encoder) => encoder.end(JSON.stringify(BODY))));
		expect(await send(server.url)).toMatchObject({ message: MESSAGE });
	});

	test("that decodes to more than maxResponseBytes is not read to its end, which never comes", async () => {
		const endless = encode((encoder) => {
			const write = (): void => {
				if (!encoder.destroyed) encoder.write(Buffer.alloc(1_000_000), () => setImmediate(write));
			};
			write();
		});
		await using server = await startServer(endless);
		const error = await catchRejection(send(server.url, { maxResponseBytes: 5_000_000 }));
		expect(error).toMatchObject({ code: "unexpected_response", outcome: "unknown" });
	});

	test("with one more coding that nobody knows is left as it is", async () => {
		const header = `${coding}, zebra`;
		await using server = await startServer(encode((encoder) => encoder.end(JSON.stringify(BODY)), header));
		expect(await catchRejection(send(server.url))).toMatchObject({ code: "unexpected_response" });
	});
});

test("MSW intercepts it", async () => {
	const local = createLocalGateway({ baseUrl: "https://gateway.example/api" });
	const server = setupServer(...gatewayHandlers(local));
	server.listen();
	try {
		const { appId, appSecret } = local.clientOptions;
		const options = { appId, appSecret };
		await send(local.baseUrl, options);
		expect(local.sent).toHaveLength(1);
		local.faults.dropConnection({ when: "after" });
		expect(await catchRejection(send(local.baseUrl, options))).toMatchObject({ outcome: "unknown" });
	} finally {
		server.close();
		await local.close();
	}
});

test("what replaces http.request, as OpenTelemetry does, gets the request within the attempt's span", async () => {
	using spans = recordSpans();
	const replaced = http.request;
	const active: unknown[] = [];
	vi.spyOn(http, "request").mockImplementation(((...rest: Parameters<typeof replaced>) => {
		active.push(Reflect.get(trace.getActiveSpan() ?? {}, "name"));
		return replaced(...rest);
	}) as typeof replaced);
	await using server = await startServer(accepted);
	await send(server.url, { hooks: traceCalls() });
	expect(active).toEqual(["POST /message/text"]);
	expect(spans.tree()).toHaveLength(2);
});

test("goes through the proxy of the environment where Node does, and no other way where it changes", async () => {
	await using server = await startServer(accepted);
	await using proxy = await startForwardProxy(Number(new URL(server.url).port));
	const proxyEnv = { ...process.env, HTTP_PROXY: `http://127.0.0.1:${proxy.port}`, NO_PROXY: "" };
	const direct = http.globalAgent;
	const global = vi.spyOn(http, "globalAgent", "get").mockReturnValue(new http.Agent({ proxyEnv }));
	expect(await send("http://gateway.example")).toMatchObject({ message: MESSAGE });
	expect(proxy.requested).toHaveLength(1);
	global.mockReturnValue(direct);
	expect(await send(server.url)).toMatchObject({ message: MESSAGE });
	expect([proxy.requested.length, server.received.length]).toEqual([1, 2]);
});

test("a send loads nothing of the platform's fetch", async () => {
	await using server = await startServer(accepted);
	const source = `
		import { MessagingGateway } from "messaging-gateway";
		import { nodeHttpFetch } from "messaging-gateway/node";
		const credentials = { baseUrl: "${server.url}", appId: "app-1", appSecret: "secret-1" };
		const gateway = new MessagingGateway({ ...credentials, fetch: nodeHttpFetch });
		await gateway.messages.sendText({ to: "${USER}", text: "Hello" }, { headers: { "X-Trace": "1" } });
		console.log(process.moduleLoadList.filter((name) => name.includes("undici")));
	`;
	const flags = ["--conditions=@messaging-gateway/source", "--input-type=module", "--eval", source];
	const { stdout } = await promisify(execFile)(process.execPath, flags);
	expect(stdout).toBe("[]\n");
});
