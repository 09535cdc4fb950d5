import {
	createAdjustableClock,
	createLocalGateway,
	type LocalGateway,
	type LocalGatewayOptions,
	type RecordedDelivery,
} from "messaging-gateway/testing";
import { verifyWebhook } from "messaging-gateway/webhooks";
import { afterEach, describe, expect, test, vi } from "vitest";
import { ALICE, call, sendText } from "../../../support/signed-client.ts";

const START_MS = 1_800_000_000_500;

function createGateway(deliverTo: LocalGatewayOptions["deliverTo"], options: LocalGatewayOptions = {}) {
	const clock = createAdjustableClock({ frozen: true, startMs: START_MS });
	return createLocalGateway({ clock, ...(deliverTo === undefined ? {} : { deliverTo }), ...options });
}

/** A receiver that responds with these statuses in turn, then with 200. */
function createReceiver(...statuses: number[]) {
	const requests: { url: string; headers: Headers; body: string }[] = [];
	const receive = async (request: Request): Promise<Response> => {
		requests.push({ url: request.url, headers: request.headers, body: await request.text() });
		return new Response(null, { status: statuses.shift() ?? 200 });
	};
	return { requests, receive };
}

function attemptsOf(delivery: RecordedDelivery | undefined) {
	return delivery?.attempts.map(({ at, status, error }) => [at - START_MS, status ?? error]);
}

const setWebhooks = (local: LocalGateway, body: object) => call(local, "POST", "/settings/webhooks", body);

afterEach(() => {
	vi.unstubAllGlobals();
});

test("every event verifies, and is of its documented kind", async () => {
	const { requests, receive } = createReceiver();
	const local = createGateway(receive, { webhookSecret: "another-secret" });
	await sendText(local, ALICE);
	await local.settled();
	await local.contact(ALICE).reply("Hi");
	await local.contact(ALICE).react("love");
	await local.settled();
	const events = requests.map((delivery) =>
		verifyWebhook(delivery, { secret: "another-secret", clock: local.clock }),
	);
	expect(events.map(({ kind }) => kind)).toEqual([
		...["status", "status", "status"],
		...["inbound_message", "inbound_reaction"],
	]);
	expect(new Set(events.map(({ eventId }) => eventId)).size).toBe(5);
	expect(local.deliveries.map(({ body, eventId }) => [body, eventId])).toEqual(
		requests.map(({ body }, at) => [body, events[at]?.eventId]),
	);
	for (const { body, headers } of local.deliveries) {
		expect(verifyWebhook({ body, headers }, { secret: "another-secret", clock: local.clock })).toBeDefined();
	}
	expect(requests[0]?.headers.get("X-SVC-Event-Id")).toMatch(/^evt_/);
	expect(JSON.parse(requests[0]?.body ?? "")).not.toHaveProperty("type");
});

test("the vendor's names are used", async () => {
	const { requests, receive } = createReceiver();
	const profile = { vendor: { headerPrefix: "Acme", messageNumberField: "acmeNumber" } };
	const local = createGateway(receive, { profile });
	await local.contact(ALICE).reply("Hi");
	await local.settled();
	expect(JSON.parse(requests[0]?.body ?? "")).toHaveProperty("acmeNumber");
	expect(JSON.parse(requests[0]?.body ?? "")).not.toHaveProperty("nativeMessageNumber");
	const options = { secret: local.webhookSecret, clock: local.clock, profile };
	expect(verifyWebhook(requests[0] ?? { body: "", headers: {} }, options).kind).toBe("inbound_message");
});

