import type { ServerResponse } from "node:http";
import { type ClientOptions, type CustomFetch, MessagingGateway } from "messaging-gateway";
import { createAdjustableClock, systemClock } from "messaging-gateway/testing";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { nextTask } from "../../src/tools/local-gateway/next-task.ts";
import { catchRejection } from "../support/catch-error.ts";
import {
	breakOff,
	hangUp,
	type ReceivedRequest,
	type Respond,
	reply,
	startServer,
} from "../support/http-server.ts";
import { EMPTY_HASH, hmacSha256, sha256 } from "../support/node-crypto.ts";
import { transport } from "../support/transport.ts";
import { MAPPING, MESSAGE, REQUEST_ID, USER } from "../support/wire.ts";

const APP_SECRET = "integration-secret";
const meta = { requestId: REQUEST_ID, timestamp: new Date().toISOString() };
const mapping = reply(200, { ok: true, data: { mapping: MAPPING }, meta });
const message = reply(202, { ok: true, data: { message: MESSAGE }, meta });
const busy = reply(429, {
	ok: false,
	error: { code: "RATE_LIMITED", message: "slow down", requestId: REQUEST_ID },
});
const failed = reply(502, "<html>Bad gateway</html>", { "Content-Type": "text/html" });

function connect(baseUrl: string, options: ClientOptions = {}): MessagingGateway {
	return new MessagingGateway({
		baseUrl,
		appId: "app-1",
		appSecret: APP_SECRET,
		logLevel: "off",
		...transport,
		...options,
	});
}

/** Checks a request like a gateway (specification, section 5.1), over the bytes that arrived. */
function expectSigned({ method, target, headers, body }: ReceivedRequest): void {
	const bodyHash = body.length === 0 ? EMPTY_HASH : sha256(body);
	const path = target.split("?")[0];
	const toSign = [method, path, bodyHash, headers["x-timestamp"], headers["x-nonce"]].join("\n");
	expect(headers.authorization).toBe(`HMAC ${hmacSha256(APP_SECRET, toSign)}`);
	expect(headers["x-app-id"]).toBe("app-1");
	expect(headers["x-timestamp"]).toMatch(/^\d{13}$/);
	expect(headers["x-nonce"]).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
}

// The back-off's delays are drawn from 0 up, so that no test waits.
beforeEach(() => void vi.spyOn(Math, "random").mockReturnValue(0.004));
afterEach(() => vi.restoreAllMocks());

describe("the attempts of one call, as a server gets them", () => {
	test.each<
		[title: string, call: (gateway: MessagingGateway) => PromiseLike<unknown>, steps: readonly Respond[]]
	>([
		["a read", (gateway) => gateway.mappings.get(USER), [failed, hangUp, mapping]],
		[
			"a send",
			(gateway) => gateway.messages.sendText({ to: USER, text: "Grüße 🎉 \u2028" }),
			[busy, busy, message],
		],
		[
			"a change",
			(gateway) => gateway.mappings.update(USER, { maxConsecutiveMessages: 3 }),
			[breakOff(500), failed, mapping],
		],
	])(
		"have nonce, timestamp and signature of their own over the bytes that arrived: %s",
		async (_title, call, steps) => {
			await using server = await startServer(...steps);
			let nowMs = Date.now();
			await call(connect(server.url, { clock: { ...systemClock, now: () => nowMs++ } }));
			expect(server.received).toHaveLength(3);
			for (const request of server.received) expectSigned(request);
			const unlike = (name: string) => new Set(server.received.map(({ headers }) => headers[name])).size;
			expect(unlike("x-nonce")).toBe(3);
			expect(unlike("authorization")).toBe(3);
			const times = server.received.map(({ headers }) => Number(headers["x-timestamp"]));
			expect(times).toEqual(times.toSorted((left, right) => left - right));
			expect(new Set(times).size).toBe(3);
			expect(new Set(server.received.map(({ body }) => body.toString())).size).toBe(1);
		},
	);

	test("carry the path as it was signed, a base path and a query included", async () => {
		await using server = await startServer(
			reply(200, { ok: true, data: { messages: [], nextCursor: null }, meta }),
		);
		await connect(`${server.url}/api/v1/`).analytics.listMessages(USER, { cursor: "a b/ü+&", limit: 5 });
		const [request] = server.received;
		expect(request?.target).toMatch(/^\/api\/v1\/analytics\/conversation\/%2B15551234567\?/);
		expectSigned(request as ReceivedRequest);
	});

	test("carry no body and no content type where there is none", async () => {
		await using server = await startServer(mapping);
		await connect(server.url).mappings.reset(USER);
		const [request] = server.received;
		expect(request?.body).toHaveLength(0);
		expect(request?.headers).not.toHaveProperty("content-type");
		expectSigned(request as ReceivedRequest);
	});

	test("carry attachments of several megabytes whole", async () => {
		await using server = await startServer(message);
		const data = crypto.getRandomValues(new Uint8Array(65_536));
		const large = new Uint8Array(3 * 1024 * 1024).map((_, at) => data[at % data.length] ?? 0);
		await connect(server.url).messages.sendAttachments({
			to: USER,
			attachments: [{ data: large, name: "a.bin" }],
		});
		const [request] = server.received;
		expectSigned(request as ReceivedRequest);
		const { attachments } = JSON.parse(request?.body.toString() ?? "") as { attachments: [{ data: string }] };
		expect(Buffer.from(attachments[0].data, "base64").equals(large)).toBe(true);
	});
});

