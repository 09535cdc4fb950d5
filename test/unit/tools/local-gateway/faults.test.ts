import type { LocalGateway } from "messaging-gateway/testing";
import { createWebhookHandler, memoryStore, verifyWebhook } from "messaging-gateway/webhooks";
import { describe, expect, test } from "vitest";
import { statusIn } from "../../../support/receiving-gateway.ts";
import { ALICE, call, createFrozenGateway, sendText, signedRequest } from "../../../support/signed-client.ts";

const statusOf = async (response: ReturnType<typeof call>) => (await response).status;

const list = (local: LocalGateway) => call(local, "GET", "/agent");
const HELLO = { to: ALICE, text: "Hello" };

describe("respond", () => {
	test("the next requests, before the gateway sees them", async () => {
		const local = createFrozenGateway();
		local.faults.respond({ status: 503, times: 2 });
		expect(await statusOf(sendText(local, ALICE))).toBe(503);
		expect(await statusOf(sendText(local, ALICE))).toBe(503);
		expect(local.sent).toEqual([]);
		expect(await statusOf(sendText(local, ALICE))).toBe(202);
		expect(local.requests.map(({ status }) => status)).toEqual([503, 503, 202]);
	});

	test.each([
		[429, "RATE_LIMITED"],
		[500, "INTERNAL_ERROR"],
		[503, "SERVICE_UNAVAILABLE"],
		[418, "INTERNAL_ERROR"],
	])("%d comes with an error envelope", async (status, code) => {
		const local = createFrozenGateway();
		local.faults.respond({ status });
		expect((await list(local)).body).toMatchObject({ ok: false, error: { code } });
	});

	test("with Retry-After, headers and a body", async () => {
		const local = createFrozenGateway();
		local.faults.respond({
			status: 429,
			retryAfterSeconds: 7,
			body: "<h1>Slow down</h1>",
			headers: { "content-type": "text/html", "X-Proxy": "1" },
		});
		const { headers, body } = await list(local);
		expect(body).toBe("<h1>Slow down</h1>");
		expect(headers.get("Retry-After")).toBe("7");
		expect(headers.get("Content-Type")).toBe("text/html");
		expect(headers.get("X-Proxy")).toBe("1");
	});

	test("a body that is not a string is sent as JSON, and 204 has none", async () => {
		const local = createFrozenGateway();
		local.faults.respond({ status: 200, body: { ok: "maybe" } });
		local.faults.respond({ status: 204 });
		expect((await list(local)).body).toEqual({ ok: "maybe" });
		expect(await list(local)).toMatchObject({ status: 204, body: "" });
	});

	test.each([100, 600, 404.5])("not with status %d", (status) => {
		expect(() => createFrozenGateway().faults.respond({ status })).toThrow("200 to 599");
	});
});

test("faults apply one after the other, to their own operation, until they are cleared", async () => {
	const local = createFrozenGateway();
	local.faults.respond({ status: 500, operationId: "agents.list", times: Number.POSITIVE_INFINITY });
	local.faults.respond({ status: 429, times: 2 });
	local.faults.respond({ status: 502 });
	const getSettings = () => call(local, "GET", "/settings/webhooks");
	expect(await statusOf(getSettings())).toBe(429);
	expect(await statusOf(list(local))).toBe(500);
	for (const status of [429, 502, 200]) expect(await statusOf(getSettings())).toBe(status);
	expect(await statusOf(list(local))).toBe(500);
	local.faults.clear();
	expect(await statusOf(list(local))).toBe(200);
});

type Method = (faults: LocalGateway["faults"]) => (...given: never[]) => void;

