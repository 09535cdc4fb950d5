import type { HeadersInput, TenantSecret } from "messaging-gateway/webhooks";
import { describe, expect, test, vi } from "vitest";
import { toRequest } from "../../../support/to-request.ts";
import { webhookSecret } from "../../../support/webhook-delivery.ts";
import { inboundMessage } from "../../../support/webhook-payloads.ts";
import { createReceiver } from "../../../support/webhook-receiver.ts";

const TIMES = { leaseMs: 60_000, retentionMs: 3_600_000 };

function headerOf(headers: HeadersInput, name: string): string {
	return String((headers as Record<string, string>)[name] ?? "");
}

/** A receiver whose tenants each have a secret made of their name. */
function createTenants(options: object = {}) {
	const handle = vi.fn();
	const receiver = createReceiver({
		secret: (headers): TenantSecret => {
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

	test("cannot forge a key of another one, with any names and ids", async () => {
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
		["a tenant without a secret", { tenant: "a" }],
	])("a function that returns %s accepts nothing, and the report shows what to return", async (_, found) => {
		const { respond, reports, calls } = createReceiver({ secret: (() => found) as never });
		expect(await respond()).toBe("500 configuration");
		expect([calls, reports.length]).toEqual([[], 1]);
		expect(reports[0]?.hint).toMatch(/tenant|secret is missing/);
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
