import { AuthenticationError, type ClientOptions, type MessagingGateway } from "messaging-gateway";
import { describe, expect, test, vi } from "vitest";
import { catchRejection } from "../../../support/catch-error.ts";
import { START_MS, settle } from "../../../support/counting-clock.ts";
import { type ScriptedGateway, type Step, scriptGateway } from "../../../support/scripted-gateway.ts";
import { errorResponse, json, MAPPING, ok, text, USER } from "../../../support/wire.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const success = json(200, { ok: true, data: { mapping: MAPPING } });

/** A 401 whose Date is so far ahead of our clock. */
function unauthorized(
	aheadMs: number,
	options: { details?: unknown; code?: string; headers?: Record<string, string> } = {},
) {
	const { headers, ...rest } = options;
	return errorResponse(401, {
		...rest,
		headers: { Date: new Date(START_MS + aheadMs).toUTCString(), ...headers },
	});
}

/** A gateway whose first response takes that long. */
function scriptSlow(response: Response, delayMs: number): ScriptedGateway {
	const slow: Step = () =>
		new Promise((resolve) => scripted.clock.setTimer(() => resolve(response), delayMs));
	const scripted = scriptGateway([slow, success]);
	return scripted;
}

const get = ({ gateway }: ScriptedGateway) => gateway.mappings.get(USER);

function timestamps({ requests }: ScriptedGateway): number[] {
	return requests.map(({ headers }) => Number(headers.get("X-Timestamp")));
}

describe("a 401 with a Date more than four minutes off", () => {
	test.each([
		["ahead", 4 * MINUTE_MS + 1_000],
		["ahead by an hour", HOUR_MS],
		["ahead by nearly three hours", 3 * HOUR_MS - 1_000],
		["behind", -4 * MINUTE_MS - 1_000],
		["behind by an hour", -HOUR_MS],
		["behind by nearly three hours", -3 * HOUR_MS],
	])(
		"%s is tried once more, at once, with the gateway's time, which later calls have",
		async (_title, aheadMs) => {
			const scripted = scriptGateway([unauthorized(aheadMs), success], { maxRetries: 0 });
			const { attempts, clockOffsetMs } = await get(scripted).withResponse();
			await get(scripted);
			// Date has whole seconds; half a second is added for what it cuts off.
			const offsetMs = aheadMs + 500;
			expect(attempts).toBe(2);
			expect(timestamps(scripted)).toEqual([START_MS, START_MS + offsetMs, START_MS + offsetMs]);
			expect(scripted.requests.map(({ sentAt }) => sentAt)).toEqual([START_MS, START_MS, START_MS]);
			expect(clockOffsetMs).toBe(offsetMs);
			expect(scripted.gateway.clockOffsetMs).toBe(offsetMs);
		},
	);

	test.each([
		["3601 s behind", HOUR_MS],
		["3600 s ahead of", -HOUR_MS],
	])("is one warning in the life of a client: our clock is %s the gateway's", async (where, aheadMs) => {
		const warn = vi.fn();
		const logger = { ...console, warn };
		const scripted = scriptGateway(
			[unauthorized(aheadMs), success, unauthorized(aheadMs / 2), success, unauthorized(0), success],
			{ logger, logLevel: "warn" },
		);
		const sibling = scripted.gateway.withCredentials({ appId: "app-2", appSecret: "another" });
		await get(scripted);
		await sibling.mappings.get(USER);
		await get(scripted);
		expect(scripted.requests).toHaveLength(6);
		expect(warn.mock.calls).toEqual([
			[
				`messaging-gateway: this machine's clock is ${where} the gateway's, which rejected it: requests are signed with the gateway's time. Set the clock, for example with NTP`,
			],
		]);
	});

	test("is tried only once more, then the error has the offset", async () => {
		const scripted = scriptGateway([unauthorized(HOUR_MS), unauthorized(2 * HOUR_MS)]);
		const error = await catchRejection(get(scripted));
		expect(error).toBeInstanceOf(AuthenticationError);
		expect(error).toMatchObject({ attempts: 2, clockOffsetMs: HOUR_MS + 500, outcome: "rejected" });
	});

	test("is tried once more by each of several calls that started together", async () => {
		const scripted = scriptGateway([
			({ headers }) =>
				Number(headers.get("X-Timestamp")) === START_MS ? unauthorized(HOUR_MS) : success.clone(),
		]);
		await Promise.all([get(scripted), get(scripted), get(scripted)]);
		expect(scripted.requests).toHaveLength(6);
	});

	test("is reported to onRetry, without a delay", async () => {
		const retries: unknown[] = [];
		const scripted = scriptGateway([unauthorized(HOUR_MS), success], {
			hooks: { onRetry: (info) => retries.push(info) },
		});
		await get(scripted);
		expect(retries).toMatchObject([{ attempt: 1, delayMs: 0, reason: "authentication_failed" }]);
	});
});

