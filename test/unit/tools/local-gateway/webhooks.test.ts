import type { LocalGateway, LocalGatewayOptions } from "messaging-gateway/testing";
import { verifyWebhook } from "messaging-gateway/webhooks";
import { afterEach, describe, expect, test, vi } from "vitest";
import { createReceivingGateway, statusIn } from "../../../support/receiving-gateway.ts";
import { ALICE, call, createFrozenGateway, START_MS, sendText } from "../../../support/signed-client.ts";

/** A gateway that has delivered a message, with the attempts at it. */
async function deliver(deliverTo: LocalGatewayOptions["deliverTo"], options: LocalGatewayOptions = {}) {
	const local = createFrozenGateway({ deliverTo, ...options });
	await local.contact(ALICE).reply("Hi");
	await local.settled();
	return attemptsOf(local);
}

/** When each attempt at the first delivery was made, and its status or error. */
function attemptsOf({ deliveries }: LocalGateway) {
	return deliveries[0]?.attempts.map(({ at, status, error }) => [at - START_MS, status ?? error]);
}

const setWebhooks = (local: LocalGateway, body: object) => call(local, "POST", "/settings/webhooks", body);

afterEach(() => {
	vi.unstubAllGlobals();
});

test("every event verifies, and is of its documented kind", async () => {
	const { local, received } = createReceivingGateway({ webhookSecret: "another-secret" });
	const verify = (delivery: Parameters<typeof verifyWebhook>[0]) =>
		verifyWebhook(delivery, { secret: "another-secret", clock: local.clock });
	await sendText(local, ALICE);
	await local.settled();
	await local.contact(ALICE).reply("Hi");
	await local.contact(ALICE).react("love");
	await local.settled();
	const events = received.map(verify);
	expect(events.map(({ kind }) => kind)).toEqual([
		...["status", "status", "status"],
		...["inbound_message", "inbound_reaction"],
	]);
	expect(new Set(events.map(({ eventId }) => eventId)).size).toBe(5);
	expect(local.deliveries.map(({ body, eventId }) => [body, eventId])).toEqual(
		received.map(({ body }, at) => [body, events[at]?.eventId]),
	);
	for (const { body, headers } of local.deliveries) expect(verify({ body, headers })).toBeDefined();
	expect(received[0]?.headers.get("X-SVC-Event-Id")).toMatch(/^evt_/);
	expect(JSON.parse(received[0]?.body ?? "")).not.toHaveProperty("type");
});

test("the vendor's names are used", async () => {
	const profile = { vendor: { headerPrefix: "Acme", messageNumberField: "acmeNumber" } };
	const { local, received } = createReceivingGateway({ profile });
	await local.contact(ALICE).reply("Hi");
	await local.settled();
	const [delivery = { body: "", headers: {} }] = received;
	expect(JSON.parse(delivery.body)).toHaveProperty("acmeNumber");
	expect(JSON.parse(delivery.body)).not.toHaveProperty("nativeMessageNumber");
	const options = { secret: local.webhookSecret, clock: local.clock, profile };
	expect(verifyWebhook(delivery, options).kind).toBe("inbound_message");
});

