import { inspect } from "node:util";
import type { ClientOptions } from "messaging-gateway";
import { describe, expect, test, vi } from "vitest";
import { START_MS, settle } from "../../../support/counting-clock.ts";
import { type Outcomes, testOutcomes } from "../../../support/outcomes.ts";
import { type Step, scriptGateway } from "../../../support/scripted-gateway.ts";
import { isNodeHttp } from "../../../support/transport.ts";
import { errorResponse, json, MAPPING, ok, text, USER } from "../../../support/wire.ts";

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const success = json(200, { ok: true, data: { mapping: MAPPING } });

/** What some calls in a row get, one each unless a 401 is tried again. */
interface Calls {
	readonly steps: readonly Response[];
	readonly calls?: number;
	readonly options?: ClientOptions;
	/** How long each response takes. */
	readonly delayMs?: number;
}

/** The timestamps that were signed, by how much they are ahead of our clock, and the offset that is known in the end. */
async function signedOf({ steps, calls = 1, options, delayMs = 0 }: Calls): Promise<string> {
	const slow = steps.map(
		(step): Step =>
			() =>
				new Promise((resolve) => clock.setTimer(() => resolve(step.clone()), delayMs)),
	);
	const scripted = delayMs === 0 ? steps : slow;
	const { gateway, clock, requests } = scriptGateway(scripted, { maxRetries: 0, ...options });
	for (let call = 0; call < calls; call++) {
		const made = Promise.allSettled([gateway.mappings.get(USER)]);
		// Only where time is needed: over a real server, time would pass before a response has arrived.
		await (delayMs === 0 ? made : settle(clock, made));
	}
	const ahead = requests.map(({ headers, sentAt }) => Number(headers.get("X-Timestamp")) - sentAt);
	return `signed ${ahead.join(", ")}; offset ${inspect(gateway.clockOffsetMs)}`;
}

/** A 401 whose Date is so far ahead of our clock. Date has whole seconds; half a second is added for what it cuts off. */
function unauthorized(
	aheadMs: number,
	{ headers, ...rest }: { details?: unknown; code?: string; headers?: Record<string, string> } = {},
): Response {
	return errorResponse(401, {
		...rest,
		headers: { Date: new Date(START_MS + aheadMs).toUTCString(), ...headers },
	});
}

/** A success whose `meta` has a time so far ahead of our clock. */
function at(aheadMs: number, headers: Record<string, string> = {}): Response {
	const response = ok({ mapping: MAPPING }, { timestamp: new Date(START_MS + aheadMs).toISOString() });
	for (const [name, value] of Object.entries(headers)) response.headers.set(name, value);
	return response;
}

const one = (step: Response, options: ClientOptions = {}): Calls => ({ steps: [step, success], options });
/** The 401 is tried once more, at once, and a later call has the gateway's time from the start. */
const twice = (step: Response, baseUrl = "https://gateway.example"): Calls => ({
	steps: [step, success],
	calls: 2,
	options: { baseUrl },
});
const row = (...steps: readonly Response[]): Calls => ({ steps, calls: steps.length });
const named = { details: { reason: "TIMESTAMP_OUT_OF_RANGE" } };
const NOT_AGAIN = "signed 0; offset undefined";
const HOUR_AHEAD = "signed 0, 3600500, 3600500; offset 3600500";