test.each<[string, Method, unknown[]]>([
	["faults.respond", ({ respond }) => respond, [{ status: 503 }, { times: 2 }]],
	['"time" of faults.respond', ({ respond }) => respond, [{ status: 503, time: 2 }]],
	["faults.delay", ({ delay }) => delay, [100, { times: 2 }, 3]],
	['"time" of faults.delay', ({ delay }) => delay, [100, { time: 2 }]],
	["faults.delay", ({ delay }) => delay, [100, 2]],
	["faults.dropConnection", ({ dropConnection }) => dropConnection, [{ when: "after" }, { times: 2 }]],
	["faults.corrupt", ({ corrupt }) => corrupt, [{ as: "html" }, 2]],
	["faults.skewClock", ({ skewClock }) => skewClock, [1, { times: 2 }]],
	["faults.webhooks.repeat", ({ webhooks }) => webhooks.repeat, [2]],
	[
		'"operationId" of faults.webhooks.delay',
		({ webhooks }) => webhooks.delay,
		[5, { operationId: "agents.list" }],
	],
	["faults.webhooks.tamper", ({ webhooks }) => webhooks.tamper, [{}, { times: 2 }]],
	['"delay" of faults.webhooks.repeatAttempt', ({ webhooks }) => webhooks.repeatAttempt, [{ delay: 5 }]],
	["repeatAttempt: response", ({ webhooks }) => webhooks.repeatAttempt, [{ response: "both" }]],
	["delayMs", ({ webhooks }) => webhooks.repeatAttempt, [{ delayMs: -1 }]],
])("%s: an argument or a field without effect is rejected", (name, methodOf, given) => {
	const method = methodOf(createFrozenGateway().faults);
	expect(() => Reflect.apply(method, undefined, given)).toThrow(
		expect.objectContaining({ code: "configuration", message: expect.stringContaining(name) }),
	);
});

test.each([0, -1, Number.NaN])("times: %d is rejected", (times) => {
	expect(() => createFrozenGateway().faults.respond({ status: 500, times })).toThrow(
		"times must be 1 or more",
	);
});

describe("delay", () => {
	test("in the gateway's time, and beside other faults", async () => {
		const local = createFrozenGateway();
		local.faults.delay(5_000);
		local.faults.respond({ status: 503 });
		let status: number | undefined;
		const response = statusOf(list(local)).then((received) => {
			status = received;
		});
		await local.clock.advance(4_999);
		expect(status).toBeUndefined();
		await local.clock.advance(1);
		await response;
		expect(status).toBe(503);
	});

	test("settled moves time to it", async () => {
		const local = createFrozenGateway();
		local.faults.delay(60_000);
		const response = statusOf(list(local));
		await local.settled();
		expect(await response).toBe(200);
	});

	test("the caller may abort; the request is still processed", async () => {
		const local = createFrozenGateway();
		const caller = new AbortController();
		local.faults.delay(1_000);
		const request = signedRequest(local, "POST", "/message/text", HELLO, { signal: caller.signal });
		const response = local.fetch(request);
		caller.abort(new Error("gave up"));
		await expect(response).rejects.toThrow("gave up");
		await expect(local.fetch(request)).rejects.toThrow("gave up");
		await local.settled();
		expect(local.sent).toHaveLength(1);
	});

	test.each([-1, Number.NaN])("not by %d ms", (ms) => {
		const { faults } = createFrozenGateway();
		expect(() => faults.delay(ms)).toThrow("must be 0 or more");
		expect(() => faults.webhooks.delay(ms)).toThrow("must be 0 or more");
	});

	test("a delayed response ends with the gateway", async () => {
		const local = createFrozenGateway();
		local.faults.delay(1_000);
		const response = call(local, "GET", "/agent");
		await local.clock.advance(1);
		await local[Symbol.asyncDispose]();
		await expect(response).rejects.toThrow(TypeError);
	});
});

describe("dropConnection", () => {
	test.each([
		["before", 0],
		["after", 1],
	] as const)("%s the request is processed", async (when, accepted) => {
		const local = createFrozenGateway();
		local.faults.dropConnection({ when });
		await expect(sendText(local, ALICE)).rejects.toThrow(TypeError);
		expect(local.sent).toHaveLength(accepted);
		expect(local.requests).toHaveLength(1);
		expect(local.requests[0]).not.toHaveProperty("status");
		expect(await statusOf(sendText(local, ALICE))).toBe(accepted === 0 ? 202 : 409);
	});
});

