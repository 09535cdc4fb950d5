import { inspect } from "node:util";
import { createWebhookHandler, type HeadersInput, type TenantSecret } from "messaging-gateway/webhooks";
import { afterEach, describe, expect, test, vi } from "vitest";
import { throwing } from "../../../support/throwing.ts";
import { toRequest } from "../../../support/to-request.ts";
import { webhookSecret } from "../../../support/webhook-delivery.ts";
import { inboundMessage } from "../../../support/webhook-payloads.ts";
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

const unknownTenant = {
	error: expect.objectContaining({ code: "signature_mismatch", status: 401 }),
	hint: expect.stringContaining("your secret function returned no secret"),
};

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
			secret: async ({ headers }) => {
				const tenant = (headers as Record<string, string>)["x-tenant"] ?? "";
				return { tenant, secret: secrets.get(tenant) ?? [] };
			},
		});
		const from = (tenant: string, eventId: string, secret: string) =>
			respond({ eventId, secret, headers: { "x-tenant": tenant } });
		expect(await from("a", "evt_1", "whsec-a")).toBe("200");
		expect(await from("a", "evt_2", "whsec-b")).toBe("401 signature_mismatch");
		expect(await from("b", "evt_3", "whsec-b")).toBe("401 signature_mismatch");
		secrets.set("b", "whsec-b");
		expect(await from("b", "evt_3", "whsec-b")).toBe("200");
	});

	test("a function that never settles isn't awaited for ever", async () => {
		const { respond, clock, reports } = createReceiver({ secret: () => new Promise<never>(() => undefined) });
		const responding = respond();
		await clock.advance(5_000);
		expect(await responding).toBe("500 configuration");
		expect(reports).toHaveLength(1);
	});

	test("a function is given the headers as they came, path and query, and what the platform gave", async () => {
		const secret = vi.fn(() => ({ tenant: "a", secret: webhookSecret }));
		const { handler, sign } = createReceiver({ secret });
		const request = toRequest(sign());
		expect((await handler.fetch(request, { env: 1 }, "more")).status).toBe(200);
		expect(secret).toHaveBeenCalledExactlyOnceWith({
			headers: request.headers,
			url: new URL(request.url).pathname,
			platform: [{ env: 1 }, "more"],
		});
	});

	test.each<[title: string, secret: () => unknown]>([
		["nothing", () => undefined],
		["null", async () => null],
		["an empty list", async () => []],
		["a tenant without a secret", () => ({ tenant: "a" })],
		["a tenant whose secret is null", () => ({ tenant: "a", secret: null })],
		["a tenant without one of several secrets", () => ({ tenant: "a", secret: [] })],
	])(
		"a function that finds %s knows no such tenant: as a wrong signature, and the report has the cause",
		async (_title, secret) => {
			vi.stubEnv(ENVIRONMENT_NAME, webhookSecret);
			const onResponse = vi.fn();
			const { send, calls, reports } = createReceiver({
				secret: secret as () => never,
				hooks: { onResponse },
			});
			const { send: sendWrong } = createReceiver({ secret: "whsec-other" });
			expect(await send()).toEqual(await sendWrong());
			expect((await send()).status).toBe(401);
			expect(calls).toEqual([]);
			expect(reports).toEqual([unknownTenant, unknownTenant]);
			expect(onResponse.mock.lastCall?.[0]).toMatchObject({ eventId: undefined, code: "signature_mismatch" });
		},
	);

	test.each<[title: string, secret: () => unknown]>([
		["an empty secret", () => ({ tenant: "a", secret: "" })],
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

	test("headers that can't be read are reported without what they threw", async () => {
		const { handler, reports } = createReceiver();
		const headers = { get: throwing(leaking) };
		expect(await handler.handle({ body: "{}", headers: headers as never })).toMatchObject({ status: 500 });
		expect(inspect(reports, { depth: 10, showHidden: true })).not.toContain(webhookSecret);
	});

	test("is read from the environment at the first delivery, so that a build without it doesn't fail", async () => {
		vi.stubEnv(ENVIRONMENT_NAME, undefined);
		const { respond, handle, reports } = withoutSecret();
		expect(await respond()).toBe("configuration");
		expect(handle).not.toHaveBeenCalled();
		expect(String(reports[0]?.error)).toContain(ENVIRONMENT_NAME);
		vi.stubEnv(ENVIRONMENT_NAME, webhookSecret);
		expect(await respond()).toBe("");
		expect(handle).toHaveBeenCalledTimes(1);
	});

	test("isn't looked up if the body is rejected before", async () => {
		const secret = vi.fn(() => ({ tenant: "a", secret: webhookSecret }));
		const { respond } = createReceiver({ secret, maxBodyBytes: 10 });
		expect(await respond()).toBe("413 body_too_large");
		expect(secret).not.toHaveBeenCalled();
	});
});