const REJECTIONS: Outcomes<Calls> = {
	[HOUR_AHEAD]: {
		"an hour ahead": twice(unauthorized(HOUR_MS)),
		...Object.fromEntries(
			["http://localhost:8080", "http://127.0.0.1", "http://127.1.2.3:8080", "http://[::1]:9"].map(
				(baseUrl) => [`over ${baseUrl}, this machine`, twice(unauthorized(HOUR_MS), baseUrl)],
			),
		),
		"over https from a name under localhost": twice(unauthorized(HOUR_MS), "https://gateway.localhost"),
	},
	"signed 0, 241500, 241500; offset 241500": {
		"four minutes and a second ahead": twice(unauthorized(4 * MINUTE_MS + SECOND_MS)),
	},
	"signed 0, 240500, 240500; offset 240500": {
		"half a second more than four minutes ahead": twice(unauthorized(4 * MINUTE_MS)),
	},
	"signed 0, -240500, -240500; offset -240500": {
		"half a second more than four minutes behind": twice(unauthorized(-4 * MINUTE_MS - SECOND_MS)),
	},
	"signed 0, 10799500, 10799500; offset 10799500": {
		"nearly three hours ahead": twice(unauthorized(3 * HOUR_MS - SECOND_MS)),
	},
	"signed 0, -3599500, -3599500; offset -3599500": { "an hour behind": twice(unauthorized(-HOUR_MS)) },
	"signed 0, -10799500, -10799500; offset -10799500": {
		"nearly three hours behind": twice(unauthorized(-3 * HOUR_MS)),
	},
	[NOT_AGAIN]: {
		"half a second less than four minutes ahead": one(unauthorized(4 * MINUTE_MS - SECOND_MS)),
		"half a second less than four minutes behind": one(unauthorized(-4 * MINUTE_MS)),
		"a Date that agrees, as for a wrong secret": one(unauthorized(0)),
		"no Date": one(errorResponse(401)),
		"a Date that is none": one(unauthorized(0, { headers: { Date: "yesterday" } })),
		"a response from a cache": one(unauthorized(HOUR_MS, { headers: { Age: "3600" } })),
		"half a second more than three hours ahead": one(unauthorized(3 * HOUR_MS)),
		"half a second more than three hours behind": one(unauthorized(-3 * HOUR_MS - SECOND_MS)),
		"a day off": one(unauthorized(24 * HOUR_MS)),
		"over plain http": one(unauthorized(HOUR_MS), { baseUrl: "http://gateway.example" }),
		"over plain http, from a host that only looks local": one(unauthorized(HOUR_MS), {
			baseUrl: "http://localhost.example",
		}),
		"over plain http, from a name under localhost, which a resolver may have elsewhere": one(
			unauthorized(HOUR_MS),
			{ baseUrl: "http://gateway.localhost" },
		),
		"correctClockSkew off": one(unauthorized(HOUR_MS), { correctClockSkew: false }),
		"a response that took more than ten seconds": { ...one(unauthorized(HOUR_MS)), delayMs: 10_001 },
		"a reason that names the timestamp, without a Date": one(errorResponse(401, named)),
		"an error that is no 401": one(
			errorResponse(403, { headers: { Date: new Date(START_MS + HOUR_MS).toUTCString() } }),
		),
	},
	"signed 0, 3595500; offset 3595500": {
		"a response that took ten seconds, measured at their middle": {
			...one(unauthorized(HOUR_MS)),
			delayMs: 10_000,
		},
	},
	"signed 0, 10800000; offset 10800000": {
		"three hours ahead, measured at the middle of a second": {
			...one(unauthorized(3 * HOUR_MS)),
			delayMs: SECOND_MS,
		},
	},
	"signed 0, 30500; offset 30500": {
		"half a minute ahead, with a reason that names the timestamp": one(unauthorized(30 * SECOND_MS, named)),
		"half a minute ahead, with a field that does": one(
			unauthorized(30 * SECOND_MS, { details: [{ field: "X-Timestamp", issue: "out_of_range" }] }),
		),
		"half a minute ahead, with a code that does": one(
			unauthorized(30 * SECOND_MS, { code: "TIMESTAMP_EXPIRED" }),
		),
	},
	"signed 0, 30500, 30500; offset 30500": {
		"the timestamp is named again when its offset is in use already": {
			steps: [unauthorized(30 * SECOND_MS, named), success, unauthorized(30 * SECOND_MS, named)],
			calls: 2,
		},
	},
	"signed 0, 3600500; offset 3600500": {
		"a second 401 in a call, which is not tried a third time": {
			steps: [unauthorized(HOUR_MS), unauthorized(2 * HOUR_MS)],
		},
	},
};

