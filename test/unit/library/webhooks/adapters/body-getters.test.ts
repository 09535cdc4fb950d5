import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { createWebhookRequest } from "messaging-gateway/testing";
import {
	createWebhookHandler,
	memoryStore,
	verifyWebhookRequest,
	type WebhookHandler,
} from "messaging-gateway/webhooks";
import { toExpress } from "messaging-gateway/webhooks/express";
import {
	type FastifyReplyLike,
	type FastifyRequestLike,
	toFastify,
} from "messaging-gateway/webhooks/fastify";
import { toHono } from "messaging-gateway/webhooks/hono";
import { toNode } from "messaging-gateway/webhooks/node";
import { describe, expect, test, vi } from "vitest";
import { throwing } from "../../../../support/throwing.ts";

const SECRET = "getter-secret";

/** What a getter of a framework throws for a body that it cannot parse: it quotes what somebody wrote. */
const CAUSE = new SyntaxError("Unexpected token in +15550001111");
const UNPARSED = throwing(CAUSE);

function createReceiver() {
	const onError = vi.fn();
	const on = { unknown: () => undefined };
	const webhooks = createWebhookHandler({ secret: SECRET, store: memoryStore(), on, onError });
	return { webhooks, onError };
}

function signedRequest(): Request {
	return createWebhookRequest("status", {}, { secret: SECRET, url: "http://app.example/webhooks" });
}

/** A request whose fields throw, as a getter on the object. */
function withGetters<Target extends object>(target: Target, ...names: string[]): Target {
	for (const name of names) Object.defineProperty(target, name, { get: UNPARSED });
	return target;
}

/** A request of Node. */
async function nodeRequest(isRead: boolean, ...more: string[]) {
	const signed = signedRequest();
	const stream = Readable.from([Buffer.from(await signed.arrayBuffer())], { objectMode: false });
	if (isRead) await buffer(stream);
	const headers = Object.fromEntries(signed.headers);
	return withGetters(
		Object.assign(stream, { method: "POST", headers, complete: true }),
		"body",
		"rawBody",
		...more,
	);
}

/** Delivers through a listener of Node, and shows the response. */
async function deliverToNode(
	listen: (request: Awaited<ReturnType<typeof nodeRequest>>, response: never) => Promise<void>,
	isRead = true,
	...more: string[]
) {
	let shown: unknown;
	const response = {
		headersSent: false,
		status: 0,
		writeHead(status: number) {
			response.status = status;
		},
		write: vi.fn(),
		end(body: string) {
			shown = `${response.status} ${body}`.trim();
		},
		destroy() {
			shown = "destroyed";
		},
	};
	await listen(await nodeRequest(isRead, ...more), response as never);
	return shown;
}

async function deliverToFastify(webhooks: WebhookHandler): Promise<string> {
	const { promise, resolve } = Promise.withResolvers<Parameters<typeof register>[0]>();
	const register = (route: {
		handler: (request: FastifyRequestLike, reply: FastifyReplyLike) => Promise<unknown>;
	}) => resolve(route);
	await toFastify(webhooks)({
		removeAllContentTypeParsers: () => undefined,
		addContentTypeParser: () => undefined,
		route: register,
	});
	const request = await nodeRequest(true);
	let status = 0;
	const reply = {
		raw: {},
		code(code: number) {
			status = code;
		},
		headers: () => undefined,
		send: (body: unknown) => `${status} ${body}`,
	};
	const given = withGetters(
		{ method: "POST", originalUrl: "/", headers: request.headers, raw: request, body: undefined },
		"body",
	);
	return String(await (await promise).handler(given, reply));
}

async function show(response: Promise<Response>): Promise<string> {
	const { status } = await response;
	return `${status} ${await (await response).text()}`;
}

