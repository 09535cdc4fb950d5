import { inspect } from "node:util";
import {
	createWebhookHandler,
	memoryStore,
	type WebhookErrorContext,
	type WebhookHandlerOptions,
} from "messaging-gateway/webhooks";
import { describe, expect, test, vi } from "vitest";
import { throwing } from "../../../support/throwing.ts";
import { webhookSecret } from "../../../support/webhook-delivery.ts";
import { createReceiver, type Delivery } from "../../../support/webhook-receiver.ts";

const PRIVATE = "private text to +15551234567";

/** What `onError` gets of deliveries. */
async function contextsOf(
	options: object,
	...deliveries: readonly (Delivery & { url?: string; hint?: string })[]
) {
	const contexts: WebhookErrorContext[] = [];
	const { clock, sign } = createReceiver();
	const handler = createWebhookHandler({
		secret: webhookSecret,
		store: memoryStore({ clock }),
		clock,
		on: { unknown: () => undefined },
		onError: (_, context) => contexts.push(context),
		...options,
	} as WebhookHandlerOptions);
	for (const { url, hint, ...delivery } of deliveries) {
		const { body, headers } = sign(delivery);
		await handler.handle({ headers, body: delivery.handedOver ?? body, url, hint });
	}
	return contexts;
}

const fail = throwing(new TypeError(PRIVATE));
const failing = { on: { inbound_message: fail, unknown: fail } };
const AGAIN = "The event wasn't acknowledged: expect it again only if your gateway retries.";
const ofTenant = (tenant: string) => ({ ...failing, secret: () => ({ tenant, secret: webhookSecret }) });

describe("a line says each thing once", () => {
	test.each<[line: string, options: object, delivery?: Delivery]>([
		[
			`handler_failed (inbound_message evt_1, tenant acme, attempt 1, TypeError): Your handler threw. ${AGAIN}`,
			ofTenant("acme"),
		],
		[
			`handler_failed (unknown evt_1, tenant …, attempt 1, TypeError): Your handler threw. ${AGAIN}`,
			ofTenant("+1 (555) 123-4567"),
			{ payload: { type: "new" } },
		],
		[
			`handler_failed (inbound_message evt_1, tenant …, attempt 1, TypeError): Your handler threw. ${AGAIN}`,
			ofTenant("ana@icloud.example"),
		],
		[
			`handler_failed (inbound_message evt_1, tenant a b, attempt 1, TypeError): Your handler threw. ${AGAIN}`,
			ofTenant("a\r\n\u001b\u202eb"),
		],
		[
			"invalid_json (event evt_1): Not acknowledged: the signature is right, but the body isn't a JSON ~",
			{},
			{ body: PRIVATE },
		],
		[
			"signature_mismatch (tenant acme): Not acknowledged: no signature matches the raw body: ~",
			ofTenant("acme"),
			{ secret: "other" },
		],
	])("%s", async (expected, options, delivery = {}) => {
		const [context, ...others] = await contextsOf(options, delivery);
		const [start = "", isCut] = expected.split("~");
		expect(others).toEqual([]);
		const line = context?.line ?? "";
		expect(isCut === undefined ? line : line.slice(0, 19 + start.length)).toBe(`messaging-gateway: ${start}`);
		expect(line).toContain(context?.hint);
		expect(line).toMatch(/^[^\p{C}]*$/u);
		expect(inspect(context, { depth: 10 })).not.toContain("private");
	});

	test("with the run that it was, and what to do from the third on", async () => {
		const lines = (await contextsOf(failing, {}, {}, {})).map(({ line }) => line);
		expect(lines[2]).toMatch(
			/^messaging-gateway: handler_failed \(inbound_message evt_1, attempt 3, TypeError\): .*Permanent/,
		);
	});

	test("and is at most 1,000 characters long", async () => {
		const eventId = "e".repeat(256);
		const consumer = "x".repeat(64);
		const store = { ...memoryStore(), claim: async () => Promise.reject(new Error(PRIVATE.repeat(100))) };
		const [context] = await contextsOf({ ...ofTenant("t".repeat(256)), store, consumer }, { eventId });
		expect(context?.line.length).toBeLessThanOrEqual(1_000);
		expect(context?.line).toContain(`${"t".repeat(64)}, Error): `);
		expect(context?.tenant).toHaveLength(256);
		const [cut] = await contextsOf({}, { handedOver: {}, hint: "x".repeat(2_000) });
		expect(cut?.line).toMatch(/^messaging-gateway: raw_body_unavailable: Not acknowledged: x+…$/);
		expect(cut?.line).toHaveLength(1_000);
	});
});

