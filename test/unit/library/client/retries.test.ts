import { defineOperation, type HttpMethod, type MessagingGateway, type RetryClass } from "messaging-gateway";
import { afterEach, describe, expect, test, vi } from "vitest";
import { catchRejection } from "../../../support/catch-error.ts";
import { START_MS, settle } from "../../../support/counting-clock.ts";
import { BY_RETRY_CLASS } from "../../../support/operations.ts";
import { type SentRequest, type Step, scriptGateway, silence } from "../../../support/scripted-gateway.ts";
import { isNodeHttp } from "../../../support/transport.ts";
import { AGENT, errorResponse, html, networkError, USER } from "../../../support/wire.ts";

afterEach(() => vi.restoreAllMocks());

describe.each(["safe", "idempotent", "never"] as const)("an operation of class %s", (retryClass) => {
	const { call, success } = BY_RETRY_CLASS[retryClass];

	test("sends the same bytes each time, under another nonce, and resolves with the attempt that succeeds", async () => {
		const { gateway, clock, requests } = scriptGateway([errorResponse(429), errorResponse(429), success]);
		const { attempts } = await settle(clock, call(gateway).withResponse());
		expect([attempts, requests.length]).toEqual([3, 3]);
		expect(new Set(requests.map(({ url, body }) => `${url} ${body}`)).size).toBe(1);
		for (const name of ["X-Nonce", "Authorization"])
			expect(new Set(requests.map(({ headers }) => headers.get(name))).size).toBe(3);
	});
});

describe("maxRetries", () => {
	test.each([0, 1, 4])("%i allows that many further requests", async (maxRetries) => {
		const perClient = scriptGateway([html(502)], { maxRetries });
		await catchRejection(settle(perClient.clock, perClient.gateway.mappings.get(USER)));
		expect(perClient.requests).toHaveLength(maxRetries + 1);
		const perCall = scriptGateway([html(502)], { maxRetries: 2 });
		await catchRejection(settle(perCall.clock, perCall.gateway.mappings.get(USER, { maxRetries })));
		expect(perCall.requests).toHaveLength(maxRetries + 1);
	});
});

describe("reassigning an agent", () => {
	const input = { userNumber: USER, toAgentNumber: "+15550000002" };
	test.each([
		["may be repeated without fromAgentNumber", input, 3],
		["may be repeated with fromAgentNumber undefined", { ...input, fromAgentNumber: undefined } as never, 3],
		["is never repeated with fromAgentNumber", { ...input, fromAgentNumber: AGENT }, 1],
	])("%s", async (_title, given, count) => {
		const { gateway, clock, requests } = scriptGateway([html(502)]);
		await catchRejection(settle(clock, gateway.agents.reassign(given)));
		expect(requests).toHaveLength(count);
	});
});

describe("deleting a mapping", () => {
	const gone = errorResponse(404, { code: "MAPPING_NOT_FOUND" });

	test.each<[title: string, first: Step]>([
		["a broken connection", networkError("ECONNRESET")],
		["a time-out", silence],
		["a failure half way", html(502)],
		["a 503 in the gateway's own words", errorResponse(503)],
	])("succeeds when the repeat after %s finds it gone", async (_title, first) => {
		const { gateway, clock } = scriptGateway([first, gone]);
		const { data, meta, response, attempts } = await settle(
			clock,
			gateway.mappings.delete(USER).withResponse(),
		);
		expect(data).toEqual({ deleted: true });
		expect({ meta, attempts, status: response.status }).toEqual({
			meta: undefined,
			attempts: 2,
			status: 404,
		});
	});

	test.each<[title: string, steps: Step[]]>([
		["on the first attempt", [gone]],
		["after a 429, which removed nothing", [errorResponse(429), gone]],
		["after a connection that was refused", [networkError("ECONNREFUSED"), gone]],
		["without an envelope: the path may be wrong", [html(502), html(404)]],
	])("fails when it is not there %s", async (_title, steps) => {
		const { gateway, clock } = scriptGateway(steps);
		const error = await catchRejection(settle(clock, gateway.mappings.delete(USER)));
		expect(error).toMatchObject({ code: "not_found", status: 404, attempts: steps.length });
	});

	test("another operation's 404 after a lost response stays an error", async () => {
		const { gateway, clock } = scriptGateway([html(502), gone]);
		expect(await catchRejection(settle(clock, gateway.mappings.get(USER)))).toMatchObject({
			code: "not_found",
		});
	});
});

describe("calls without an operation of the catalogue", () => {
	const anything = {
		"~standard": { version: 1, vendor: "test", validate: (value: unknown) => ({ value }) },
	} as const;
	test.each<[method: HttpMethod, retry: RetryClass | undefined, requests: number]>([
		["GET", undefined, 3],
		["POST", undefined, 1],
		["DELETE", undefined, 1],
		["POST", "idempotent", 3],
		["GET", "never", 1],
	])("an own %s operation with retry %s makes %i requests of a 502", async (method, retry, count) => {
		const operation = defineOperation({
			id: "own",
			method,
			path: "/own",
			input: anything,
			data: anything,
			...(retry && { retry }),
		});
		const { gateway, clock, requests } = scriptGateway([html(502)]);
		await catchRejection(settle(clock, gateway.call(operation, {})));
		expect(requests).toHaveLength(count);
	});

	test.each<[retry: RetryClass | undefined, requests: number]>([
		[undefined, 1],
		["never", 1],
		["idempotent", 3],
		["safe", 3],
	])("gateway.request with retry %s makes %i requests of a 502", async (retry, count) => {
		const { gateway, clock, requests } = scriptGateway([html(502)]);
		await catchRejection(settle(clock, gateway.request("GET", "/own", retry && { retry })));
		expect(requests).toHaveLength(count);
	});
});

