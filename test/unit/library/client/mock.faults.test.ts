import type { MessagingGateway } from "messaging-gateway";
import type { FaultResponse } from "messaging-gateway/testing";
import { describe, expect, test } from "vitest";
import { catchRejection } from "../../../support/catch-error.ts";
import { settle } from "../../../support/counting-clock.ts";
import { type MockedGateway, mockGateway } from "../../../support/mocked-gateway.ts";
import { AGENT, USER } from "../../../support/wire.ts";

const send = (gateway: MessagingGateway) => gateway.messages.sendText({ to: USER, text: "Hello" });
const read = (gateway: MessagingGateway) => gateway.agents.get(AGENT);
const change = (gateway: MessagingGateway) => gateway.agents.block(AGENT);

/** The error of a call against a mock, with time passing as it needs. */
async function errorOf(
	mock: MockedGateway,
	call: (gateway: MessagingGateway) => PromiseLike<unknown>,
	options?: Parameters<MockedGateway["connect"]>[0],
): Promise<unknown> {
	return catchRejection(settle(mock.local.clock, call(mock.connect(options))));
}

describe("a response that the gateway is told to send", () => {
	test.each<[status: number, code: string, reads: number, changes: number, sends: number]>([
		[400, "bad_request", 1, 1, 1],
		[401, "authentication_failed", 1, 1, 1],
		[403, "permission_denied", 1, 1, 1],
		[404, "not_found", 1, 1, 1],
		[408, "unexpected_status", 3, 3, 1],
		[409, "conflict", 1, 1, 1],
		[422, "unprocessable", 1, 1, 1],
		[429, "rate_limited", 3, 3, 3],
		[500, "server_error", 3, 3, 1],
		[503, "server_error", 3, 3, 1],
	])("%i is %s, after as many requests as its class allows", async (status, code, reads, changes, sends) => {
		for (const [call, count] of [
			[read, reads],
			[change, changes],
			[send, sends],
		] as const) {
			using mock = mockGateway();
			mock.local.faults.respond({ status, times: 10 });
			expect(await errorOf(mock, call)).toMatchObject({ code, status, attempts: count });
			expect(mock.local.requests).toHaveLength(count);
			expect(mock.local.sent).toEqual([]);
		}
	});

	test("with Retry-After is waited for, in the gateway's time", async () => {
		using mock = mockGateway();
		mock.local.faults.respond({ status: 429, retryAfterSeconds: 7 });
		await settle(mock.local.clock, send(mock.connect()));
		const [first, second] = mock.local.requests.map(({ at }) => at);
		expect((second ?? 0) - (first ?? 0)).toBe(7_000);
		expect(mock.local.sent).toHaveLength(1);
	});

	test.each<[title: string, fault: Omit<FaultResponse, "status">]>([
		["a page", { body: "<html>down</html>", headers: { "Content-Type": "text/html" } }],
		["nothing", { body: "" }],
		["an envelope of another kind", { body: { error: "down" } }],
	])("with %s as its body is still the status's error", async (_title, fault) => {
		using mock = mockGateway();
		mock.local.faults.respond({ status: 503, times: 5, ...fault });
		expect(await errorOf(mock, send)).toMatchObject({
			code: "server_error",
			outcome: "unknown",
			attempts: 1,
			gatewayCode: undefined,
		});
	});
});

describe("a connection that is dropped", () => {
	test("before the gateway saw the request: a read is repeated", async () => {
		using mock = mockGateway();
		mock.local.faults.dropConnection({ when: "before", times: 2 });
		expect(await settle(mock.local.clock, read(mock.connect()))).toMatchObject({
			agent: { agentNumber: AGENT },
		});
	});

	test.each([
		["before", 0],
		["after", 1],
	] as const)(
		"%s a send was carried out: it is not repeated, and its fate is unknown",
		async (when, sent) => {
			using mock = mockGateway();
			mock.local.faults.dropConnection({ when, times: 5 });
			const error = await errorOf(mock, send);
			expect(error).toMatchObject({ code: "connection_failed", outcome: "unknown", attempts: 1 });
			expect(mock.local.sent).toHaveLength(sent);
		},
	);

	test("sending the identical body again shows by a duplicate that the first was accepted", async () => {
		using mock = mockGateway({ rules: "on" });
		const gateway = mock.connect();
		mock.local.faults.dropConnection({ when: "after" });
		expect(await catchRejection(send(gateway))).toMatchObject({ outcome: "unknown" });
		const error = await catchRejection(send(gateway));
		expect(error).toMatchObject({
			code: "duplicate_message",
			status: 409,
			outcome: "rejected",
			retryAfterMs: 300_000,
		});
		expect(error).toMatchObject({ duplicate: { isDuplicate: true, timeRemaining: 300 } });
		expect(mock.local.sent).toHaveLength(1);
	});

	test("after a change was made: the repeat reaches the same state", async () => {
		using mock = mockGateway();
		mock.local.faults.dropConnection({ when: "after" });
		const { data, attempts } = await settle(mock.local.clock, change(mock.connect()).withResponse());
		expect(data.agent.status).toBe("blocked");
		expect(attempts).toBe(2);
	});

	test("after a mapping was removed: the repeat's 404 is the success", async () => {
		using mock = mockGateway();
		const gateway = mock.connect();
		await gateway.mappings.create({ userNumber: USER });
		mock.local.faults.dropConnection({ when: "after" });
		expect(await settle(mock.local.clock, gateway.mappings.delete(USER))).toEqual({ deleted: true });
		expect(await errorOf(mock, () => gateway.mappings.delete(USER))).toMatchObject({ code: "not_found" });
	});
});