test.each([
	["+15551234567", "…"],
	["t:+15551234567", "t …"],
	["tenant-1 555/123 4567", "tenant-…"],
	["%2B15551234567", "…"],
	["bob＠example.com", "…"],
	["x): fake (event 1", "x   fake  event 1"],
	["550e8400-e29b-41d4-a716-446655440000", "550e8400-e29b-41d4-a716-446655440000"],
	["acme-2026", "acme-2026"],
])("a tenant is shown without what may be a handle: %s", async (tenant, shown) => {
	const [context] = await contextsOf(ofTenant(tenant), {});
	const spaced = shown.replace(/ +/g, " ");
	expect(context?.line).toContain(`(inbound_message evt_1, tenant ${spaced}, attempt 1`);
});

test.each([
	["+15551234567", "…"],
	["evt_ana@icloud.example", "…"],
	["x):fake(event", "x  fake event"],
	["e".repeat(256), "e".repeat(64)],
	["550e8400-e29b-41d4-a716-446655440000", "550e8400-e29b-41d4-a716-446655440000"],
	["evt_01JD3K5Q", "evt_01JD3K5Q"],
	["msg_15551234567_1", "msg_…"],
	["evt_a6023357812c", "evt_a6023357812c"],
	["4466554a-716-446655440000b", "4466554a-716-446655440000b"],
])("an event's id is shown without what may be a handle: %s", async (eventId, shown) => {
	const [context] = await contextsOf(failing, { eventId });
	expect(context?.line).toContain(`(inbound_message ${shown.replace(/ +/g, " ")}, attempt 1`);
	expect(context?.eventId).toBe(eventId);
});

const ODD: readonly (readonly [title: string, thrown: () => unknown])[] = [
	["a name that throws", () => Object.defineProperty(new Error("x"), "name", { get: fail })],
	["a name that is a symbol", () => Object.assign(new Error("x"), { name: Symbol("x") })],
	[
		"another name each time",
		() => {
			const names = ["Known", PRIVATE, PRIVATE];
			return Object.defineProperty(new Error("x"), "name", { get: () => names.shift() });
		},
	],
	["a proxy that throws", () => new Proxy(new Error("x"), { get: fail, getPrototypeOf: fail })],
	[
		"a proxy that is revoked",
		() => {
			const { proxy, revoke } = Proxy.revocable(new Error("x"), {});
			revoke();
			return proxy;
		},
	],
	["a brand that is no string", () => Object.assign(new Error("x"), { "~brand": 1 })],
];

test.each(ODD)("an error with %s is reported, and its event runs again", async (_title, thrown) => {
	const handle = vi.fn(() => {
		throw thrown();
	});
	const contexts = await contextsOf({ on: { inbound_message: handle, unknown: fail } }, {}, {});
	expect(contexts.map(({ code }) => code)).toEqual(["handler_failed", "handler_failed"]);
	expect(contexts.map(({ line }) => line).join()).not.toContain(PRIVATE);
	expect(handle).toHaveBeenCalledTimes(2);
});

test("a console that fails changes no response", async () => {
	vi.spyOn(console, "error").mockImplementation(fail);
	const { send } = createReceiver({ onError: undefined });
	expect((await send({ secret: "other" })).status).toBe(401);
	expect((await createReceiver({ onError: fail }).send({ secret: "other" })).status).toBe(401);
});

test("its parts are there for a log with fields", async () => {
	const [context] = await contextsOf(ofTenant("acme"), {});
	expect(context).toMatchObject({
		code: "handler_failed",
		kind: "inbound_message",
		eventId: "evt_1",
		tenant: "acme",
		attempt: 1,
	});
});

test.each([
	["/webhooks/acmee?token=secret", "/webhooks/acmee"],
	["https://app.example/webhooks/a/../b", "/webhooks/a/../b"],
	["/webhooks/+15551234567", "/webhooks/…"],
	["/webhooks/555-123-4567", "/webhooks/…"],
	["/webhooks/ana@icloud.example/x", "/webhooks/…/x"],
	["/webhooks/ana%40icloud.example", "/webhooks/…"],
	["/webhooks/0a1b2c3d4e5f60718293a4b5c6d7e8f9", "/webhooks/…"],
	["/webhooks/1.555.123_4567~8", "/webhooks/…"],
	["/webhooks/%31%35%35%35/x", "/webhooks/…/x"],
	["/webhooks/a\u001b[31m\r\nb", "/webhooks/a…31m…b"],
	[`/${"a/".repeat(1_000)}`, `/${"a/".repeat(1_000)}`.slice(0, 100)],
])(
	"of an unknown tenant the path is shown, without what a stranger may not write: %j",
	async (url, shown) => {
		const [context] = await contextsOf({ secret: () => undefined }, { url } as Delivery);
		expect(context?.code).toBe("signature_mismatch");
		expect(context?.hint).toContain(
			`your secret function returned no secret for ${shown}. If the tenant is yours, add its secret`,
		);
	},
);

test("of an unknown tenant without a URL no path is shown", async () => {
	const [context] = await contextsOf({ secret: () => undefined }, {});
	expect(context?.hint).toContain(
		"your secret function returned no secret. If the tenant is yours, add its secret",
	);
});
