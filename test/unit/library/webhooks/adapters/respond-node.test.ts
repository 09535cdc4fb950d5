import type { WebhookHandler, WebhookResponse } from "messaging-gateway/webhooks";
import { toExpress } from "messaging-gateway/webhooks/express";
import { toNode } from "messaging-gateway/webhooks/node";
import { describe, expect, test, vi } from "vitest";
import { eventually } from "../../../../support/eventually.ts";
import { throwing } from "../../../../support/throwing.ts";

const REJECTED: WebhookResponse = { status: 503, headers: { "Retry-After": "5" }, body: "in_flight" };

/** A listener whose handler returns `result`, with a request and a response that record their calls. */
function createExchange({ result = REJECTED, isComplete = true, headersSent = false } = {}) {
	const handle = vi.fn<WebhookHandler["handle"]>(async () => result);
	const request = {
		method: "POST",
		headers: { host: "a" },
		complete: isComplete,
		readableDidRead: false,
		readableEnded: false,
		body: "{}" as unknown,
		iterator: async function* (): AsyncGenerator<unknown> {},
	};
	const response = {
		headersSent,
		shouldKeepAlive: true,
		writeHead: vi.fn(),
		write: vi.fn(),
		end: vi.fn(),
		destroy: vi.fn(),
	};
	const listener = toNode({ handle, fetch: async () => new Response() });
	return { handle, request, response, run: () => listener(request, response) };
}

test("the hint for a parsed body in Express names what Nest needs", async () => {
	const { handle, request, response } = createExchange();
	await toExpress({ handle, fetch: async () => new Response() })(request, response);
	expect(handle.mock.lastCall?.[0].hint).toContain("in Nest, create the application with { rawBody: true }");
});

describe("a response on Node", () => {
	test("is the handler's: status, headers and code", async () => {
		const { handle, response, run } = createExchange();
		await run();
		expect(handle.mock.lastCall).toMatchObject([{ method: "POST", headers: { host: "a" }, body: "{}" }]);
		expect(response.writeHead.mock.calls).toEqual([[503, { "Retry-After": "5" }]]);
		expect(response.end.mock.calls).toEqual([["in_flight"]]);
		expect(response.shouldKeepAlive).toBe(true);
	});

	test("is whole before the rest of the body is read, and ends the connection after it", async () => {
		const { request, response, run } = createExchange({ isComplete: false });
		const sent = Promise.withResolvers<void>();
		request.iterator = async function* () {
			yield await sent.promise;
		};
		const running = run();
		await eventually(() => expect(response.write.mock.calls).toEqual([["in_flight"]]));
		expect(response.writeHead.mock.calls).toEqual([[503, { "Retry-After": "5", "Content-Length": "9" }]]);
		expect([response.shouldKeepAlive, response.end.mock.calls]).toEqual([false, []]);
		sent.resolve();
		await running;
		expect(response.end).toHaveBeenCalledOnce();
	});

	test("is left out if other code responded meanwhile", async () => {
		const { response, run } = createExchange({ headersSent: true });
		await run();
		expect([response.writeHead, response.end, response.destroy].map(({ mock }) => mock.calls)).toEqual([
			[],
			[],
			[],
		]);
	});

	test("is a broken connection where a body that is parsed on demand throws, never a rejection", async () => {
		const { handle, request, response, run } = createExchange();
		const parse = throwing(new SyntaxError("not JSON"));
		Object.defineProperty(request, "body", { get: parse });
		await expect(run()).resolves.toBeUndefined();
		expect(handle).not.toHaveBeenCalled();
		expect(response.destroy).toHaveBeenCalledOnce();
	});

	test("is a broken connection if the response cannot be written, never a rejection", async () => {
		const { response, run } = createExchange();
		response.writeHead.mockImplementation(throwing(new Error("no")));
		await expect(run()).resolves.toBeUndefined();
		expect(response.destroy).toHaveBeenCalledOnce();
	});
});