describe("corrupt", () => {
	test.each([
		["html", /^<!doctype html>/, "text/html"],
		["truncated", /^\{"ok":true,"data":/, "application/json"],
		["empty", /^$/, "application/json"],
	] as const)("%s", async (as, expected, contentType) => {
		const local = createFrozenGateway();
		local.faults.corrupt({ as });
		const response = await local.fetch(signedRequest(local, "POST", "/message/text", HELLO));
		expect(response.status).toBe(202);
		expect(response.headers.get("Content-Type")).toBe(contentType);
		const text = await response.text();
		expect(text).toMatch(expected);
		expect(() => JSON.parse(text)).toThrow();
		expect(local.sent).toHaveLength(1);
	});

	test("an error stays as it is", async () => {
		const local = createFrozenGateway();
		local.faults.corrupt({ as: "html" });
		expect((await call(local, "GET", "/agent/x")).body.error.code).toBe("VALIDATION_ERROR");
	});
});

describe("skewClock", () => {
	test("requests are rejected, and the response's Date shows the skew", async () => {
		const local = createFrozenGateway();
		local.faults.skewClock(600_000);
		const { status, headers, body } = await list(local);
		expect([status, body.error.details.reason]).toEqual([401, "TIMESTAMP_OUT_OF_RANGE"]);
		const skewMs = Date.parse(headers.get("Date") ?? "") - local.clock.now();
		expect(Math.round(skewMs / 1000)).toBeCloseTo(600, -1);
		const timestamp = Math.floor(local.clock.now()) + 600_000;
		const response = await call(local, "GET", "/agent", undefined, { timestamp });
		expect(response.status).toBe(200);
		expect(Date.parse(response.body.meta.timestamp)).toBe(timestamp);
		local.faults.clear();
		expect(await statusOf(list(local))).toBe(200);
	});
});

test("a misspelt choice, a skew that is not a number, and endless repeats are rejected", () => {
	const { faults } = createFrozenGateway();
	const configuration = expect.objectContaining({ code: "configuration" });
	expect(() => faults.corrupt({ as: "htm" as never })).toThrow(configuration);
	expect(() => faults.dropConnection({ when: "now" as never })).toThrow(configuration);
	expect(() => faults.skewClock(Number.NaN)).toThrow("number of milliseconds");
	expect(() => faults.webhooks.repeat({ times: Number.POSITIVE_INFINITY })).toThrow("integer");
});

describe("webhooks", () => {
	/** A receiver that verifies, and responds accordingly. */
	function createVerifyingGateway() {
		const received: { readonly verdict: string; readonly body: string }[] = [];
		const local = createFrozenGateway({
			async deliverTo(request) {
				const { headers } = request;
				const body = await request.text();
				try {
					const { clock, webhookSecret: secret } = local;
					received.push({ body, verdict: verifyWebhook({ body, headers }, { secret, clock }).eventId });
					return new Response();
				} catch (error) {
					received.push({ body, verdict: (error as { code: string }).code });
					return new Response(null, { status: 401 });
				}
			},
		});
		const receive = async (texts = ["Hi"]) => {
			for (const text of texts) await local.contact(ALICE).reply(text);
			await local.settled();
		};
		return { local, received, receive, startMs: local.clock.now() };
	}

	test.each([
		["tamper", "signature_mismatch"],
		["wrongSignature", "signature_mismatch"],
		["stale", "timestamp_out_of_tolerance"],
	] as const)("%s: rejected, then delivered by the retry", async (fault, code) => {
		const { local, received, receive } = createVerifyingGateway();
		local.faults.webhooks[fault]({ times: 2 });
		await receive(["Hi 1"]);
		const [delivery] = local.deliveries;
		expect(received.map(({ verdict }) => verdict)).toEqual([code, code, delivery?.eventId]);
		expect(delivery?.state).toBe("delivered");
		expect(received[0]?.body === received[2]?.body).toBe(fault !== "tamper");
	});

	test("stale: older than any tolerance", async () => {
		const local = createFrozenGateway({ deliverTo: (request) => webhooks.fetch(request) });
		const { clock, webhookSecret: secret, faults } = local;
		const memory = memoryStore({ clock });
		const webhooks = createWebhookHandler({
			secret,
			clock,
			toleranceSeconds: 86_400,
			store: { ...memory, claim: (...given) => memory.claim(...given) },
			on: { unknown: () => undefined },
			onError: () => undefined,
		});
		faults.webhooks.stale();
		await local.contact(ALICE).reply("Hi");
		await local.settled();
		expect(local.deliveries[0]?.attempts.map(({ status }) => status)).toEqual([401, 200]);
	});

	test("repeat: with the same event id", async () => {
		const { local, received, receive } = createVerifyingGateway();
		local.faults.webhooks.repeat({ times: 2 });
		await receive(["Hi", "Ho"]);
		const timesOf = (eventId: string) => received.filter(({ verdict }) => verdict === eventId).length;
		expect(local.deliveries.map(({ eventId }) => timesOf(eventId))).toEqual([3, 1]);
		expect(local.deliveries[0]?.attempts).toHaveLength(3);
	});

	/** A receiver whose handler waits until it is told to end, with what arrived, when, and the responses. */
	function createWaitingGateway() {
		const arrived: { readonly at: number; readonly bytes: string }[] = [];
		const responses: number[] = [];
		const ending = Promise.withResolvers<void>();
		const local = createFrozenGateway({
			async deliverTo(request) {
				const bytes = JSON.stringify([...request.headers]) + (await request.clone().text());
				arrived.push({ at: local.clock.now(), bytes });
				const response = await webhooks.fetch(request);
				responses.push(response.status);
				return response;
			},
		});
		const { clock, webhookSecret: secret } = local;
		const runs: string[] = [];
		const webhooks = createWebhookHandler({
			secret,
			clock,
			store: memoryStore({ clock }),
			on: {
				inbound_message({ eventId }) {
					runs.push(eventId);
					return ending.promise;
				},
				unknown: () => undefined,
			},
			onError: () => undefined,
		});
		return { local, arrived, responses, runs, ending };
	}

	test.each([
		["copy", [503, 200]],
		["first", [200]],
	] as const)(
		"repeatAttempt: at once, byte for byte, with the response to the %s",
		async (response, statuses) => {
			const { local, arrived, responses, runs, ending } = createWaitingGateway();
			local.faults.webhooks.repeatAttempt({ response });
			await local.contact(ALICE).reply("Hi");
			await expect.poll(() => responses).toEqual([503]);
			expect(new Set(arrived.map(({ bytes }) => bytes)).size).toBe(1);
			ending.resolve();
			await local.settled();
			expect(responses.slice(0, 2)).toEqual([503, 200]);
			expect(runs).toHaveLength(1);
			expect(local.deliveries[0]?.attempts.map(({ status }) => status)).toEqual(statuses);
		},
	);

	test.each([
		["copy", 5_000, [0, 5_000], [200, 200], [200]],
		["first", 250_000, [0, 250_000], [200, 200], [200]],
		["first", 400_000, [0, 400_000], [200, 401], [200]],
		// The gateway gives up after ten seconds, and retries.
		["copy", 250_000, [0, 11_000, 250_000], [200, 200, 200], [undefined, 200]],
	] as const)("repeatAttempt: with the response to the %s, %d ms later", async (...row) => {
		const [response, delayMs, times, expected, statuses] = row;
		const { local, arrived, responses, runs, ending } = createWaitingGateway();
		const startMs = local.clock.now();
		ending.resolve();
		local.faults.webhooks.repeatAttempt({ response, delayMs });
		await local.contact(ALICE).reply("Hi");
		await local.settled();
		expect(runs).toHaveLength(1);
		expect(arrived.map(({ at }) => at - startMs)).toEqual(times);
		expect(arrived.at(-1)?.bytes).toBe(arrived[0]?.bytes);
		expect(responses).toEqual(expected);
		expect(local.deliveries[0]?.attempts.map(({ status }) => status)).toEqual(statuses);
	});

	test("delay: late by the given time", async () => {
		const { local, receive, startMs } = createVerifyingGateway();
		local.faults.webhooks.delay(45_000);
		await receive();
		expect((local.deliveries[0]?.attempts[0]?.at ?? 0) - startMs).toBe(45_000);
	});

	test("outOfOrder: the first two of a message are swapped", async () => {
		const { local, received } = createVerifyingGateway();
		local.faults.webhooks.outOfOrder();
		await sendText(local, ALICE);
		await local.settled();
		expect(received.map(statusIn)).toEqual(["delivered", "sent", "read"]);
	});

	test("outOfOrder: one that stays alone comes late", async () => {
		const { local, received, receive, startMs } = createVerifyingGateway();
		local.faults.webhooks.outOfOrder();
		await receive();
		expect(received).toHaveLength(1);
		expect(local.clock.now() - startMs).toBe(60_000);
	});

	test("clear ends them", async () => {
		const { local, received, receive, startMs } = createVerifyingGateway();
		const { webhooks } = local.faults;
		for (const fault of [
			"tamper",
			"stale",
			"wrongSignature",
			"repeat",
			"repeatAttempt",
			"outOfOrder",
		] as const)
			webhooks[fault]();
		webhooks.delay(1_000);
		local.faults.clear();
		await receive();
		expect(received.map(({ verdict }) => verdict)).toEqual([local.deliveries[0]?.eventId]);
		expect(local.clock.now()).toBe(startMs);
	});
});
