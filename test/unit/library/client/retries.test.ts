import { defineOperation, type HttpMethod, type MessagingGateway, type RetryClass } from "messaging-gateway";
import { afterEach, describe, expect, test, vi } from "vitest";
import { catchRejection } from "../../../support/catch-error.ts";
import { START_MS, settle } from "../../../support/counting-clock.ts";
import { BY_RETRY_CLASS } from "../../../support/operations.ts";
import { type Outcomes, testOutcomes } from "../../../support/outcomes.ts";
import { type Step, scriptGateway, silence } from "../../../support/scripted-gateway.ts";
import { isNodeHttp } from "../../../support/transport.ts";
import { AGENT, errorResponse, html, networkError, USER } from "../../../support/wire.ts";
import type { Played } from "./call-ending.ts";

afterEach(() => vi.restoreAllMocks());

const get = (gateway: MessagingGateway) => gateway.mappings.get(USER);

interface Retried extends Played {
	/** What is drawn of the longest delay. @default half of it */
	readonly fraction?: number;
}

/** How long after the one before it each further request is made, in milliseconds, and how the call ends. */
async function requestsOf({ steps, call = get, options, fraction = 0.5 }: Retried): Promise<string> {
	vi.spyOn(Math, "random").mockReturnValue(fraction);
	const { gateway, clock, requests } = scriptGateway([steps].flat(), options);
	const error = Object(await catchRejection(settle(clock, Promise.resolve(call(gateway)))));
	expect(clock.openTimers).toBe(0);
	const times = requests.map(({ sentAt }) => sentAt);
	const gaps = times.slice(1).map((sentAt, at) => Math.round(sentAt - (times[at] ?? 0)));
	const { code, retryAfterMs } = error;
	return `${["sent", ...gaps].join(", ")}: ${code}${retryAfterMs === undefined ? "" : `, again in ${retryAfterMs} ms`}`;
}

/** The same for each class of calls, which have it in common. */
async function requestsOfAll(played: Retried): Promise<string> {
	const seen = new Set<string>();
	for (const { call } of Object.values(BY_RETRY_CLASS)) seen.add(await requestsOf({ ...played, call }));
	return [...seen].join("; ");
}

const bad = html(502);
const anything = {
	"~standard": { version: 1, vendor: "test", validate: (value: unknown) => ({ value }) },
} as const;
const own = (method: HttpMethod, retry?: RetryClass): Retried => ({
	steps: bad,
	call: (gateway) =>
		gateway.call(
			defineOperation({
				id: "own",
				method,
				path: "/own",
				input: anything,
				data: anything,
				...(retry && { retry }),
			}),
			{},
		),
});
const request = (retry?: RetryClass): Retried => ({
	steps: bad,
	call: (gateway) => gateway.request("GET", "/own", retry && { retry }),
});
const reassign = (fields: object): Retried => ({
	steps: bad,
	call: (gateway) =>
		gateway.agents.reassign({ userNumber: USER, toAgentNumber: "+15550000002", ...fields } as never),
});
const retries = (maxRetries: number): Retried => ({ steps: bad, options: { maxRetries } });
const retriesOfCall = (maxRetries: number): Retried => ({
	steps: bad,
	call: (gateway) => gateway.mappings.get(USER, { maxRetries }),
	options: { maxRetries: 2 },
});

/** How often a call is made again of which the gateway has failed half way. */
const REPEATS: Outcomes<Retried> = {
	"sent: server_error": {
		"no retries of a client": retries(0),
		"no retries of a call": retriesOfCall(0),
		"an own POST": own("POST"),
		"an own DELETE": own("DELETE"),
		"an own GET that is never repeated": own("GET", "never"),
		"a request": request(),
		"a request that is never repeated": request("never"),
		"a reassignment that depends on the agent": reassign({ fromAgentNumber: AGENT }),
	},
	"sent, 250: server_error": { "one retry of a client": retries(1), "one retry of a call": retriesOfCall(1) },
	"sent, 250, 500: server_error": {
		"by default": { steps: bad },
		"an own GET": own("GET"),
		"an own POST that may be repeated": own("POST", "idempotent"),
		"a request that may be repeated": request("idempotent"),
		"a request that changes nothing": request("safe"),
		"a reassignment": reassign({}),
		"a reassignment from nobody": reassign({ fromAgentNumber: undefined }),
	},
	"sent, 250, 500, 1000, 2000: server_error": {
		"four retries of a client": retries(4),
		"four retries of a call": retriesOfCall(4),
	},
};

describe("a call is made again", () => {
	testOutcomes(REPEATS, requestsOf);

	test.each(["safe", "idempotent", "never"] as const)(
		"with the same bytes, under another nonce, and resolves with the attempt that succeeds: %s",
		async (retryClass) => {
			const { call, success } = BY_RETRY_CLASS[retryClass];
			const { gateway, clock, requests } = scriptGateway([errorResponse(429), errorResponse(429), success]);
			const { attempts } = await settle(clock, call(gateway).withResponse());
			expect([attempts, requests.length]).toEqual([3, 3]);
			expect(new Set(requests.map(({ url, body }) => `${url} ${body}`)).size).toBe(1);
			for (const name of ["X-Nonce", "Authorization"])
				expect(new Set(requests.map(({ headers }) => headers.get(name))).size).toBe(3);
		},
	);
});