const TIMES = { leaseMs: 60_000, retentionMs: 3_600_000 };

function headerOf(headers: HeadersInput, name: string): string {
	return String((headers as Record<string, string>)[name] ?? "");
}

/** A receiver whose tenants each have a secret made of their name. */
function createTenants(options: object = {}) {
	const handle = vi.fn();
	const receiver = createReceiver({
		secret: ({ headers }): TenantSecret => {
			const tenant = decodeURIComponent(headerOf(headers, "x-tenant"));
			return { tenant, secret: `whsec-${tenant}` };
		},
		on: { inbound_message: handle },
		...options,
	});
	const from = (tenant: string, eventId = "evt_1") => ({
		eventId,
		secret: `whsec-${tenant}`,
		headers: { "x-tenant": encodeURIComponent(tenant) },
	});
	const respond = (tenant: string, eventId?: string) => receiver.respond(from(tenant, eventId));
	return { ...receiver, handle, respond, from };
}

describe("tenants behind one secret function", () => {
	test("each have their own events: an id that another one has used is new", async () => {
		const { respond, handle } = createTenants();
		expect([await respond("mallory"), await respond("victim"), await respond("victim")]).toEqual([
			"200",
			"200",
			"200",
		]);
		expect(handle.mock.calls.map(([, { tenant }]) => tenant)).toEqual(["mallory", "victim"]);
	});

	test("can't forge a key of another one, with any names and ids", async () => {
		const keys: string[] = [];
		const { store } = createReceiver();
		const watched = {
			...store,
			claim: (...given: Parameters<typeof store.claim>) => {
				keys.push(given[0]);
				return store.claim(...given);
			},
		};
		const { respond } = createTenants({ store: watched });
		await createReceiver({ store: watched }).respond({ eventId: "a:evt_1" });
		await createReceiver({ store: watched }).respond({ eventId: "evt_1" });
		for (const [tenant, id] of [
			["a", "evt_1"],
			["a", "b:evt_1"],
			["a:b", "evt_1"],
			["a@b", "evt_1"],
			["a%3Ab", "evt_1"],
			["A", "evt_1"],
			["ä\u0000", "evt_1"],
		])
			expect(await respond(tenant ?? "", id)).toBe("200");
		expect(new Set(keys).size).toBe(9);
		expect(keys.slice(0, 3)).toEqual(["default:a:evt_1", "default:evt_1", "default@a:evt_1"]);
	});

	test("may sign equal bytes in the same second: what is bound is theirs alone", async () => {
		const { sign, handler, handle } = createTenants();
		for (const tenant of ["a", "b"]) {
			const { body, headers } = sign({
				payload: inboundMessage,
				secret: `whsec-${tenant}`,
				eventId: `evt_${tenant}`,
				headers: { "x-tenant": tenant },
			});
			expect(await handler.handle({ body, headers })).toMatchObject({ status: 200 });
		}
		expect(handle.mock.calls.map(([{ eventId }]) => eventId)).toEqual(["evt_a", "evt_b"]);
	});

	test("keep their events over a rotation of their secret: no part of it is in a key", async () => {
		let secret: string | string[] = "whsec-a";
		const handle = vi.fn();
		const { respond } = createReceiver({
			secret: () => ({ tenant: "a", secret }),
			on: { inbound_message: handle },
		});
		expect(await respond({ secret: "whsec-a" })).toBe("200");
		secret = ["whsec-new", "whsec-a"];
		expect(await respond({ secret: "whsec-a" })).toBe("200");
		expect(await respond({ secret: "whsec-new" })).toBe("200");
		expect(handle).toHaveBeenCalledTimes(1);
	});

	test("are known to the handler and the queue, which need them beside the event's id", async () => {
		const enqueue = vi.fn();
		const { respond } = createTenants({ on: undefined, enqueue });
		expect(await respond("acme")).toBe("200");
		expect(enqueue).toHaveBeenCalledExactlyOnceWith(
			expect.objectContaining({ eventId: "evt_1" }),
			expect.objectContaining({ tenant: "acme" }),
		);
	});

	test.each<[title: string, found: unknown]>([
		["a secret alone", webhookSecret],
		["several secrets alone", [webhookSecret]],
		["no tenant", { secret: webhookSecret }],
		["an empty tenant", { tenant: "", secret: webhookSecret }],
		["a tenant that is no string", { tenant: 5, secret: webhookSecret }],
		["a tenant of 257 characters", { tenant: "x".repeat(257), secret: webhookSecret }],
		["half a character as tenant", { tenant: "\ud800", secret: webhookSecret }],
		["neither", {}],
	])("a function that returns %s accepts nothing, and the report shows what to return", async (_, found) => {
		const { respond, reports, calls } = createReceiver({ secret: (() => found) as never });
		expect(await respond()).toBe("500 configuration");
		expect([calls, reports.length]).toEqual([[], 1]);
		expect(reports[0]?.hint).toMatch(/must return \{ tenant, secret \}/);
		expect(JSON.stringify(reports)).not.toContain(webhookSecret);
	});
});