describe("destinations", () => {
	test("an absent field is unchanged, an empty or null one unset", async () => {
		const local = createFrozenGateway();
		const inboundWebhookUrl = "https://a.example/inbound";
		const statusWebhookUrl = "http://localhost:3000/status";
		const steps: [object, object][] = [
			[{ inboundWebhookUrl }, { inboundWebhookUrl, statusWebhookUrl: null }],
			[{ statusWebhookUrl }, { inboundWebhookUrl, statusWebhookUrl }],
			[{}, { inboundWebhookUrl, statusWebhookUrl }],
			[{ inboundWebhookUrl: "" }, { inboundWebhookUrl: null, statusWebhookUrl }],
			[{ statusWebhookUrl: null }, { inboundWebhookUrl: null, statusWebhookUrl: null }],
		];
		for (const [body, expected] of steps) {
			expect((await setWebhooks(local, body)).body.data).toEqual(expected);
			expect((await call(local, "GET", "/settings/webhooks")).body.data).toEqual(expected);
		}
	});

	test.each([
		["https://a.example", 200],
		["http://localhost:8080/x", 200],
		["http://app.localhost/x", 200],
		["http://127.0.0.1:1/x", 200],
		["http://127.1.2.3/x", 200],
		["http://[::1]:1/x", 200],
		["http://a.example", 400],
		["http://localhost.example", 400],
		["http://127.0.0.1.example", 400],
		["http://notlocalhost", 400],
		["http://10.0.0.1", 400],
		["ftp://a.example", 400],
		["nonsense", 400],
	])("%s gets %d", async (statusWebhookUrl, expected) => {
		const local = createFrozenGateway();
		const { status, body } = await setWebhooks(local, {
			statusWebhookUrl,
			inboundWebhookUrl: "https://a.example",
		});
		expect(status).toBe(expected);
		if (expected === 400) {
			expect(body.error.details).toMatchObject([{ field: "statusWebhookUrl", issue: "invalid" }]);
			expect((await call(local, "GET", "/settings/webhooks")).body.data.inboundWebhookUrl).toBeNull();
		}
	});

	test("without one there is no delivery", async () => {
		const local = createFrozenGateway();
		await sendText(local, ALICE);
		await local.contact(ALICE).reply("Hi");
		await local.settled();
		expect(local.deliveries).toEqual([]);
	});

	test("status_callback wins, is fixed at send time, and leaves the inbound one alone", async () => {
		const { local, received } = createReceivingGateway();
		const status_callback = "https://callback.example/status";
		await sendText(local, ALICE, "Hello", { status_callback });
		await setWebhooks(local, { statusWebhookUrl: "https://later.example/status" });
		await sendText(local, ALICE, "Another");
		await local.settled();
		await local.contact(ALICE).reply("Hi");
		await local.settled();
		const sent = received.map(({ url, body }) => [url, JSON.parse(body).text]);
		expect(sent.filter(([, text]) => text === "Hello")).toEqual(Array(3).fill([status_callback, "Hello"]));
		expect(sent.filter(([, text]) => text === "Another")).toEqual(
			Array(3).fill(["https://later.example/status", "Another"]),
		);
		expect(sent.at(-1)).toEqual(["http://receiver.localhost/webhooks", "Hi"]);
	});

	test("statusWebhookUrl is read at delivery", async () => {
		const { local, received } = createReceivingGateway({}, 500);
		await sendText(local, ALICE);
		await local.clock.advance(20);
		await setWebhooks(local, { statusWebhookUrl: "https://moved.example" });
		await local.clock.advance(1_000);
		expect(received.slice(0, 2).map(({ url }) => url)).toEqual([
			"http://receiver.localhost/webhooks",
			"https://moved.example/",
		]);
		expect(local.deliveries[0]?.url).toBe("https://moved.example");
	});

	test("one that is unset meanwhile gets no further delivery", async () => {
		const { local, received } = createReceivingGateway({}, 500);
		await local.contact(ALICE).reply("Hi");
		await local.clock.advance(10);
		await setWebhooks(local, { inboundWebhookUrl: "" });
		await local.settled();
		expect(received).toHaveLength(1);
		expect(local.deliveries[0]).toMatchObject({ state: "failed" });
		expect(local.deliveries[0]?.attempts[1]).toMatchObject({ error: "the destination was unset" });
	});

	test("a URL in deliverTo receives over the network", async () => {
		const posts: [string, string | undefined][] = [];
		vi.stubGlobal("fetch", async (url: string, init: RequestInit) => {
			posts.push([url, init.redirect]);
			return new Response();
		});
		await deliver("https://app.example/hooks");
		expect(posts).toEqual([["https://app.example/hooks", "manual"]]);
	});
});

describe("retries", () => {
	test("any 2xx acknowledges; any other response is retried, with growing delays", async () => {
		const { local } = createReceivingGateway({}, 500, 302, 404, 204);
		await local.contact(ALICE).reply("Hi");
		await local.settled();
		expect(local.deliveries[0]?.state).toBe("delivered");
		expect(attemptsOf(local)).toEqual([
			[0, 500],
			[1_000, 302],
			[3_000, 404],
			[7_000, 204],
		]);
	});

	test("after five the delivery fails", async () => {
		const { local, received } = createReceivingGateway({}, ...Array(10).fill(503));
		await local.contact(ALICE).reply("Hi");
		await local.settled();
		expect(local.deliveries[0]?.state).toBe("failed");
		expect(received).toHaveLength(6);
	});

	test("a receiver that throws counts as one that does not respond", async () => {
		let calls = 0;
		const attempts = await deliver(() => {
			calls += 1;
			if (calls === 1) throw new Error("not ready");
			return new Response();
		});
		expect(attempts).toEqual([
			[0, "not ready"],
			[1_000, 200],
		]);
	});

	test("a receiver has ten seconds, and its request is then aborted", async () => {
		const signals: AbortSignal[] = [];
		const local = createFrozenGateway({
			deliverTo({ signal }) {
				signals.push(signal);
				return signals.length === 1 ? new Promise(() => {}) : new Response();
			},
			webhooks: { retryDelaysMs: [500] },
		});
		await local.contact(ALICE).reply("Hi");
		await local.clock.advance(9_999);
		expect(local.deliveries[0]?.attempts).toEqual([]);
		await local.clock.advance(1);
		expect(signals[0]?.aborted).toBe(true);
		await local.settled();
		expect(attemptsOf(local)).toEqual([
			[0, "no complete response within 10 s"],
			[10_500, 200],
		]);
	});
});

test("the deliveries of one message keep their order, also with retries", async () => {
	const { local, received } = createReceivingGateway({}, 500, 500, 200, 500);
	await sendText(local, ALICE);
	await local.settled();
	expect(received.map(statusIn)).toEqual([
		...["sent", "sent", "sent"],
		...["delivered", "delivered", "read"],
	]);
});

test("another message does not wait for it", async () => {
	const { local } = createReceivingGateway({}, 500);
	await local.contact(ALICE).reply("first");
	await local.contact(ALICE).reply("second");
	await local.clock.advance(10);
	expect(local.deliveries.map(({ state }) => state)).toEqual(["pending", "delivered"]);
});
