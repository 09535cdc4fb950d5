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
import { type Outcomes, testOutcomes } from "../../../../support/outcomes.ts";
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

/** Delivers to a handler through an adapter, and shows the response. */
type Deliver = (webhooks: WebhookHandler) => Promise<unknown>;

const withThrowing = (name: string): Request => withGetters(signedRequest(), name);

/** The response, and what is reported: the getter's error is behind ours, and not printed. */
async function outcomeOf(deliver: Deliver): Promise<string> {
	const { webhooks, onError } = createReceiver();
	const response = await deliver(webhooks);
	expect(onError).toHaveBeenCalledOnce();
	const [error, { hint }] = onError.mock.lastCall ?? [];
	const { code, message, hiddenCause } = error;
	expect([response, hint]).toEqual([`500 ${code}`, `Not acknowledged: ${message}`]);
	expect(JSON.stringify(onError.mock.calls)).not.toContain("+1555");
	return `${response}: ${message}${hiddenCause === CAUSE ? ", because of the getter" : ""}`;
}

const RAW =
	"500 raw_body_unavailable: the body was parsed or read first: pass the raw bytes, since re-serialized JSON has a different signature. Put the webhook handler before your body parser, or let what runs before it read request.clone(), because of the getter";

const BODIES: Outcomes<Deliver> = {
	[RAW]: {
		"fetch, by body": (webhooks) => show(webhooks.fetch(withThrowing("body"))),
		"fetch, by bodyUsed": (webhooks) => show(webhooks.fetch(withThrowing("bodyUsed"))),
		handle: async (webhooks) => {
			const { headers } = signedRequest();
			const { status, body } = await webhooks.handle(withGetters({ headers, body: undefined }, "body"));
			return `${status} ${body}`;
		},
	},
	"500 raw_body_unavailable: the request's stream was read before: pass it unread, or keep its bytes as request.rawBody; in the Pages Router of Next.js, export const config = { api: { bodyParser: false } } from the route's file, because of the getter":
		{ toNode: (webhooks) => deliverToNode(toNode(webhooks)) },
	"500 raw_body_unavailable: a body parser ran before this route: put the route above app.use(express.json()), or keep its bytes with express.raw({ type: () => true }); in Nest, create the application with { rawBody: true }, because of the getter":
		{ toExpress: (webhooks) => deliverToNode(toExpress(webhooks)) },
	"500 raw_body_unavailable: a hook read or replaced the body before this route: leave payload and request.body alone under its prefix, because of the getter":
		{ toFastify: deliverToFastify },
	// Hono's own methods are tried as well, and have another error.
	"500 raw_body_unavailable: the body was read before this route, with c.req.raw, c.req.parseBody(), c.req.formData(), or with c.req.json() of a Hono before 4.8.4: read it with c.req.arrayBuffer(), which keeps it, or after this route":
		{
			toHono: (webhooks) =>
				show(toHono(webhooks)({ req: { raw: withThrowing("body"), arrayBuffer: UNPARSED } })),
		},
};

describe("a body whose getter throws, in", () => {
	testOutcomes(BODIES, outcomeOf);

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

const ADAPTERS: Readonly<Record<string, (webhooks: WebhookHandler, name: string) => Promise<unknown>>> = {
	fetch: (webhooks, name) => show(webhooks.fetch(withThrowing(name))),
	"fetch, in a context": (webhooks, name) => show(webhooks.fetch({ request: withThrowing(name) })),
	toHono: (webhooks, name) =>
		show(toHono(webhooks)({ req: { raw: withThrowing(name), arrayBuffer: UNPARSED } })),
	toNode: (webhooks, name) => deliverToNode(toNode(webhooks), false, name),
	toExpress: (webhooks, name) => deliverToNode(toExpress(webhooks), false, name),
};

const FIELDS: Outcomes<Deliver> = {
	"500 configuration: the delivery couldn't be read. hiddenCause of this error has the reason, because of the getter":
		Object.fromEntries(
			Object.entries(ADAPTERS).flatMap(([adapter, deliver]) =>
				["method", "url", "headers"].map((name): [string, Deliver] => [
					`${name}, in ${adapter}`,
					(webhooks) => deliver(webhooks, name),
				]),
			),
		),
};

describe("another field whose getter throws:", () => {
	testOutcomes(FIELDS, outcomeOf);
});
