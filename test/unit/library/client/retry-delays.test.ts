import type { MessagingGateway } from "messaging-gateway";
import { afterEach, describe, expect, test, vi } from "vitest";
import { catchRejection } from "../../../support/catch-error.ts";
import { START_MS, settle } from "../../../support/counting-clock.ts";
import { BY_RETRY_CLASS } from "../../../support/operations.ts";
import { type SentRequest, scriptGateway } from "../../../support/scripted-gateway.ts";
import { errorResponse, html, networkError, USER } from "../../../support/wire.ts";

afterEach(() => vi.restoreAllMocks());

const get = (gateway: MessagingGateway) => gateway.mappings.get(USER);

/** The time between one request and the next. */
function gaps(requests: readonly SentRequest[]): number[] {
	return requests.slice(1).map(({ sentAt }, at) => sentAt - (requests[at]?.sentAt ?? Number.NaN));
}

describe("back-off", () => {
	test.each([
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