describe("a 401", () => {
	testOutcomes(REJECTIONS, signedOf);

	test.each([
		["3601 s behind", HOUR_MS],
		["3600 s ahead of", -HOUR_MS],
	])("is one warning in the life of a client: our clock is %s the gateway's", async (where, aheadMs) => {
		const warn = vi.fn();
		const { gateway, requests } = scriptGateway(
			[unauthorized(aheadMs), success, unauthorized(aheadMs / 2), success, unauthorized(0), success],
			{ logger: { ...console, warn }, logLevel: "warn" },
		);
		const sibling = gateway.withCredentials({ appId: "app-2", appSecret: "another" });
		for (const client of [gateway, sibling, gateway]) await client.mappings.get(USER);
		expect(requests).toHaveLength(6);
		expect(warn.mock.calls).toEqual([
			[
				`messaging-gateway: this machine's clock is ${where} the gateway's, which rejected it: requests are signed with the gateway's time. Set the clock, for example with NTP`,
			],
		]);
	});

	test("that is not tried again is no warning", async () => {
		const warn = vi.fn();
		const { gateway } = scriptGateway([unauthorized(0)], { logger: { ...console, warn }, logLevel: "warn" });
		const [{ reason }] = (await Promise.allSettled([gateway.mappings.get(USER)])) as [PromiseRejectedResult];
		expect(reason).toMatchObject({ attempts: 1, clockOffsetMs: undefined, outcome: "rejected" });
		expect(warn).not.toHaveBeenCalled();
	});

	test("that is tried again and rejected again is the error, with the offset", async () => {
		const { gateway } = scriptGateway([unauthorized(HOUR_MS), unauthorized(2 * HOUR_MS)]);
		const [{ reason }] = (await Promise.allSettled([gateway.mappings.get(USER)])) as [PromiseRejectedResult];
		expect(reason).toMatchObject({ attempts: 2, clockOffsetMs: HOUR_MS + 500, outcome: "rejected" });
	});

	test("is tried once more by each of several calls that started together", async () => {
		const { gateway, requests } = scriptGateway([
			({ headers }) =>
				Number(headers.get("X-Timestamp")) === START_MS ? unauthorized(HOUR_MS) : success.clone(),
		]);
		await Promise.all([1, 2, 3].map(() => gateway.mappings.get(USER)));
		expect(requests).toHaveLength(6);
	});

	test("that is tried again is in the result, and reported to onRetry, without a delay", async () => {
		const retries: unknown[] = [];
		const { gateway } = scriptGateway([unauthorized(HOUR_MS), success], {
			hooks: { onRetry: (info) => retries.push(info) },
		});
		const { attempts, clockOffsetMs } = await gateway.mappings.get(USER).withResponse();
		expect({ attempts, clockOffsetMs }).toEqual({ attempts: 2, clockOffsetMs: HOUR_MS + 500 });
		expect(retries).toMatchObject([{ attempt: 1, delayMs: 0, reason: "authentication_failed" }]);
	});

	test("of an unsigned call teaches nothing", async () => {
		const { gateway, requests } = scriptGateway([unauthorized(HOUR_MS), text(200, "OK")]);
		await Promise.allSettled([gateway.health.check()]);
		expect(requests).toHaveLength(1);
	});
});