describe("a secret of the platform", () => {
	test("is found in what fetch was given, and names no tenant", async () => {
		const fromPlatform = vi.fn(([env]: readonly unknown[]) => (env as { SECRET: string }).SECRET);
		const handle = vi.fn();
		const { handler, sign, store } = createReceiver({
			secret: { fromPlatform },
			on: { inbound_message: handle },
		});
		const response = await handler.fetch(toRequest(sign()), { SECRET: webhookSecret }, "context");
		expect(response.status).toBe(200);
		expect(fromPlatform).toHaveBeenCalledExactlyOnceWith([{ SECRET: webhookSecret }, "context"]);
		expect(handle.mock.lastCall?.[1]).toMatchObject({ tenant: undefined });
		expect(await store.claim("default:evt_1", TIMES)).toEqual({ status: "done" });
	});

	test.each<[title: string, secret: unknown]>([
		["an object without fromPlatform", {}],
		["a fromPlatform that is no function", { fromPlatform: webhookSecret }],
		["a misspelt one", { fromPlatfrom: () => webhookSecret }],
	])("%s is a configuration error when the handler is made", (_title, secret) => {
		expect(() => createReceiver({ secret: secret as never })).toThrow(
			expect.objectContaining({ code: "configuration", message: expect.stringContaining("fromPlatform") }),
		);
	});
});

describe("a secret as bytes, or as the profile encodes it", () => {
	const KEY = Buffer.from("00ff7e3f112233445566778899aabbcc", "hex");
	const HEX = KEY.toString("hex");
	const profile = { events: { secret: "hex" } } as const;

	test.each<[title: string, options: Parameters<typeof createReceiver>[0]]>([
		["bytes", { secret: KEY }],
		["bytes, whatever the profile says", { secret: KEY, profile }],
		["several, as bytes and as text", { secret: ["whsec-2", KEY] }],
		["several, as bytes and in hex", { secret: [Uint8Array.of(9), HEX], profile }],
		["bytes of the platform", { secret: { fromPlatform: () => KEY } }],
		["bytes of a tenant", { secret: () => ({ tenant: "a", secret: KEY }) }],
		["hex of a tenant", { secret: () => ({ tenant: "a", secret: HEX }), profile }],
	])("verifies with the key: %s", async (_title, options) => {
		const { handler, respond } = createReceiver(options);
		await handler.ready();
		expect(await respond({ secret: KEY })).toBe("200");
		expect(await respond({ eventId: "evt_2", secret: HEX })).toBe("401 signature_mismatch");
	});

	test("is read from the environment", async () => {
		vi.stubEnv(ENVIRONMENT_NAME, HEX);
		const { clock, store, sign } = createReceiver();
		const on = { inbound_message: vi.fn(), unknown: vi.fn() };
		const { handle } = createWebhookHandler({ store, clock, profile, on, onError: () => undefined });
		expect(await handle(sign({ secret: KEY }))).toMatchObject({ status: 200 });
		expect(await handle(sign({ eventId: "evt_2", secret: HEX }))).toMatchObject({ status: 401 });
	});

	test("may be cleared once it was given, in a list too", async () => {
		const secrets = [Buffer.from(KEY), [Buffer.from(KEY)]] as const;
		const receivers = secrets.map((secret) => createReceiver({ secret }));
		for (const bytes of secrets.flat()) bytes.fill(0);
		for (const { respond } of receivers) expect(await respond({ secret: KEY })).toBe("200");
	});

	test("that is unusable is reported without a word of it", async () => {
		for (const secret of [HEX.slice(1), `'${HEX}'`, new Uint8Array(4)]) {
			const { respond, reports } = createReceiver({ secret, profile });
			expect(await respond({ secret: KEY })).toBe("500 configuration");
			const seen = inspect(reports, { depth: 20, showHidden: true });
			expect(seen).toMatch(
				/the webhook secret isn't hex, its encoding in the profile: it|the webhook secret is empty, or all|the webhook secret has quotes around it/,
			);
			for (const part of [HEX.slice(1), HEX.slice(0, 12), "17, 34"]) expect(seen).not.toContain(part);
		}
	});
});