describe("a 401 that is not tried again", () => {
	test.each<[title: string, response: Step, options?: ClientOptions]>([
		["with a Date four minutes off", unauthorized(4 * MINUTE_MS - 1_000)],
		["with a Date that agrees, as for a wrong secret", unauthorized(0)],
		["without a Date", errorResponse(401)],
		["with a Date that is none", unauthorized(0, { headers: { Date: "yesterday" } })],
		["from a cache", unauthorized(HOUR_MS, { headers: { Age: "3600" } })],
		["more than three hours ahead", unauthorized(3 * HOUR_MS + 1_000)],
		["more than three hours behind", unauthorized(-3 * HOUR_MS - 2_000)],
		["a day off", unauthorized(24 * HOUR_MS - 1_000)],
		["over plain http from another host", unauthorized(HOUR_MS), { baseUrl: "http://gateway.example" }],
		[
			"over plain http from a host that only looks local",
			unauthorized(HOUR_MS),
			{ baseUrl: "http://localhost.example" },
		],
		[
			"over plain http from a name under localhost, which a resolver may have elsewhere",
			unauthorized(HOUR_MS),
			{ baseUrl: "http://gateway.localhost" },
		],
		["with correctClockSkew off", unauthorized(HOUR_MS), { correctClockSkew: false }],
	])("%s costs one request, and no warning", async (_title, response, options) => {
		const warn = vi.fn();
		const logger = { ...console, warn };
		const scripted = scriptGateway([response, success], { logger, logLevel: "warn", ...options });
		const error = await catchRejection(get(scripted));
		expect(warn).not.toHaveBeenCalled();
		expect(error).toMatchObject({ code: "authentication_failed", attempts: 1, clockOffsetMs: undefined });
		expect(scripted.requests).toHaveLength(1);
		expect(scripted.gateway.clockOffsetMs).toBeUndefined();
	});

	test("that took longer than ten seconds", async () => {
		const slow = scriptSlow(unauthorized(HOUR_MS), 10_001);
		expect(await catchRejection(settle(slow.clock, get(slow)))).toMatchObject({ attempts: 1 });
	});

	test("is tried again after ten seconds, the longest round trip that counts", async () => {
		const slow = scriptSlow(unauthorized(HOUR_MS), 10_000);
		expect(await settle(slow.clock, get(slow).withResponse())).toMatchObject({ attempts: 2 });
	});

	test("of an unsigned call", async () => {
		const scripted = scriptGateway([unauthorized(HOUR_MS), text(200, "OK")]);
		await catchRejection(scripted.gateway.health.check());
		expect(scripted.requests).toHaveLength(1);
	});
});

test("the offset is measured at the middle of the round trip", async () => {
	const slow = scriptSlow(unauthorized(HOUR_MS), 8_000);
	await settle(slow.clock, get(slow));
	expect(slow.gateway.clockOffsetMs).toBe(HOUR_MS + 500 - 4_000);
});

test.each([
	"http://localhost:8080",
	"http://127.0.0.1",
	"http://127.1.2.3:8080",
	"http://[::1]:9",
	"https://gateway.localhost",
	"https://gateway.example",
])("the time of %s is trusted", async (baseUrl) => {
	const scripted = scriptGateway([unauthorized(HOUR_MS), success], { baseUrl });
	await get(scripted);
	expect(scripted.requests).toHaveLength(2);
});

describe("a 401 whose details name the timestamp", () => {
	test.each<[title: string, options: { details?: unknown; code?: string }]>([
		["as the reason", { details: { reason: "TIMESTAMP_OUT_OF_RANGE" } }],
		["as a field", { details: [{ field: "X-Timestamp", issue: "out_of_range", message: "too old" }] }],
		["in the code", { code: "TIMESTAMP_EXPIRED" }],
	])("%s is tried again with a smaller difference", async (_title, options) => {
		const scripted = scriptGateway([unauthorized(30_000, options), success]);
		await get(scripted);
		expect(timestamps(scripted)).toEqual([START_MS, START_MS + 30_500]);
	});

	test("is not tried again without a Date to learn from", async () => {
		const scripted = scriptGateway([
			errorResponse(401, { details: { reason: "TIMESTAMP_OUT_OF_RANGE" } }),
			success,
		]);
		await catchRejection(get(scripted));
		expect(scripted.requests).toHaveLength(1);
	});

	test("is not tried again when the offset that it teaches is in use already", async () => {
		const named = unauthorized(30_000, { details: { reason: "TIMESTAMP_OUT_OF_RANGE" } });
		const scripted = scriptGateway([named, success, named]);
		await get(scripted);
		await catchRejection(get(scripted));
		expect(scripted.requests).toHaveLength(3);
	});
});

