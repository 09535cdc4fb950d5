import {
	createWebhookHandler,
	memoryStore,
	PermanentWebhookError,
	verifySignature,
	type WebhookHandlerOptions,
} from "messaging-gateway/webhooks";
import { toExpress } from "messaging-gateway/webhooks/express";
import { toFastify } from "messaging-gateway/webhooks/fastify";
import { toHono } from "messaging-gateway/webhooks/hono";
import { toNode } from "messaging-gateway/webhooks/node";
import { describe, expect, test, vi } from "vitest";
import { catchError, catchRejection } from "../../../support/catch-error.ts";
import { deliver, receiver, webhookSecret } from "../../../support/webhook-delivery.ts";
import { createReceiver } from "../../../support/webhook-receiver.ts";

const MISCONFIGURED = { name: "ConfigurationError", code: "configuration" };

describe("what is missing is reported at set-up", () => {
	test.each([undefined, null, "secret", 5])("createWebhookHandler(%j)", (options) => {
		const error = catchError(() => createWebhookHandler(options as unknown as WebhookHandlerOptions));
		expect(error).toMatchObject({ ...MISCONFIGURED, message: expect.stringContaining("options") });
	});

	test.each<[name: string, options: object]>([
		["onError", { onError: 5 }],
		["onError", { onError: {} }],
		["clock", { clock: { now: () => 0 } }],
		["clock", { clock: 5 }],
		["hooks.aroundHandler", { hooks: { aroundHandler: "span" } }],
		["store", { store: { claim: () => undefined } }],
		["store", { store: { ...memoryStore(), release: undefined } }],
		["store.bind", { store: { ...memoryStore(), bind: null } }],
		["enqueue", { enqueue: "queue" }],
	])("%s of %o", (name, options) => {
		const error = catchError(() => createReceiver(options));
		expect(error).toMatchObject({ ...MISCONFIGURED, message: expect.stringMatching(`^${name} `) });
	});

	test.each<[title: string, on: object]>([
		["no handlers", {}],
		["handlers of other kinds", { inbound_message: () => undefined, status: () => undefined }],
		["a handler that is undefined, as a lookup may be", { unknown: undefined }],
	])("on.unknown, with %s: events that nobody expected would be lost", (_title, on) => {
		const error = catchError(() => createWebhookHandler({ store: memoryStore(), on: on as never }));
		expect(error).toMatchObject({
			...MISCONFIGURED,
			message: expect.stringMatching(/^on\.unknown is missing/),
		});
	});

	const adapters = { toExpress, toFastify, toHono, toNode };

	describe.each(Object.entries(adapters))("%s", (name, adapt) => {
		test.each([
			["nothing", undefined],
			["null", null],
			["the options", { store: memoryStore() }],
			["a function", () => undefined],
			["a promise of a handler", Promise.resolve(createReceiver().handler)],
		])("of %s", (_title, handler) => {
			const error = catchError(() => adapt(handler as never));
			expect(error).toMatchObject({ ...MISCONFIGURED, message: expect.stringContaining(name) });
		});

		test("of a handler, or of something that handles as one does", () => {
			const { handler } = createReceiver();
			expect(adapt(handler)).toBeTypeOf("function");
			expect(adapt({ ...handler, handle: async () => ({ status: 200, headers: {}, body: "" }) })).toBeTypeOf(
				"function",
			);
		});
	});

	test.each([86_401, 300_000, 1e9])(
		"a tolerance of %i s, which is likely milliseconds",
		(toleranceSeconds) => {
			expect(catchError(() => createReceiver({ toleranceSeconds, retentionMs: 1e13 }))).toMatchObject({
				...MISCONFIGURED,
				message: expect.stringContaining("3600"),
			});
			expect(
				catchError(() => verifySignature(deliver("{}"), { ...receiver(), toleranceSeconds })),
			).toMatchObject({ name: "WebhookVerificationError", code: "configuration", status: 500 });
		},
	);

	describe("a tolerance above an hour", () => {
		const create = (options: object) => () => createReceiver({ toleranceSeconds: 3_601, ...options });
		const { bind: _bind, ...withoutBind } = createReceiver().store;

		test("and up to a day is accepted with a store that binds", () => {
			expect(create({})).not.toThrow();
			expect(create({ toleranceSeconds: 86_400 })).not.toThrow();
		});

		test.each<[title: string, options: object, words: string]>([
			["memoryStore", { store: memoryStore() }, "memoryStore"],
			["a copy of memoryStore", { store: { ...memoryStore() } }, "memoryStore"],
			["a store of one's own without bind", { store: withoutBind }, "bind"],
			["a delivery that is not bound", { bindDelivery: false }, "bind"],
		])("needs more than %s", (_title, options, words) => {
			expect(catchError(create(options))).toMatchObject({
				...MISCONFIGURED,
				message: expect.stringMatching(`^toleranceSeconds above 3600 .*${words}`),
			});
			expect(create({ ...options, toleranceSeconds: 3_600 })).not.toThrow();
		});

		test("is rejected where nothing is remembered", () => {
			const options = { ...receiver(), toleranceSeconds: 3_601 };
			expect(catchError(() => verifySignature(deliver("{}"), options))).toMatchObject({
				code: "configuration",
				status: 500,
			});
		});
	});

	test("a tolerance of an hour is accepted", () => {
		expect(createReceiver({ toleranceSeconds: 3_600 }).handler).toBeDefined();
		expect(verifySignature(deliver("{}"), { ...receiver(), toleranceSeconds: 3_600 }).eventId).toBe("evt_1");
	});

	test.each([
		[300, 601_000],
		[0, 315_000],
		[3_600, 3_901_000],
	])(
		"a retention that ends before a delivery may come again, tolerance %i s",
		(toleranceSeconds, leastMs) => {
			const create = (retentionMs: number) => () => createReceiver({ toleranceSeconds, retentionMs });
			expect(create(leastMs)).not.toThrow();
			expect(catchError(create(leastMs - 1))).toMatchObject(MISCONFIGURED);
		},
	);
});