describe("a response that arrives broken", () => {
	test.each(["html", "truncated", "empty"] as const)(
		"as %s: of unknown fate, and never repeated",
		async (as) => {
			for (const call of [send, change, read]) {
				using mock = mockGateway();
				mock.local.faults.corrupt({ as, times: 5 });
				expect(await errorOf(mock, call)).toMatchObject({
					code: "unexpected_response",
					outcome: "unknown",
					attempts: 1,
				});
				expect(mock.local.requests).toHaveLength(1);
			}
		},
	);
});

describe("a slow gateway", () => {
	test("is not waited for longer than an attempt may take; a read is repeated", async () => {
		using mock = mockGateway();
		mock.local.faults.delay(20_000);
		const { attempts } = await settle(mock.local.clock, read(mock.connect()).withResponse());
		expect(attempts).toBe(2);
	});

	test("leaves the outcome of a send unknown, and it is sent once", async () => {
		using mock = mockGateway();
		mock.local.faults.delay(20_000);
		const error = await errorOf(mock, send);
		expect(error).toMatchObject({ code: "timeout", scope: "attempt", outcome: "unknown", attempts: 1 });
		await mock.local.settled();
		expect(mock.local.sent).toHaveLength(1);
	});
});

describe("a gateway whose clock is off", () => {
	test.each([
		["ahead", 3_600_000],
		["behind", -3_600_000],
	])("%s by an hour is followed after one 401", async (_title, skewMs) => {
		using mock = mockGateway();
		mock.local.faults.skewClock(skewMs);
		const gateway = mock.connect();
		const first = await send(gateway).withResponse();
		expect(first.attempts).toBe(2);
		expect(Math.abs((first.clockOffsetMs ?? 0) - skewMs)).toBeLessThanOrEqual(500);
		expect((await read(gateway).withResponse()).attempts).toBe(1);
		expect(mock.local.requests.map(({ status }) => status)).toEqual([401, 202, 200]);
		expect(gateway.clockOffsetMs).toBe(skewMs);
	});

	test("is not followed with correctClockSkew off", async () => {
		using mock = mockGateway();
		mock.local.faults.skewClock(3_600_000);
		expect(await errorOf(mock, send, { correctClockSkew: false })).toMatchObject({
			code: "authentication_failed",
			attempts: 1,
		});
	});

	test("is followed by all calls that started together", async () => {
		using mock = mockGateway();
		mock.local.faults.skewClock(3_600_000);
		const gateway = mock.connect();
		await Promise.all([read(gateway), read(gateway), send(gateway)]);
		expect(mock.local.requests).toHaveLength(6);
	});
});

describe("credentials", () => {
	test("a wrong secret costs one request", async () => {
		using mock = mockGateway();
		expect(await errorOf(mock, read, { appSecret: "wrong" })).toMatchObject({
			code: "authentication_failed",
			attempts: 1,
		});
		expect(mock.local.requests).toHaveLength(1);
	});

	test("a rotated secret is fetched again, for a send too", async () => {
		using mock = mockGateway();
		const secrets = ["old-secret", mock.local.appSecret];
		const gateway = mock.connect({ appSecret: () => secrets.shift() ?? "none" });
		await send(gateway);
		expect(mock.local.requests.map(({ status }) => status)).toEqual([401, 202]);
	});

	test("each tenant signs with its own", async () => {
		using mock = mockGateway({ apps: { "tenant-2": "tenant-2-secret" } });
		const gateway = mock.connect();
		await read(gateway.withCredentials({ appId: "tenant-2", appSecret: "tenant-2-secret" }));
		await read(gateway);
		expect(mock.local.requests.map(({ headers }) => headers["x-app-id"])).toEqual(["tenant-2", "local-app"]);
		expect(mock.local.requests.map(({ status }) => status)).toEqual([200, 200]);
	});

	test("a used nonce is rejected, and never used by a retry", async () => {
		using mock = mockGateway();
		const nonce = "3f1c9a52-8d0e-4b7a-9c63-5e2d71f0a4b8";
		const gateway = mock.connect({ createNonce: () => nonce });
		await read(gateway);
		expect(await catchRejection(read(gateway))).toMatchObject({
			code: "authentication_failed",
			details: { reason: "NONCE_REPLAYED" },
		});
		mock.local.faults.respond({ status: 502, times: 2 });
		await settle(mock.local.clock, read(mock.connect()));
		const nonces = mock.local.requests.slice(2).map(({ headers }) => headers["x-nonce"]);
		expect(new Set(nonces).size).toBe(3);
	});
});

describe("one profile for both sides", () => {
	test.each([
		{ canonicalBody: "json" },
		{ query: "included" },
		{ emptyBody: "empty_object" },
		{ path: "without_base_path" },
		{ canonicalBody: "json", query: "included", emptyBody: "empty_object", path: "without_base_path" },
	] as const)("signs and verifies alike with %j", async (signing) => {
		using mock = mockGateway({ baseUrl: "https://gateway.example/api", profile: { signing } });
		const gateway = mock.connect();
		await send(gateway);
		await gateway.agents.list({ limit: 5, cursor: undefined } as never);
		await gateway.mappings.get(USER);
		expect(mock.local.requests.map(({ status }) => status)).toEqual([202, 200, 200]);
	});
});