describe("destinations", () => {
	test("an absent field is unchanged, an empty or null one unset", async () => {
		const local = createGateway(undefined);
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
		const local = createGateway(undefined);
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
		const local = createGateway(undefined);
		await sendText(local, ALICE);
		await local.contact(ALICE).reply("Hi");
		await local.settled();
		expect(local.deliveries).toEqual([]);
	});

	test("status_callback wins, is fixed at send time, and leaves the inbound one alone", async () => {
		const { requests, receive } = createReceiver();
		const local = createGateway(receive);
		const status_callback = "https://callback.example/status";
		await sendText(local, ALICE, "Hello", { status_callback });
		await setWebhooks(local, { statusWebhookUrl: "https://later.example/status" });
		await sendText(local, ALICE, "Another");
		await local.settled();
		await local.contact(ALICE).reply("Hi");
		await local.settled();
		const sent = requests.map(({ url, body }) => [url, JSON.parse(body).text]);
		expect(sent.filter(([, text]) => text === "Hello")).toEqual(Array(3).fill([status_callback, "Hello"]));
		expect(sent.filter(([, text]) => text === "Another")).toEqual(
			Array(3).fill(["https://later.example/status", "Another"]),
		);
		expect(sent.at(-1)).toEqual(["http://receiver.localhost/webhooks", "Hi"]);
	});

	test("statusWebhookUrl is read at delivery", async () => {
		const { requests, receive } = createReceiver(500);
		const local = createGateway(receive);
		await sendText(local, ALICE);
		await local.clock.advance(20);
		await setWebhooks(local, { statusWebhookUrl: "https://moved.example" });
		await local.clock.advance(1_000);
		expect(requests.slice(0, 2).map(({ url }) => url)).toEqual([
			"http://receiver.localhost/webhooks",
			"https://moved.example/",
		]);
		expect(local.deliveries[0]?.url).toBe("https://moved.example");
	});

	test("one that is unset meanwhile gets no further delivery", async () => {
		const { requests, receive } = createReceiver(500);
		const local = createGateway(receive);
		await local.contact(ALICE).reply("Hi");
		await local.clock.advance(10);
		await setWebhooks(local, { inboundWebhookUrl: "" });
		await local.settled();
		expect(requests).toHaveLength(1);
		expect(local.deliveries[0]).toMatchObject({ state: "failed" });
		expect(local.deliveries[0]?.attempts[1]).toMatchObject({ error: "the destination was unset" });
	});

	test("a URL in deliverTo receives over the network", async () => {
		const posts: [string, string | undefined][] = [];
		vi.stubGlobal("fetch", async (url: string, init: RequestInit) => {
			posts.push([url, init.redirect]);
			return new Response();
		});
		const local = createGateway("https://app.example/hooks");
		await local.contact(ALICE).reply("Hi");
		await local.settled();
		expect(posts).toEqual([["https://app.example/hooks", "manual"]]);
	});
});

describe("retries", () => {
	test("any 2xx acknowledges; any other response is retried, with growing delays", async () => {
		const { receive } = createReceiver(500, 302, 404, 204);
		const local = createGateway(receive);
		await local.contact(ALICE).reply("Hi");
		await local.settled();
		expect(local.deliveries[0]?.state).toBe("delivered");
		expect(attemptsOf(local.deliveries[0])).toEqual([
			[0, 500],
			[1_000, 302],
			[3_000, 404],
			[7_000, 204],
		]);
	});

	test("after five the delivery fails", async () => {
		const { requests, receive } = createReceiver(...Array(10).fill(503));
		const local = createGateway(receive);
		await local.contact(ALICE).reply("Hi");
		await local.settled();
		expect(local.deliveries[0]?.state).toBe("failed");
		expect(requests).toHaveLength(6);
	});

	test("a receiver that throws counts as one that does not respond", async () => {
		let calls = 0;
		const local = createGateway(() => {
			calls += 1;
			if (calls === 1) throw new Error("not ready");
			return new Response();
		});
		await local.contact(ALICE).reply("Hi");
		await local.settled();
		expect(attemptsOf(local.deliveries[0])).toEqual([
			[0, "not ready"],
			[1_000, 200],
		]);
	});

	test("a receiver has ten seconds, and its request is then aborted", async () => {
		const signals: AbortSignal[] = [];
		const local = createGateway(
			({ signal }) => {
				signals.push(signal);
				return signals.length === 1 ? new Promise(() => {}) : new Response();
			},
			{ webhooks: { retryDelaysMs: [500] } },
		);
		await local.contact(ALICE).reply("Hi");
		await local.clock.advance(9_999);
		expect(local.deliveries[0]?.attempts).toEqual([]);
		await local.clock.advance(1);
		expect(signals[0]?.aborted).toBe(true);
		await local.settled();
		expect(attemptsOf(local.deliveries[0])).toEqual([
			[0, "no complete response within 10 s"],
			[10_500, 200],
		]);
	});
});

test("the deliveries of one message keep their order, also with retries", async () => {
	const { requests, receive } = createReceiver(500, 500, 200, 500);
	const local = createGateway(receive);
	await sendText(local, ALICE);
	await local.settled();
	expect(requests.map(({ body }) => JSON.parse(body).status)).toEqual([
		...["sent", "sent", "sent"],
		...["delivered", "delivered", "read"],
	]);
});

test("another message does not wait for it", async () => {
	const { receive } = createReceiver(500);
	const local = createGateway(receive);
	await local.contact(ALICE).reply("first");
	await local.contact(ALICE).reply("second");
	await local.clock.advance(10);
	expect(local.deliveries.map(({ state }) => state)).toEqual(["pending", "delivered"]);
});
