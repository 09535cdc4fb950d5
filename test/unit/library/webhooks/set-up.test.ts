import {
	createWebhookHandler,
	memoryStore,
	verifySignature,
	type WebhookHandlerOptions,
} from "messaging-gateway/webhooks";
import { toExpress } from "messaging-gateway/webhooks/express";
import { toFastify } from "messaging-gateway/webhooks/fastify";
import { toHono } from "messaging-gateway/webhooks/hono";
import { toNode } from "messaging-gateway/webhooks/node";
import { describe, expect, test } from "vitest";
import { catchError } from "../../../support/catch-error.ts";
import { deliver, receiver } from "../../../support/webhook-delivery.ts";
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
		["hooks.onResponse", { hooks: { onResponse: "log" } }],
		["store", { store: { claim: () => undefined } }],
		["store", { store: { ...memoryStore(), release: undefined } }],
		["enqueue", { enqueue: "queue" }],
	])("%s of %o", (name, options) => {
		const error = catchError(() => createReceiver(options));
		expect(error).toMatchObject({ ...MISCONFIGURED, message: expect.stringMatching(`^${name} `) });
	});

	test.each<[title: string, options: object]>([
		["no store", { store: undefined }],
		["neither on nor enqueue", { on: undefined }],
		["both on and enqueue", { enqueue: () => undefined }],
		["a misspelt option", { handlers: {} }],
		["a misspelt kind of event", { on: { inbound_mesage: () => undefined } }],
		["a handler that is no function", { on: { status: "log" } }],
		["an empty consumer", { consumer: "" }],
		["a consumer with a colon", { consumer: "a:b" }],
		["a consumer with a newline", { consumer: "a\n" }],
		["a consumer of 65 letters", { consumer: "a".repeat(65) }],
		["a negative tolerance", { toleranceSeconds: -1 }],
		["an endless tolerance", { toleranceSeconds: Number.POSITIVE_INFINITY }],
		...["maxBodyBytes", "leaseMs", "maxHandlerMs", "retentionMs", "storeTimeoutMs"].flatMap((name) =>
			[0, -1, Number.NaN, Number.POSITIVE_INFINITY, "5"].map((value): [string, object] => [
				`${name} ${JSON.stringify(value)}`,
				{ [name]: value },
			]),
		),
	])("%s", (_title, options) => {
		const complete = { store: memoryStore(), on: { unknown: () => undefined } };
		expect(catchError(() => createWebhookHandler({ ...complete, ...options }))).toMatchObject(MISCONFIGURED);
	});

	test("a consumer of letters, digits, dots, underscores and hyphens is accepted", () => {
		expect(createReceiver({ consumer: "Chat_v1.2-eu" }).handler).toBeDefined();
	});

	test.each<[title: string, on: object]>([
		["no handlers", {}],
		["handlers of other kinds", { inbound_message: () => undefined, status: () => undefined }],
		["a handler that is undefined, as a lookup may be", { unknown: undefined }],
	])("on.unknown, with %s: events that nobody expected would be lost", (_title, on) => {
		const error = catchError(() => createWebhookHandler({ store: memoryStore(), on: on as never }));
		expect(error).toMatchObject(MISCONFIGURED);
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

		test("and up to a day is accepted with another store than memoryStore", () => {
			expect(create({})).not.toThrow();
			expect(create({ toleranceSeconds: 86_400 })).not.toThrow();
		});

		test.each<[title: string, options: object, words: string]>([
			["memoryStore", { store: memoryStore() }, "memoryStore"],
			["a copy of memoryStore", { store: { ...memoryStore() } }, "memoryStore"],
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
		[300, 901_000],
		[0, 315_000],
		[3_600, 4_201_000],
	])(
		"a retention that ends before a delivery may come again, tolerance %i s",
		(toleranceSeconds, leastMs) => {
			const create = (retentionMs: number) => () => createReceiver({ toleranceSeconds, retentionMs });
			expect(create(leastMs)).not.toThrow();
			expect(catchError(create(leastMs - 1))).toMatchObject(MISCONFIGURED);
		},
	);
});