describe("a body whose getter throws", () => {
	test.each<[adapter: string, deliver: (webhooks: WebhookHandler) => Promise<unknown>, hint: string]>([
		["toNode", (webhooks) => deliverToNode(toNode(webhooks)), "pass it unread"],
		["toExpress", (webhooks) => deliverToNode(toExpress(webhooks)), "a body parser ran before"],
		["toFastify", deliverToFastify, "a hook read or replaced the body"],
		[
			"toHono",
			(webhooks) => {
				const raw = withGetters(signedRequest(), "body");
				return show(toHono(webhooks)({ req: { raw, arrayBuffer: UNPARSED } }));
			},
			"the body was read before this route, with c.req.raw",
		],
		[
			"fetch, by body",
			(webhooks) => show(webhooks.fetch(withGetters(signedRequest(), "body"))),
			"pass the raw bytes",
		],
		[
			"fetch, by bodyUsed",
			(webhooks) => show(webhooks.fetch(withGetters(signedRequest(), "bodyUsed"))),
			"pass the raw bytes",
		],
		[
			"handle",
			async (webhooks) => {
				const { headers } = signedRequest();
				const { status, body } = await webhooks.handle(withGetters({ headers, body: undefined }, "body"));
				return `${status} ${body}`;
			},
			"pass the raw bytes",
		],
	])("is reported by %s with its hint, and has a response", async (adapter, deliver, hint) => {
		const { webhooks, onError } = createReceiver();
		expect(await deliver(webhooks)).toBe("500 raw_body_unavailable");
		expect(onError.mock.calls).toEqual([
			[
				expect.objectContaining({
					code: "raw_body_unavailable",
					// Hono's own methods are tried as well, and have another error.
					hiddenCause: adapter === "toHono" ? undefined : CAUSE,
				}),
				expect.objectContaining({ hint: expect.stringContaining(hint) }),
			],
		]);
		expect(JSON.stringify(onError.mock.calls)).not.toContain("+1555");
	});

	test("is an error of verifyWebhookRequest", async () => {
		await expect(
			verifyWebhookRequest(withGetters(signedRequest(), "body"), { secret: SECRET }),
		).rejects.toMatchObject({ code: "raw_body_unavailable" });
	});

	test("does not matter on Node while the stream is unread", async () => {
		const { webhooks, onError } = createReceiver();
		expect(await deliverToNode(toNode(webhooks), false)).toBe("200");
		expect(onError).not.toHaveBeenCalled();
	});
});

describe("another field whose getter throws", () => {
	const fetchRequest = (name: string): Request => withGetters(signedRequest(), name);
	const adapters: Readonly<Record<string, (webhooks: WebhookHandler, name: string) => Promise<unknown>>> = {
		fetch: (webhooks, name) => show(webhooks.fetch(fetchRequest(name))),
		"fetch, in a context": (webhooks, name) => show(webhooks.fetch({ request: fetchRequest(name) })),
		toHono: (webhooks, name) =>
			show(toHono(webhooks)({ req: { raw: fetchRequest(name), arrayBuffer: UNPARSED } })),
		toNode: (webhooks, name) => deliverToNode(toNode(webhooks), false, name),
		toExpress: (webhooks, name) => deliverToNode(toExpress(webhooks), false, name),
	};

	test.each(
		Object.entries(adapters).flatMap(([adapter, deliver]) =>
			["method", "url", "headers"].map((name) => [name, adapter, deliver] as const),
		),
	)("%s, is reported by %s, and has a response", async (name, _adapter, deliver) => {
		const { webhooks, onError } = createReceiver();
		expect(await deliver(webhooks, name)).toBe("500 configuration");
		const hint = "the delivery couldn't be read. hiddenCause of this error has the reason";
		expect(onError.mock.calls).toEqual([
			[
				expect.objectContaining({ code: "configuration", hiddenCause: CAUSE }),
				expect.objectContaining({ hint: `Not acknowledged: ${hint}` }),
			],
		]);
		expect(JSON.stringify(onError.mock.calls)).not.toContain("+1555");
	});
});