const get = (gateway: MessagingGateway) => gateway.mappings.get(USER);

/** The time between one request and the next. */
function gaps(requests: readonly SentRequest[]): number[] {
	return requests.slice(1).map(({ sentAt }, at) => sentAt - (requests[at]?.sentAt ?? Number.NaN));
}

describe("back-off", () => {
	test.skipIf(isNodeHttp).each([
		["the least", 0, [0, 0, 0, 0, 0, 0]],
		["half", 0.5, [250, 500, 1_000, 2_000, 4_000, 4_000]],
		["nearly all", 0.999, [499.5, 999, 1_998, 3_996, 7_992, 7_992]],
	])("waits %s of a span that doubles from 500 ms up to 8 s", async (_title, fraction, expected) => {
		vi.spyOn(Math, "random").mockReturnValue(fraction);
		const { gateway, clock, requests } = scriptGateway([html(502)], { maxRetries: 6 });
		await catchRejection(settle(clock, get(gateway)));
		gaps(requests).forEach((gap, at) => {
			expect(gap).toBeCloseTo(expected[at] ?? Number.NaN, 1);
		});
		expect(requests).toHaveLength(7);
	});

	test("draws each delay again", async () => {
		const random = vi.spyOn(Math, "random");
		const { gateway, clock } = scriptGateway([networkError("ECONNRESET")]);
		await catchRejection(settle(clock, get(gateway)));
		expect(random).toHaveBeenCalledTimes(2);
	});
});

describe("Retry-After", () => {
	test.each([
		["whole seconds", "7", 7_000],
		["0 seconds", "0", 0],
		["seconds with a fraction", "1.5", 1_500],
		["seconds with whitespace", " 3 ", 3_000],
		["an IMF date", new Date(START_MS + 9_000).toUTCString(), 9_000],
		["a date that is over", new Date(START_MS - 9_000).toUTCString(), 0],
		["an RFC 850 date", "Thursday, 01-Jan-26 00:00:05 GMT", 5_000],
	])("of %s is obeyed, for every class", async (_title, value, delayMs) => {
		vi.spyOn(Math, "random").mockReturnValue(0.9);
		for (const { call } of Object.values(BY_RETRY_CLASS)) {
			const { gateway, clock, requests } = scriptGateway([
				errorResponse(429, { headers: { "Retry-After": value } }),
			]);
			const error = await catchRejection(settle(clock, call(gateway)));
			// A date is over once it has been waited for.
			expect(gaps(requests)).toEqual([delayMs, value.includes("GMT") ? 0 : delayMs]);
			expect(error).toMatchObject({ code: "rate_limited" });
			expect((error as { retryAfterMs: number }).retryAfterMs).toBeGreaterThanOrEqual(0);
		}
	});

	test.each(["soon", "", "-5", "1e3", "0x10", "12 seconds"])("of %j counts as none", async (value) => {
		vi.spyOn(Math, "random").mockReturnValue(0.5);
		const { gateway, clock, requests } = scriptGateway([
			errorResponse(429, { headers: { "Retry-After": value } }),
		]);
		const error = await catchRejection(settle(clock, get(gateway)));
		expect(gaps(requests)).toEqual([250, 500]);
		expect(error).toMatchObject({ retryAfterMs: undefined });
	});

	test("of more seconds than a number holds is a finite time", async () => {
		const { gateway, clock } = scriptGateway([
			errorResponse(429, { headers: { "Retry-After": "9".repeat(400) } }),
		]);
		const error = await catchRejection(settle(clock, get(gateway)));
		expect(error).toMatchObject({
			retryAfterMs: Number.MAX_SAFE_INTEGER,
			message: expect.stringContaining("9007199254741 s"),
		});
	});

	test.each([
		[503, errorResponse(503, { headers: { "Retry-After": "2" } })],
		[502, new Response("", { status: 502, headers: { "Retry-After": "2" } })],
	])("counts with a %i too", async (_status, response) => {
		const { gateway, clock, requests } = scriptGateway([response], { maxRetries: 1 });
		expect(await catchRejection(settle(clock, get(gateway)))).toMatchObject({ retryAfterMs: 2_000 });
		expect(gaps(requests)).toEqual([2_000]);
	});

	test.each(["60", "3600", "99999999999", new Date(START_MS + 61_000).toUTCString()])(
		"of %s, beyond the budget, ends the call at once with what it met",
		async (value) => {
			const { gateway, clock, requests } = scriptGateway([
				errorResponse(429, { headers: { "Retry-After": value } }),
			]);
			const error = await catchRejection(Promise.resolve(get(gateway)));
			expect(error).toMatchObject({ code: "rate_limited", attempts: 1, outcome: "rejected" });
			expect((error as { retryAfterMs: number }).retryAfterMs).toBeGreaterThanOrEqual(60_000);
			expect(requests).toHaveLength(1);
			expect(clock.openTimers).toBe(0);
		},
	);

	test("as a date is read by the gateway's clock where that is known", async () => {
		const gatewayMs = START_MS + 600_000;
		const refused = errorResponse(401, { headers: { Date: new Date(gatewayMs).toUTCString() } });
		const busy = errorResponse(429, {
			headers: { "Retry-After": new Date(gatewayMs + 4_500).toUTCString() },
		});
		const { gateway, clock, requests } = scriptGateway([refused, busy, errorResponse(404)]);
		await catchRejection(settle(clock, get(gateway)));
		// Date has whole seconds, so the clock is known to within half a second.
		expect(gaps(requests)).toEqual([0, 3_500]);
	});
});