describe("connections", () => {
	test("one that is refused was not sent, and is tried again for every operation", async () => {
		const server = await startServer(message);
		await server[Symbol.asyncDispose]();
		const error = await catchRejection(connect(server.url).messages.sendText({ to: USER, text: "Hello" }));
		expect(error).toMatchObject({ code: "connection_failed", outcome: "not_sent", attempts: 3 });
		expect((error as Error).cause).toMatchObject({ code: "ECONNREFUSED" });
	});

	test("one that is refused after a transport's own repeat may have been sent before", async () => {
		const server = await startServer((response) => {
			void server[Symbol.asyncDispose]();
			response.destroy();
		});
		const once: CustomFetch = transport.fetch ?? fetch;
		const repeating: CustomFetch = (url, init) => once(url, init).catch(() => once(url, init));
		const gateway = connect(server.url, { fetch: repeating });
		const error = await catchRejection(gateway.messages.sendText({ to: USER, text: "Hello" }));
		expect(error).toMatchObject({ outcome: "unknown", attempts: 1, cause: { code: "ECONNREFUSED" } });
		expect(server.received).toHaveLength(1);
	});

	test("a name that does not resolve was not sent", async () => {
		const error = await catchRejection(
			connect("http://gateway.invalid", { maxRetries: 0 }).mappings.get(USER),
		);
		expect(error).toMatchObject({ code: "connection_failed", outcome: "not_sent" });
	});

	test("a send whose connection breaks is not retried: the message may have been sent", async () => {
		await using server = await startServer(hangUp);
		const error = await catchRejection(connect(server.url).messages.sendText({ to: USER, text: "Hello" }));
		expect(error).toMatchObject({ code: "connection_failed", outcome: "unknown", attempts: 1 });
		expect(server.received).toHaveLength(1);
	});

	test("a send whose response breaks off was accepted, and is not retried", async () => {
		await using server = await startServer(breakOff(202));
		const error = await catchRejection(connect(server.url).messages.sendText({ to: USER, text: "Hello" }));
		expect(error).toMatchObject({ code: "connection_failed", outcome: "accepted", attempts: 1 });
		expect(server.received).toHaveLength(1);
	});

	test("an attempt that takes too long is ended, before and during its response", async () => {
		const begin = standStill(200);
		for (const [step, outcome] of [
			[() => undefined, "unknown"],
			[begin, "accepted"],
		] as const) {
			await using server = await startServer(step);
			const clock = createAdjustableClock({ frozen: true });
			const fetch = vi.fn<CustomFetch>(transport.fetch ?? globalThis.fetch);
			const gateway = connect(server.url, { attemptTimeoutMs: 60, maxRetries: 0, clock, fetch });
			const failure = catchRejection(gateway.mappings.get(USER));
			await expect.poll(() => server.received).toHaveLength(1);
			if (outcome === "accepted") await fetch.mock.results[0]?.value;
			await nextTask();
			await clock.advance(60);
			expect(await failure).toMatchObject({ code: "timeout", scope: "attempt", outcome });
		}
	});

	test("a caller's abort ends the request with its own reason", async () => {
		const controller = new AbortController();
		const reason = new Error("the user left");
		await using server = await startServer(() => controller.abort(reason));
		const call = connect(server.url).mappings.get(USER, { signal: controller.signal });
		expect(await catchRejection(call)).toBe(reason);
	});

	test("a body over the limit is not read to its end", async () => {
		const endless = (response: ServerResponse) => {
			response.writeHead(200);
			const write = () => {
				while (!response.destroyed && response.write("x".repeat(65_536)));
				response.once("drain", write);
			};
			write();
		};
		await using server = await startServer(endless);
		const error = await catchRejection(connect(server.url, { maxResponseBytes: 100_000 }).mappings.get(USER));
		expect(error).toMatchObject({ code: "unexpected_response", outcome: "unknown" });
	});
});