describe("fetch that is given a request of Node, as by app.post(path, webhooks.fetch)", () => {
	const request = { method: "POST", headers: { "x-svc-event-id": "evt_1" }, get: () => undefined };

	test.each([request, { ...request, headers: undefined }, { request }, undefined, null])(
		"rejects at once, instead of never responding: %j",
		async (given) => {
			const { handler, reports, calls } = createReceiver();
			const error = await catchRejection(handler.fetch(given as never, {}));
			expect(error).toMatchObject({ ...MISCONFIGURED, message: expect.stringContaining("toExpress") });
			expect(reports).toMatchObject([{ error, hint: expect.stringContaining("toExpress") }]);
			expect(calls).toEqual([]);
		},
	);
});

test("fetch that is given an event of h3, as by defineEventHandler(webhooks.fetch), names what Nuxt needs", async () => {
	const { handler, reports } = createReceiver();
	const headers = new Headers(deliver("{}").headers);
	const event = { method: "POST", path: "/webhooks", headers, node: { req: {}, res: {} }, context: {} };
	const error = await catchRejection(handler.fetch(event as never));
	expect(error).toMatchObject({ ...MISCONFIGURED, message: expect.stringContaining("fromNodeMiddleware") });
	expect(reports).toMatchObject([{ error, hint: expect.stringContaining("fromNodeMiddleware") }]);
});

describe("PermanentWebhookError of another copy of the package", () => {
	test("gives the event up as well", async () => {
		vi.resetModules();
		const other = await import("messaging-gateway/webhooks");
		const error = new other.PermanentWebhookError("the account is closed");
		expect(error).not.toBeInstanceOf(PermanentWebhookError);
		const handle = vi.fn().mockRejectedValue(error);
		const { respond, reports } = createReceiver({ on: { inbound_message: handle } });
		expect([await respond(), await respond()]).toEqual(["200", "200"]);
		expect([handle.mock.calls.length, reports.length]).toEqual([1, 1]);
	});

	test("is recognised by its mark, not by its name", async () => {
		const error = Object.assign(new Error("no"), { name: "PermanentWebhookError" });
		const { respond } = createReceiver({ on: { inbound_message: () => Promise.reject(error) } });
		expect(await respond()).toBe("500 handler_failed");
	});
});

describe("headers that code without types hands over", () => {
	test.each([[null], [undefined], [[]], [[null]], [["", null]]])(
		"an event id of %j is missing, never a name",
		(id) => {
			const headers = { "x-svc-event-id": id } as never;
			expect(catchError(() => verifySignature(deliver("{}", headers), receiver()))).toMatchObject({
				code: "missing_header",
			});
		},
	);

	test.each([{}, true, 5n, Symbol("evt"), () => "evt_1"])("an event id of %o is malformed", (id) => {
		for (const value of [id, [id]]) {
			const headers = { "x-svc-event-id": value } as never;
			expect(catchError(() => verifySignature(deliver("{}", headers), receiver()))).toMatchObject({
				code: "malformed_header",
			});
		}
	});

	test.each([[5n], [{}], [[5n]]])("get that returns %o is malformed", (id) => {
		const { body, headers } = deliver("{}");
		const get = (name: string) =>
			name.endsWith("Id") ? id : headers[name.toLowerCase() as keyof typeof headers];
		expect(catchError(() => verifySignature({ body, headers: { get } as never }, receiver()))).toMatchObject({
			code: "malformed_header",
		});
	});

	test("a timestamp may be a number", () => {
		const { body, headers } = deliver("{}");
		const given = { ...headers, "x-svc-timestamp": Number(headers["x-svc-timestamp"]) } as never;
		expect(verifySignature({ body, headers: given }, receiver()).eventId).toBe("evt_1");
	});
});

describe("a buffer that was transferred", () => {
	const bytes = () => new TextEncoder().encode("{}");

	test.each<[title: string, pick: (bytes: Uint8Array<ArrayBuffer>) => Uint8Array | ArrayBuffer]>([
		["a view of it", (view) => view],
		["itself", (view) => view.buffer],
	])("%s is raw_body_unavailable", async (_title, pick) => {
		const view = bytes();
		const body = pick(view);
		structuredClone(view.buffer, { transfer: [view.buffer] });
		const { headers } = deliver("{}");
		expect(catchError(() => verifySignature({ body, headers }, receiver()))).toMatchObject({
			code: "raw_body_unavailable",
			message: expect.stringContaining("transferred"),
		});
		const { respond } = createReceiver();
		expect(await respond({ handedOver: body })).toBe("500 raw_body_unavailable");
	});

	test("an empty one that was not transferred is a body like any other", () => {
		const empty = deliver("");
		for (const body of [new Uint8Array(), new ArrayBuffer(0), new Uint8Array(8).subarray(8)])
			expect(verifySignature({ ...empty, body }, { ...receiver(), secret: webhookSecret }).body).toBe(body);
	});
});
