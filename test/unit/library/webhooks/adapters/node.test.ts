import { once } from "node:events";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { createWebhookRequest } from "messaging-gateway/testing";
import {
	createWebhookHandler,
	memoryStore,
	type WebhookHandler,
	type WebhookResponse,
} from "messaging-gateway/webhooks";
import { toNode } from "messaging-gateway/webhooks/node";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { drain } from "../../../../../src/library/webhooks/adapters/drain.ts";
import { chooseRawBody } from "../../../../../src/library/webhooks/adapters/node-request.ts";
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
	const listener = toNode({ handle, fetch: async () => new Response(), ready: async () => undefined });
	return { handle, request, response, run: () => listener(request, response) };
}

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

	test("is a broken connection if the response cannot be written, never a rejection, and is reported", async () => {
		const cause = new Error("no");
		const onError = vi.fn();
		const webhooks = createWebhookHandler({
			store: memoryStore(),
			on: { unknown: () => undefined },
			onError,
		});
		const { request, response } = createExchange();
		response.writeHead.mockImplementation(throwing(cause));
		await expect(toNode(webhooks)(request, response)).resolves.toBeUndefined();
		expect(response.destroy).toHaveBeenCalledOnce();
		const hint = "the response couldn't be written, so its connection was closed";
		expect(onError.mock.lastCall).toEqual([
			expect.objectContaining({
				code: "configuration",
				message: hint,
				hiddenCause: expect.objectContaining({ cause }),
			}),
			expect.objectContaining({ hint: `Not acknowledged: ${hint}` }),
		]);
	});

	test("is a broken connection if the handler is a fake that rejects", async () => {
		const { handle, response, run } = createExchange();
		handle.mockRejectedValue(new Error("no"));
		await expect(run()).resolves.toBeUndefined();
		expect(response.destroy).toHaveBeenCalledOnce();
	});

	test("is there for a request that was made for a test, which is no stream", async () => {
		const webhooks = createWebhookHandler({
			store: memoryStore(),
			on: { unknown: () => undefined },
			onError: () => undefined,
			secret: "secret",
		});
		const { request, response } = createExchange();
		const { readableDidRead, readableEnded, iterator, complete, ...mock } = request;
		const headers = Object.fromEntries(createWebhookRequest("status", {}, { secret: "secret" }).headers);
		await toNode(webhooks)({ ...mock, headers, body: { type: "status" } } as never, response);
		expect(response.writeHead.mock.lastCall?.[0]).toBe(500);
		expect(response.end).toHaveBeenCalledOnce();
		expect(response.destroy).not.toHaveBeenCalled();
	});
});

const SENT = '{"text":"é"}';

/** A request whose stream holds what was sent, with what a platform or a parser put on it. */
function createRequest(fields: { rawBody?: unknown; body?: unknown } = {}, sent = SENT) {
	return Object.assign(Readable.from(sent === "" ? [] : [Buffer.from(sent)], { objectMode: false }), {
		headers: {},
		complete: true,
		...fields,
	});
}

async function textOf(body: unknown): Promise<string> {
	if (typeof body === "string" || body instanceof Uint8Array) return Buffer.from(body).toString();
	return String(await buffer(body as AsyncIterable<Uint8Array>));
}

describe("the raw body of a request of Node", () => {
	test.each<[title: string, fields: { rawBody?: unknown; body?: unknown }]>([
		["the unread stream", {}],
		["the unread stream beside the {} of a parser that skipped it", { body: {} }],
		["the unread stream beside a rawBody that is no raw body", { rawBody: true }],
		["rawBody before all else", { rawBody: Buffer.from(SENT), body: "parsed" }],
		["rawBody as text", { rawBody: SENT, body: { text: "é" } }],
		["body as bytes", { body: Buffer.from(SENT) }],
		["body as a string", { body: SENT }],
	])("is %s", async (_title, fields) => {
		expect(await textOf(chooseRawBody(createRequest(fields)))).toBe(SENT);
	});

	test.each<[title: string, sent: string, read: (request: Readable) => unknown]>([
		["read to its end", SENT, (request) => buffer(request)],
		["read in part", SENT, (request) => once(request, "readable").then(() => request.read(1))],
		["empty, and read", "", (request) => buffer(request)],
	])("is what a parser left of a stream that was %s", async (_title, sent, read) => {
		const parsed = { text: "é" };
		const request = createRequest({ body: parsed }, sent);
		await read(request);
		expect(chooseRawBody(request)).toBe(parsed);
	});

	test("is nothing where the stream was read and nobody kept anything", async () => {
		const request = createRequest();
		await buffer(request);
		expect(chooseRawBody(request)).toBeUndefined();
	});

	test("does not destroy the request when its reader stops early, for loggers of rejected requests", async () => {
		const request = createRequest();
		for await (const _chunk of chooseRawBody(request) as AsyncIterable<unknown>) break;
		expect(request.destroyed).toBe(false);
	});
});

describe("what a sender still writes", () => {
	const MIB = 1024 * 1024;

	beforeEach(() => void vi.useFakeTimers());
	afterEach(() => void vi.useRealTimers());

	/** A request whose sender still writes these pieces. */
	function writing(pieces: () => AsyncIterable<unknown>) {
		return { iterator: vi.fn((_: { destroyOnReturn: boolean }) => pieces()) };
	}

	test("is read to its end, and no timer is left", async () => {
		const read: string[] = [];
		const request = writing(async function* () {
			for (const piece of ["a", "b"]) {
				read.push(piece);
				yield piece;
			}
		});
		await drain(request);
		expect(read).toEqual(["a", "b"]);
		expect(request.iterator.mock.calls).toEqual([[{ destroyOnReturn: false }]]);
		expect(vi.getTimerCount()).toBe(0);
	});

	test("without an end is read no further than 64 MiB", async () => {
		let pieces = 0;
		const request = writing(async function* () {
			for (;;) {
				pieces++;
				yield new Uint8Array(MIB);
			}
		});
		await drain(request);
		expect(pieces).toBe(65);
	});

	test("before it falls silent is waited for no longer than 30 seconds", async () => {
		const isOver = vi.fn();
		const silent = new Promise<never>(() => undefined);
		const drained = drain(
			writing(async function* () {
				yield await silent;
			}),
		).then(isOver);
		await vi.advanceTimersByTimeAsync(29_999);
		expect(isOver).not.toHaveBeenCalled();
		await vi.advanceTimersByTimeAsync(1);
		await drained;
	});

	test.each([
		["a sender that breaks off", writing(throwing(new Error("aborted")))],
		["a request without a stream", {} as Parameters<typeof drain>[0]],
	])("%s is over at once", async (_, request) => {
		await expect(drain(request)).resolves.toBeUndefined();
		expect(vi.getTimerCount()).toBe(0);
	});
});
