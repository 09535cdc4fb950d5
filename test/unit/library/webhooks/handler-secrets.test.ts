import { inspect } from "node:util";
import { createWebhookHandler, memoryStore } from "messaging-gateway/webhooks";
import { afterEach, describe, expect, test, vi } from "vitest";
import { throwing } from "../../../support/throwing.ts";
import { toRequest } from "../../../support/to-request.ts";
import { webhookSecret } from "../../../support/webhook-delivery.ts";
import { createReceiver } from "../../../support/webhook-receiver.ts";

const ENVIRONMENT_NAME = "MESSAGING_GATEWAY_WEBHOOK_SECRET";

/** A receiver without `secret` among its options. */
function withoutSecret() {
	const { clock, store, reports, sign } = createReceiver();
	const handle = vi.fn();
	const onError = (error: unknown) => reports.push({ error, hint: "" });
	const handler = createWebhookHandler({
		store,
		clock,
		onError,
		on: { inbound_message: handle, unknown: handle },
	});
	const respond = async () => (await handler.handle(sign())).body;
	return { respond, handle, reports };
}

afterEach(() => {
	vi.unstubAllEnvs();
});

describe("the secret", () => {
	test("is one of several during a rotation", async () => {
		const { respond } = createReceiver({ secret: ["whsec-2", webhookSecret] });
		expect(await respond()).toBe("200");
		expect(await respond({ eventId: "evt_2", secret: "whsec-2" })).toBe("200");
		expect(await respond({ eventId: "evt_3", secret: "whsec-3" })).toBe("401 signature_mismatch");
	});

	test("is found by a function, by tenant, again for each delivery", async () => {
		const secrets = new Map([["a", "whsec-a"]]);
		const { respond } = createReceiver({
			secret: async (headers) => {
				const tenant = (headers as Record<string, string>)["x-tenant"] ?? "";
				return { tenant, secret: secrets.get(tenant) ?? [] };
			},
		});
		const from = (tenant: string, eventId: string, secret: string) =>
			respond({ eventId, secret, headers: { "x-tenant": tenant } });
		expect(await from("a", "evt_1", "whsec-a")).toBe("200");
		expect(await from("a", "evt_2", "whsec-b")).toBe("401 signature_mismatch");
		expect(await from("b", "evt_3", "whsec-b")).toBe("500 configuration");
		secrets.set("b", "whsec-b");
		expect(await from("b", "evt_3", "whsec-b")).toBe("200");
	});

	test("a function that never settles is not awaited for ever", async () => {
		const { respond, clock, reports } = createReceiver({ secret: () => new Promise<never>(() => undefined) });
		const responding = respond();
		await clock.advance(5_000);
		expect(await responding).toBe("500 configuration");
		expect(reports).toHaveLength(1);
	});

	test("a function is given the headers as they came", async () => {
		const secret = vi.fn(() => ({ tenant: "a", secret: webhookSecret }));
		const { handler, sign } = createReceiver({ secret });
		const request = toRequest(sign());
		expect((await handler.fetch(request)).status).toBe(200);
		expect(secret).toHaveBeenCalledExactlyOnceWith(request.headers, []);
	});

	test("a function gets the platform's arguments, such as the bindings of Workers", async () => {
		const secret = (_: unknown, [env]: readonly unknown[]) => ({
			tenant: "a",
			secret: (env as { SECRET: string }).SECRET,
		});
		const { handler, sign } = createReceiver({ secret });
		expect((await handler.fetch(toRequest(sign()), { SECRET: webhookSecret }, {})).status).toBe(200);
	});

	test.each<[title: string, secret: () => unknown]>([
		["nothing", () => undefined],
		["null", async () => null],
		["an empty secret", () => ({ tenant: "a", secret: "" })],
		["an empty list", () => ({ tenant: "a", secret: [] })],
		["a secret with a newline", () => ({ tenant: "a", secret: `${webhookSecret}\n` })],
	])(
		"a function that finds %s accepts nothing, despite a secret in the environment",
		async (_title, secret) => {
			vi.stubEnv(ENVIRONMENT_NAME, webhookSecret);
			const handle = vi.fn();
			const { respond, calls, reports } = createReceiver({
				secret: secret as () => never,
				on: { inbound_message: handle },
			});
			expect(await respond()).toBe("500 configuration");
			expect([handle.mock.calls, calls, reports.length]).toEqual([[], [], 1]);
		},
	);

	test.each([undefined, null, ""])(
		"a platform without the secret (%j) accepts nothing, despite one in the environment",
		async (secret) => {
			vi.stubEnv(ENVIRONMENT_NAME, webhookSecret);
			const fromPlatform = () => secret as string;
			const { respond, calls, reports } = createReceiver({ secret: { fromPlatform } });
			expect(await respond()).toBe("500 configuration");
			expect([calls, reports.length]).toEqual([[], 1]);
		},
	);

	const leaking = Object.assign(new Error(`vault: GET ${webhookSecret}`), { token: webhookSecret });

	test.each<[title: string, secret: () => never | Promise<never>]>([
		["throws", throwing(leaking)],
		["rejects", () => Promise.reject(leaking)],
	])("a function that %s accepts nothing, and nothing of its error is reported", async (_title, fail) => {
		for (const secret of [fail, { fromPlatform: fail }]) {
			const { respond, calls, reports } = createReceiver({ secret });
			expect(await respond()).toBe("500 configuration");
			expect(calls).toEqual([]);
			expect(reports).toMatchObject([
				{ error: { code: "configuration" }, hint: expect.stringContaining("the secret function failed") },
			]);
			expect(inspect(reports, { depth: 10, showHidden: true })).not.toContain(webhookSecret);
		}
	});

	test("headers that cannot be read are reported without what they threw", async () => {
		const { handler, reports } = createReceiver();
		const headers = {
			get: throwing(leaking),
		};
		expect(await handler.handle({ body: "{}", headers: headers as never })).toMatchObject({ status: 500 });
		expect(inspect(reports, { depth: 10, showHidden: true })).not.toContain(webhookSecret);
	});

	test.each(["", " ", "undefined", `${webhookSecret} `, [], [webhookSecret, ""], null, 5])(
		"%j gets 500, and nothing is accepted",
		async (secret) => {
			const { respond, calls, reports } = createReceiver({ secret: secret as string });
			expect(await respond()).toBe("500 configuration");
			expect([calls, reports.length]).toEqual([[], 1]);
		},
	);

	test("is read from the environment at the first delivery, so that a build without it does not fail", async () => {
		vi.stubEnv(ENVIRONMENT_NAME, undefined);
		const { respond, handle, reports } = withoutSecret();
		expect(await respond()).toBe("configuration");
		expect(handle).not.toHaveBeenCalled();
		expect(String(reports[0]?.error)).toContain(ENVIRONMENT_NAME);
		vi.stubEnv(ENVIRONMENT_NAME, webhookSecret);
		expect(await respond()).toBe("");
		expect(handle).toHaveBeenCalledTimes(1);
	});

	test("is not looked up if the body is rejected before", async () => {
		const secret = vi.fn(() => ({ tenant: "a", secret: webhookSecret }));
		const { respond } = createReceiver({ secret, maxBodyBytes: 10 });
		expect(await respond()).toBe("413 body_too_large");
		expect(secret).not.toHaveBeenCalled();
	});
});

