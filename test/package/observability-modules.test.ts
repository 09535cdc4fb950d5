import { propagation } from "@opentelemetry/api";
import { createLocalGateway, createWebhookRequest } from "messaging-gateway/testing";
import { createWebhookHandler, memoryStore } from "messaging-gateway/webhooks";
import { afterEach, expect, test, vi } from "vitest";
import { hooks } from "../../examples/modules/observability/combine-hooks.ts";
import { findLostEvents } from "../../examples/modules/observability/find-lost-events.ts";
import { gateway } from "../../examples/modules/observability/trace-header.ts";

afterEach(() => {
	vi.restoreAllMocks();
	vi.unstubAllEnvs();
	vi.unstubAllGlobals();
	propagation.disable();
});

test("an event that was acknowledged later is not lost, and a rejected delivery is no event", () => {
	const event = { eventId: "evt_1", kind: "status", isRepeat: false, durationMs: 40 } as const;
	const rejected = { ...event, eventId: undefined, kind: undefined, status: 401 };
	const lost = { ...event, eventId: "evt_2", status: 503, code: "store_unavailable" } as const;
	const lines = [
		{ ...event, status: 500, code: "handler_failed" },
		{ ...event, status: 200, code: "acknowledged" },
		{ ...rejected, code: "signature_mismatch" },
		lost,
	] as const;
	expect(findLostEvents(lines)).toEqual([lost]);
});

test("combined hooks run the handler once, and log its response", async () => {
	const log = vi.spyOn(console, "info").mockReturnValue();
	const secret = "webhook-secret";
	const status = vi.fn();
	const webhooks = createWebhookHandler({
		secret,
		store: memoryStore(),
		on: { status, unknown: () => Promise.reject(new Error("unexpected")) },
		hooks,
	});
	await webhooks.fetch(createWebhookRequest("status", {}, { secret }));
	expect(status).toHaveBeenCalledTimes(1);
	expect(log.mock.calls.map(([line]) => JSON.parse(String(line)))).toMatchObject([{ code: "acknowledged" }]);
});

test("the trace's id is in each request, which the gateway accepts", async () => {
	await using local = createLocalGateway();
	const { baseUrl, appId, appSecret } = local.clientOptions;
	vi.stubEnv("MESSAGING_GATEWAY_BASE_URL", baseUrl);
	vi.stubEnv("MESSAGING_GATEWAY_APP_ID", appId);
	vi.stubEnv("MESSAGING_GATEWAY_APP_SECRET", appSecret);
	const sent: (string | null)[] = [];
	vi.stubGlobal("fetch", (url: string, init: RequestInit) => {
		sent.push(new Headers(init.headers).get("traceparent"));
		return local.clientOptions.fetch(url, init);
	});
	propagation.setGlobalPropagator({
		inject: (_context, carrier, setter) => setter.set(carrier, "traceparent", "00-1-2-01"),
		extract: (context) => context,
		fields: () => ["traceparent"],
	});
	await gateway.messages.sendText({ to: "+15551234567", text: "Hello" });
	expect(sent).toEqual(["00-1-2-01"]);
});