describe("a success's meta.timestamp", () => {
	const at = (aheadMs: number) =>
		ok({ mapping: MAPPING }, { timestamp: new Date(START_MS + aheadMs).toISOString() });

	const fromCache = at(1_000);
	fromCache.headers.set("Age", "60");

	async function offsetAfter(
		responses: Response[],
		options?: ClientOptions,
		calls = responses.length,
	): Promise<MessagingGateway["clockOffsetMs"]> {
		const scripted = scriptGateway(responses, options);
		for (let call = 0; call < calls; call++) await get(scripted);
		return scripted.gateway.clockOffsetMs;
	}

	test.each([0, 1_234, -1_234, 5 * MINUTE_MS, -5 * MINUTE_MS])(
		"keeps the offset fresh: %i ms",
		async (aheadMs) => {
			expect(await offsetAfter([at(aheadMs)])).toBe(aheadMs);
		},
	);

	test("moves the offset near that of the last rejection, or near 0", async () => {
		expect(await offsetAfter([at(4 * MINUTE_MS), at(-MINUTE_MS)])).toBe(-MINUTE_MS);
		const shown = [unauthorized(HOUR_MS), at(HOUR_MS + 5 * MINUTE_MS)];
		expect(await offsetAfter(shown, {}, 1)).toBe(HOUR_MS + 5 * MINUTE_MS);
		expect(await offsetAfter([...shown, at(HOUR_MS + MINUTE_MS)], {}, 2)).toBe(HOUR_MS + MINUTE_MS);
	});

	test("moves it no further: that requires another rejection", async () => {
		expect(await offsetAfter([at(4 * MINUTE_MS), at(8 * MINUTE_MS)])).toBe(4 * MINUTE_MS);
		const drifted = [at(4 * MINUTE_MS), unauthorized(10 * MINUTE_MS), at(12 * MINUTE_MS)];
		expect(await offsetAfter(drifted, {}, 2)).toBe(12 * MINUTE_MS);
	});

	test("does not add up over any number of them", async () => {
		for (const direction of [1, -1]) {
			let responses = 0;
			const scripted = scriptGateway([() => at(direction * ++responses * 4 * MINUTE_MS)]);
			for (let call = 0; call < 400; call++) await get(scripted);
			expect(scripted.gateway.clockOffsetMs).toBe(direction * 4 * MINUTE_MS);
		}
	});

	test("does not add up with rejections beyond three hours", async () => {
		let responses = 0;
		const scripted = scriptGateway([
			() => {
				responses += 1;
				const aheadMs = responses * 4.5 * MINUTE_MS;
				return responses % 2 === 1 ? unauthorized(aheadMs) : at(aheadMs);
			},
		]);
		for (let call = 0; call < 200; call++) await get(scripted).catch(() => undefined);
		expect(responses).toBeGreaterThan(200);
		const furthestMs = Math.max(...timestamps(scripted)) - START_MS;
		expect(furthestMs).toBeGreaterThan(2 * HOUR_MS);
		expect(furthestMs).toBeLessThanOrEqual(3 * HOUR_MS);
	});

	test.each([
		["further off than the tolerance", at(5 * MINUTE_MS + 2_001)],
		["a year off", at(365 * 24 * HOUR_MS)],
		["not a time", ok({ mapping: MAPPING }, { timestamp: "soon" })],
		["missing", success],
		["from a cache", fromCache],
	])("is ignored when it is %s", async (_title, response) => {
		expect(await offsetAfter([at(2_000), response])).toBe(2_000);
	});

	test("is ignored over plain http, and with correctClockSkew off", async () => {
		expect(await offsetAfter([at(2_000)], { baseUrl: "http://gateway.example" })).toBeUndefined();
		expect(await offsetAfter([at(2_000)], { correctClockSkew: false })).toBeUndefined();
	});

	test("is ignored in the response to an unsigned call, whose timestamp was not checked", async () => {
		const { gateway } = scriptGateway([at(2_000)]);
		await gateway.request("GET", "/x", { signed: false });
		expect(gateway.clockOffsetMs).toBeUndefined();
	});

	test("is ignored in a response slower than ten seconds", async () => {
		const slow = scriptSlow(at(2_000), 10_001);
		await settle(slow.clock, get(slow));
		expect(slow.gateway.clockOffsetMs).toBeUndefined();
	});
});
