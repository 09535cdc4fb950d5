import { inspect } from "node:util";
import {
	createWebhookHandler,
	memoryStore,
	type WebhookErrorContext,
	type WebhookHandlerOptions,
} from "messaging-gateway/webhooks";
import { describe, expect, test, vi } from "vitest";
import { type Outcomes, testOutcomes } from "../../../support/outcomes.ts";
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

/** A delivery, and options. */
type Arrival = readonly [options: object, delivery?: Delivery & { url?: string }];

const failed = (about: string) =>
	`handler_failed (${about}, attempt 1, TypeError): Your handler threw. ${AGAIN}`;
const ofId = (eventId: string): Arrival => [failing, { eventId }];
const EXPLAIN =
	"Save the headers, an empty line and the raw body to a file: `npx messaging-gateway verify webhook FILE --explain` shows why.";
const UNKNOWN = "signature_mismatch: Not acknowledged: your secret function returned no secret";
const ADD = `If the tenant is yours, add its secret; otherwise ignore this. ${EXPLAIN}`;
const at = (url: string): Arrival => [{ secret: () => undefined }, { url }];
const UUID = "550e8400-e29b-41d4-a716-446655440000";

const LINES: Outcomes<Arrival> = {
	[failed("inbound_message evt_1, tenant acme")]: { "a tenant": [ofTenant("acme")] },
	[failed("unknown evt_1, tenant …")]: {
		"a number as tenant, of an unknown event": [ofTenant("+1 (555) 123-4567"), { payload: { type: "new" } }],
	},
	[failed("inbound_message evt_1, tenant …")]: {
		"an address as tenant": [ofTenant("ana@icloud.example")],
		"an address with a wide @ as tenant": [ofTenant("bob＠example.com")],
		"a number as tenant": [ofTenant("+15551234567")],
		"an encoded number as tenant": [ofTenant("%2B15551234567")],
	},
	[failed("inbound_message evt_1, tenant t …")]: {
		"a tenant with a number in it": [ofTenant("t:+15551234567")],
	},
	[failed("inbound_message evt_1, tenant tenant-…")]: {
		"a tenant with a number in groups": [ofTenant("tenant-1 555/123 4567")],
	},
	[failed("inbound_message evt_1, tenant a b")]: {
		"a tenant with what no line may hold": [ofTenant("a\r\n\u001b\u202eb")],
	},
	[failed("inbound_message evt_1, tenant x fake event 1")]: {
		"a tenant that would end the details": [ofTenant("x): fake (event 1")],
	},
	[failed(`inbound_message evt_1, tenant ${UUID}`)]: { "a UUID as tenant": [ofTenant(UUID)] },
	[failed("inbound_message evt_1, tenant acme-2026")]: { "a tenant with a year": [ofTenant("acme-2026")] },
	[failed("inbound_message …")]: {
		"a number as event id": ofId("+15551234567"),
		"an address as event id": ofId("evt_ana@icloud.example"),
	},
	[failed("inbound_message x fake event")]: {
		"an event id that would end the details": ofId("x):fake(event"),
	},
	[failed(`inbound_message ${"e".repeat(64)}`)]: { "a long event id": ofId("e".repeat(256)) },
	[failed("inbound_message msg_…")]: { "an event id with a number in it": ofId("msg_15551234567_1") },
	...Object.fromEntries(
		[UUID, "evt_01JD3K5Q", "evt_a6023357812c", "4466554a-716-446655440000b"].map((eventId) => [
			failed(`inbound_message ${eventId}`),
			{ "an event id of letters and digits": ofId(eventId) },
		]),
	),
	[`invalid_json (event evt_1): Not acknowledged: the signature is right, but the body isn't a JSON object. ${EXPLAIN}`]:
		{
			"a signed body that is no JSON": [{}, { body: PRIVATE }],
		},
	[`signature_mismatch (tenant acme): Not acknowledged: no signature matches the raw body: check the secret, and that nothing parsed or changed the body before. ${EXPLAIN}`]:
		{ "another secret than the tenant's": [ofTenant("acme"), { secret: "other" }] },
	// Of an unknown tenant the path is shown, without what a stranger may not write.
	[`${UNKNOWN}. ${ADD}`]: { "no URL": [{ secret: () => undefined }] },
	[`${UNKNOWN} for /webhooks/acmee. ${ADD}`]: { "a query": at("/webhooks/acmee?token=secret") },
	[`${UNKNOWN} for /webhooks/a/../b. ${ADD}`]: { "a whole URL": at("https://app.example/webhooks/a/../b") },
	[`${UNKNOWN} for /x/http…//app.example/b. ${ADD}`]: { "a URL in a path": at("/x/http://app.example/b") },
	[`${UNKNOWN} for /webhooks/…. ${ADD}`]: {
		"a number": at("/webhooks/+15551234567"),
		"a number in groups": at("/webhooks/555-123-4567"),
		"an encoded address": at("/webhooks/ana%40icloud.example"),
		"a token": at("/webhooks/0a1b2c3d4e5f60718293a4b5c6d7e8f9"),
		"a number with other marks": at("/webhooks/1.555.123_4567~8"),
	},
	[`${UNKNOWN} for /webhooks/…/x. ${ADD}`]: {
		"an address": at("/webhooks/ana@icloud.example/x"),
		"encoded digits": at("/webhooks/%31%35%35%35/x"),
	},
	[`${UNKNOWN} for /webhooks/a…31m…b. ${ADD}`]: { "control characters": at("/webhooks/a\u001b[31m\r\nb") },
	[`${UNKNOWN} for ${`/${"a/".repeat(50)}`.slice(0, 100)}. ${ADD}`]: {
		"a long path": at(`/${"a/".repeat(1_000)}`),
	},
};

describe("a line says each thing once:", () => {
	testOutcomes(LINES, async ([options, delivery = {}]) => {
		const [context, ...others] = await contextsOf(options, delivery);
		if (context === undefined) throw new Error("nothing was reported");
		expect(others).toEqual([]);
		const { line, hint, eventId } = context;
		expect(line).toContain(hint);
		expect(line).toMatch(/^[^\p{C}]*$/u);
		expect(inspect(context, { depth: 10 })).not.toContain("private");
		if (delivery.eventId !== undefined) expect(eventId).toBe(delivery.eventId);
		expect(line.startsWith("messaging-gateway: ")).toBe(true);
		return line.slice("messaging-gateway: ".length);
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