const SUCCESSES: Outcomes<Calls> = {
	"signed 0; offset 0": {
		now: row(at(0)),
		// A real connection takes its time, in which the clock of the test goes on.
		...(!isNodeHttp && { "half a millisecond behind, which is no -0": { ...row(at(0)), delayMs: 1 } }),
	},
	"signed 0; offset 1234": { ahead: row(at(1_234)) },
	"signed 0; offset -1234": { behind: row(at(-1_234)) },
	"signed 0; offset 300000": { "as far ahead as the tolerance": row(at(5 * MINUTE_MS)) },
	"signed 0; offset -300000": { "as far behind as the tolerance": row(at(-5 * MINUTE_MS)) },
	"signed 0; offset undefined": {
		"a millisecond further ahead": row(at(5 * MINUTE_MS + 1)),
		"a millisecond further behind": row(at(-5 * MINUTE_MS - 1)),
		"a year off": row(at(365 * 24 * HOUR_MS)),
		"over plain http": { ...row(at(2_000)), options: { baseUrl: "http://gateway.example" } },
		"with correctClockSkew off": { ...row(at(2_000)), options: { correctClockSkew: false } },
		"in a response slower than ten seconds": { ...row(at(2_000)), delayMs: 10_001 },
	},
	"signed 0, 2000; offset 2000": {
		"further off than the tolerance, after another": row(at(2_000), at(5 * MINUTE_MS + 2_001)),
		"that is none": row(at(2_000), ok({ mapping: MAPPING }, { timestamp: "soon" })),
		"that is missing": row(at(2_000), success),
		"from a cache": row(at(2_000), at(1_000, { Age: "60" })),
	},
	"signed 0, 240000; offset -60000": {
		"near 0, where no rejection came before": row(at(4 * MINUTE_MS), at(-MINUTE_MS)),
	},
	"signed 0, 240000; offset 240000": {
		"further than the tolerance from 0": row(at(4 * MINUTE_MS), at(8 * MINUTE_MS)),
	},
	"signed 0, 3600500; offset 3900000": {
		"near the offset of a rejection": { steps: [unauthorized(HOUR_MS), at(HOUR_MS + 5 * MINUTE_MS)] },
	},
	"signed 0, 3600500; offset 3900500": {
		"as far from the offset of a rejection as the tolerance": {
			steps: [unauthorized(HOUR_MS), at(HOUR_MS + 5 * MINUTE_MS + 500)],
		},
	},
	"signed 0, 3600500; offset 3600500": {
		"a millisecond further": { steps: [unauthorized(HOUR_MS), at(HOUR_MS + 5 * MINUTE_MS + 501)] },
	},
	"signed 0, 3600500, 3900000; offset 3660000": {
		"nearer again": {
			steps: [unauthorized(HOUR_MS), at(HOUR_MS + 5 * MINUTE_MS), at(HOUR_MS + MINUTE_MS)],
			calls: 2,
		},
	},
	"signed 0, 240000, 600500; offset 720000": {
		"further, after another rejection": {
			steps: [at(4 * MINUTE_MS), unauthorized(10 * MINUTE_MS), at(12 * MINUTE_MS)],
			calls: 2,
		},
	},
};

describe("a success's meta.timestamp", () => {
	testOutcomes(SUCCESSES, signedOf);

	test("does not add up over any number of them", async () => {
		for (const direction of [1, -1]) {
			let responses = 0;
			const { gateway } = scriptGateway([() => at(direction * ++responses * 4 * MINUTE_MS)]);
			for (let call = 0; call < 400; call++) await gateway.mappings.get(USER);
			expect(gateway.clockOffsetMs).toBe(direction * 4 * MINUTE_MS);
		}
	});

	test("does not add up with rejections beyond three hours", async () => {
		let responses = 0;
		const { gateway, requests } = scriptGateway([
			() => {
				responses += 1;
				const aheadMs = responses * 4.5 * MINUTE_MS;
				return responses % 2 === 1 ? unauthorized(aheadMs) : at(aheadMs);
			},
		]);
		for (let call = 0; call < 200; call++) await gateway.mappings.get(USER).catch(() => undefined);
		expect(responses).toBeGreaterThan(200);
		const furthestMs =
			Math.max(...requests.map(({ headers }) => Number(headers.get("X-Timestamp")))) - START_MS;
		expect(furthestMs).toBeGreaterThan(2 * HOUR_MS);
		expect(furthestMs).toBeLessThanOrEqual(3 * HOUR_MS);
	});

	test("is ignored in the response to an unsigned call, whose timestamp was not checked", async () => {
		const { gateway } = scriptGateway([at(2_000)]);
		await gateway.request("GET", "/x", { signed: false });
		expect(gateway.clockOffsetMs).toBeUndefined();
	});
});