describe("the options", () => {
	const store = memoryStore();

	test.each<[title: string, options: object]>([
		["no store", { store: undefined }],
		["a store that is none", { store: {} }],
		["neither on nor enqueue", { on: undefined }],
		["a misspelt option", { handlers: {} }],
		["a misspelt kind of event", { on: { inbound_mesage: () => undefined } }],
		["a handler that is no function", { on: { status: "log" } }],
		["both on and enqueue", { enqueue: () => undefined }],
		["bindDelivery with a store that cannot", { store: { ...store, bind: undefined }, bindDelivery: true }],
		["an empty consumer", { consumer: "" }],
		["a consumer with a colon", { consumer: "a:b" }],
		["a consumer with a newline", { consumer: "a\n" }],
		["a consumer of 65 letters", { consumer: "a".repeat(65) }],
		["a negative tolerance", { toleranceSeconds: -1 }],
		["an endless tolerance", { toleranceSeconds: Number.POSITIVE_INFINITY }],
		["a retention that ends before a handler may", { retentionMs: 314_999, toleranceSeconds: 0 }],
		["a retention that a captured delivery outlives", { retentionMs: 600_999 }],
		...["maxBodyBytes", "leaseMs", "maxHandlerMs", "retentionMs", "storeTimeoutMs"].flatMap((name) =>
			[0, -1, Number.NaN, Number.POSITIVE_INFINITY, "5"].map((value): [string, object] => [
				`${name} ${JSON.stringify(value)}`,
				{ [name]: value },
			]),
		),
	])("%s is a configuration error when the handler is made", (_title, options) => {
		expect(() =>
			createWebhookHandler({ secret: webhookSecret, store, on: { unknown: () => undefined }, ...options }),
		).toThrow(expect.objectContaining({ name: "ConfigurationError", code: "configuration" }));
	});

	test.each<[title: string, options: object]>([
		["a consumer of letters, digits, dots, underscores and hyphens", { consumer: "Chat_v1.2-eu" }],
		["tolerance 0", { toleranceSeconds: 0 }],
		["the shortest retention for a handler", { retentionMs: 315_000, toleranceSeconds: 0 }],
		["the shortest retention for the tolerance", { retentionMs: 601_000 }],
		["a store without bind", { store: { ...store, bind: undefined } }],
		["enqueue alone", { on: undefined, enqueue: () => undefined }],
	])("%s is accepted", (_title, options) => {
		expect(() =>
			createWebhookHandler({ secret: webhookSecret, store, on: { unknown: () => undefined }, ...options }),
		).not.toThrow();
	});
});