/** The span of which a delay is drawn doubles from 500 ms up to 8 s. */
const DELAYS: Outcomes<Retried> = {
	"sent, 0, 0, 0, 0, 0, 0: server_error": { "the least of it": { ...retries(6), fraction: 0 } },
	"sent, 250, 500, 1000, 2000, 4000, 4000: server_error": { "half of it": retries(6) },
	"sent, 499, 998, 1996, 3992, 7984, 7984: server_error": {
		"nearly all of it": { ...retries(6), fraction: 0.998 },
	},
};

describe.skipIf(isNodeHttp)("back-off", () => {
	testOutcomes(DELAYS, requestsOf);

	test("draws each delay again", async () => {
		const random = vi.spyOn(Math, "random");
		const { gateway, clock } = scriptGateway([networkError("ECONNRESET")]);
		await catchRejection(settle(clock, get(gateway)));
		expect(random).toHaveBeenCalledTimes(2);
	});
});

const after = (value: string): Retried => ({
	steps: errorResponse(429, { headers: { "Retry-After": value } }),
});
const date = (ms: number) => after(new Date(START_MS + ms).toUTCString());

/** Of a rate limit, for every class. A date is over once it has been waited for. */
const RETRY_AFTER: Outcomes<Retried> = {
	"sent, 7000, 7000: rate_limited, again in 7000 ms": { "whole seconds": after("7") },
	"sent, 0, 0: rate_limited, again in 0 ms": { "0 seconds": after("0"), "a date that is over": date(-9_000) },
	"sent, 1500, 1500: rate_limited, again in 1500 ms": { "seconds with a fraction": after("1.5") },
	"sent, 3000, 3000: rate_limited, again in 3000 ms": { "seconds with whitespace": after(" 3 ") },
	"sent, 9000, 0: rate_limited, again in 0 ms": { "an IMF date": date(9_000) },
	"sent, 5000, 0: rate_limited, again in 0 ms": {
		"an RFC 850 date": after("Thursday, 01-Jan-26 00:00:05 GMT"),
	},
	// Over a real server the clock of the test passes while the second response is on its way.
	...(!isNodeHttp && {
		"sent, 59999: rate_limited, again in 59999 ms": { "a time just within timeoutMs": after("59.999") },
	}),
	"sent: rate_limited, again in 60000 ms": { "as long as timeoutMs": after("60") },
	"sent: rate_limited, again in 61000 ms": { "a date beyond timeoutMs": date(61_000) },
	"sent: rate_limited, again in 99999999999000 ms": { "thousands of years": after("99999999999") },
	[`sent: rate_limited, again in ${Number.MAX_SAFE_INTEGER} ms`]: {
		"more seconds than a number holds": after("9".repeat(400)),
	},
};

/** What is no Retry-After, and those of other responses. */
const OTHERS: Outcomes<Retried> = {
	"sent, 250, 500: rate_limited": Object.fromEntries(
		["soon", "", "-5", "1e3", "0x10", "12 seconds", "5 Jan 2026"].map((value) => [
			`of ${JSON.stringify(value)}, which counts as none`,
			after(value),
		]),
	),
	"sent, 2000: server_error, again in 2000 ms": {
		"of a 503": {
			steps: errorResponse(503, { headers: { "Retry-After": "2" } }),
			options: { maxRetries: 1 },
		},
		"of a 502 that is no envelope": {
			steps: new Response("", { status: 502, headers: { "Retry-After": "2" } }),
			options: { maxRetries: 1 },
		},
	},
	"sent, 0, 3500: not_found": {
		"as a date, by the gateway's clock where that is known, to within half a second": {
			steps: [
				errorResponse(401, { headers: { Date: new Date(START_MS + 600_000).toUTCString() } }),
				errorResponse(429, {
					headers: { "Retry-After": new Date(START_MS + 604_500).toUTCString() },
				}),
				errorResponse(404),
			],
		},
	},
};

describe("Retry-After", () => {
	testOutcomes(RETRY_AFTER, requestsOfAll);
	testOutcomes(OTHERS, requestsOf);
});

/** How a removal ends. */
async function removalOf(steps: readonly Step[]): Promise<string> {
	const { gateway, clock } = scriptGateway(steps);
	return settle(clock, gateway.mappings.delete(USER).withResponse()).then(
		({ data, meta, response, attempts }) =>
			`${JSON.stringify({ ...data, meta })} by a ${response.status} after ${attempts}`,
		({ code, attempts }) => `${code} after ${attempts}`,
	);
}

const gone = errorResponse(404, { code: "MAPPING_NOT_FOUND" });

const REMOVALS: Outcomes<readonly Step[]> = {
	'{"deleted":true} by a 404 after 2': {
		"a broken connection, then gone": [networkError("ECONNRESET"), gone],
		"a time-out, then gone": [silence, gone],
		"a failure half way, then gone": [bad, gone],
		"a 503 in the gateway's own words, then gone": [errorResponse(503), gone],
	},
	"not_found after 1": { "gone on the first attempt": [gone] },
	"not_found after 2": {
		"a 429, which removed nothing, then gone": [errorResponse(429), gone],
		"a connection that was refused, then gone": [networkError("ECONNREFUSED"), gone],
		"a 404 without an envelope: the path may be wrong": [bad, html(404)],
	},
	"server_error after 3": { "failures half way": [bad] },
};

describe("deleting a mapping", () => {
	testOutcomes(REMOVALS, removalOf);

	test("another operation's 404 after a lost response stays an error", async () => {
		const { gateway, clock } = scriptGateway([bad, gone]);
		expect(await catchRejection(settle(clock, get(gateway)))).toMatchObject({ code: "not_found" });
	});
});