describe("redirects", () => {
	test.each([301, 302, 303, 307, 308])(
		"a %i is an error that reports it, and the signature is not forwarded",
		async (status) => {
			await using elsewhere = await startServer(mapping);
			await using server = await startServer(reply(status, "", { Location: `${elsewhere.url}/mapping/x` }));
			for (const call of [
				() => connect(server.url).mappings.get(USER),
				() => connect(server.url).messages.sendText({ to: USER, text: "Hello" }),
			]) {
				const error = (await catchRejection(call())) as Error;
				expect(error).toMatchObject({ code: "unexpected_status", status, attempts: 1 });
				expect(error.message).toContain("redirects aren't followed");
				expect(error.message).toContain("Set baseUrl to the final address");
				expect(error.message).not.toContain(elsewhere.url);
			}
			expect(server.received).toHaveLength(2);
			expect(elsewhere.received).toHaveLength(0);
		},
	);

	test("one to the same origin is not followed either", async () => {
		await using server = await startServer(reply(307, "", { Location: "/elsewhere" }), mapping);
		await catchRejection(connect(server.url).mappings.get(USER));
		expect(server.received).toHaveLength(1);
	});
});

test("a clock that is an hour off is corrected by the server's Date", async () => {
	const hourMs = 3_600_000;
	const theirMs = 1_767_225_600_000;
	const refused = reply(
		401,
		{ ok: false, error: { code: "UNAUTHORIZED", message: "no", requestId: REQUEST_ID } },
		{ Date: new Date(theirMs).toUTCString() },
	);
	await using server = await startServer(refused, mapping);
	const clock = { ...systemClock, now: () => theirMs - hourMs, monotonicNow: () => 0 };
	const gateway = connect(server.url, { clock });
	const { attempts } = await gateway.mappings.get(USER).withResponse();
	expect(attempts).toBe(2);
	// A date of whole seconds is taken for the middle of its second.
	expect(gateway.clockOffsetMs).toBe(hourMs + 500);
	for (const request of server.received) expectSigned(request);
	expect(server.received[1]?.headers["x-timestamp"]).toBe(String(theirMs + 500));
});

test("Retry-After is waited for", async () => {
	await using server = await startServer(reply(503, "", { "Retry-After": "0.05" }), mapping);
	const delays: number[] = [];
	await connect(server.url, { hooks: { onRetry: ({ delayMs }) => delays.push(delayMs) } }).mappings.get(USER);
	expect(delays).toEqual([50]);
});

/** Begins a response that does not continue. */
function standStill(status: number): Respond {
	return (response) => {
		response.writeHead(status, { "Content-Length": "1000" });
		response.write('{"ok":true,');
	};
}
